"""The engine's two stages against theory's own, in float64, from the same weights; and what the hint is worth."""

from __future__ import annotations

import numpy as np
import pytest

import assay as ay
from assay.studies.easy_parities.linear_methods import majority_error
from assay.studies.easy_parities.settings import exact
from assay.theory.easy_parity.population import Net, Population


@pytest.mark.slow
def test_the_engine_takes_the_steps_of_the_theory():
    trial = exact(9, 3, 8, 0.05, 3).replace(
        record=ay.Record(measures=("train/loss", "weights/snapshot"), steps=(0, 1, 2, 3))
    )
    runs = ay.run([trial], progress=False, engine="xla")
    names = ("hidden_1.weight", "hidden_1.bias", "output.weight")
    arrays = [runs.arrays(f"weights/snapshot.{name}")[trial.identity].astype(np.float64) for name in names]
    on = Population.of(9, 3)
    net = Net(arrays[0][0], arrays[1][0], arrays[2][0, 0])
    losses = runs.curves.sort("step")["train/loss"].to_list()
    for step in range(4):
        np.testing.assert_allclose(arrays[0][step], net.w, atol=2e-6)
        np.testing.assert_allclose(arrays[1][step], net.b, atol=2e-6)
        np.testing.assert_allclose(arrays[2][step, 0], net.u, atol=2e-6)
        assert losses[step] == pytest.approx(net.loss(on), abs=1e-5)
        net = net.leap(on) if step == 0 else net.step(on, 0.05)


def test_one_hidden_bit_and_their_majority_are_worth_what_the_page_says():
    """On the whole population of (9, k): a bit errs on 1/4, and on half of the uniform inputs."""
    for k in (3, 5, 7):
        on = Population.of(9, k)
        bit = on.y * on.x[:, 0] < 0
        assert on.weight @ bit == pytest.approx(1 / 4)
        assert on.uniform @ bit == pytest.approx(1 / 2)
        majority = on.y * on.x[:, :k].sum(axis=1) < 0
        assert on.uniform @ majority == pytest.approx(majority_error(k))
        assert on.told @ majority == 0
