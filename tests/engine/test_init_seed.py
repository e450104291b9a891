"""A seed of the initialisation: weights of one seed, examples of another."""

from __future__ import annotations

import numpy as np

import assay as ay
from assay.engine.xla.engine import Xla
from tests.engine.trials import results, trial

START = "weights/snapshot.neuron.weight"


def test_weights_come_from_the_seed_of_the_initialisation_and_examples_from_that_of_the_trial(xla: Xla):
    record = ay.Record(measures=("train/loss", "weights/snapshot"), steps=(0, 5))
    base = trial(ay.Neuron(), init=ay.Uniform(seed=3), record=record, solve=None, budget=5)
    one, other = base.replace(seed=1), base.replace(seed=2)
    elsewhere = base.replace(seed=1, init=ay.Uniform(seed=4))
    plain = base.replace(seed=3, init=ay.Uniform())
    found = results(xla, [one, other, elsewhere, plain])
    start = {each: found[each.identity].arrays[START][0] for each in (one, other, elsewhere, plain)}
    np.testing.assert_array_equal(start[one], start[other])
    np.testing.assert_array_equal(start[one], start[plain])
    assert np.abs(start[one] - start[elsewhere]).max() > 0
    loss = {each: found[each.identity].curves["train/loss"] for each in (one, other)}
    assert (loss[one] != loss[other]).all()  # the batches differ from the first on


def test_a_trial_whose_initialisation_has_the_trials_own_seed_ends_as_if_it_had_none(xla: Xla):
    without = trial(ay.Neuron(), seed=5)
    with_seed = without.replace(init=ay.Uniform(seed=5))
    found = results(xla, [without, with_seed])
    assert without.identity != with_seed.identity
    mine, other = found[with_seed.identity], found[without.identity]
    assert (mine.outcome, mine.step) == (other.outcome, other.step)
    for name, column in mine.curves.items():
        np.testing.assert_allclose(column, other.curves[name], rtol=1e-5, atol=1e-6)
