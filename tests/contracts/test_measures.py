"""What every measure keeps to. A new one is found by its name; each can be asked of one of TRIALS."""

from __future__ import annotations

import functools
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
import assay.measures
from assay.measures import MEASURES, View, find
from assay.measures.base import NEEDS
from tests import light
from tests.contracts.members import import_files

SHIPPED = sorted(name for name, function in MEASURES.items() if function.__module__.startswith("assay."))
TRIAL = ay.Trial(
    task=ay.Parity(n=6, k=2, noise=0.1),
    net=ay.MLP(width=3),
    data=ay.Offline(samples=40),
    batch=8,
    solve=ay.Solve(sample=50),
    record=ay.Record(measures=("train/loss",)),
)
SYMBOLS = ay.Trial(
    task=ay.MarkovChains(states=3, length=10),
    net=ay.SequenceTransformer(d=4),
    loss=ay.SequenceCrossEntropy(),
    solve=ay.Solve(sample=50),
)
TRIALS = (TRIAL, SYMBOLS)
each_measure = pytest.mark.parametrize("name", SHIPPED)


def params_of(trial: ay.Trial, seed: int) -> Any:
    return light.normal_params(trial.learner, seed, scale=0.5)


def view(trial: ay.Trial, keys: Any, params: Any, start: Any, step: Any, secret: Any) -> View:
    assert trial.solve is not None
    assert isinstance(trial.batch, int)
    return View(
        task=trial.task, net=trial.learner, loss=trial.loss, data=trial.data, batch=trial.batch,
        sample=trial.solve.sample, secret=secret, keys=keys, step=step, start=start, params=params,
    )  # fmt: skip


def trial_of(name: str) -> ay.Trial:
    """The first trial whose task and net the measure is made for."""
    fitting = [trial for trial in TRIALS if all(map(isinstance, (trial.task, trial.learner), NEEDS[name]))]
    assert fitting, f"{name}: no trial here for its task and net"
    return fitting[0]


@functools.cache
def programs(trial: ay.Trial) -> tuple[Any, Any]:
    """Every measure at once, of a lane and of lanes side by side."""
    names = [name for name in SHIPPED if trial_of(name) is trial]

    def all_of(keys: Any, params: Any, start: Any, step: Any, secret: Any) -> dict[str, Any]:
        seen = view(trial, keys, params, start, step, secret)
        return {name: find(name)(seen) for name in names}

    return light.jit(all_of), light.jit(jax.vmap(all_of))


@functools.cache
def found(seed: int) -> dict[str, Any]:
    """What the measures say of one lane."""
    everything: dict[str, Any] = {}
    for trial in TRIALS:
        params, start = params_of(trial, seed), params_of(trial, seed + 9)
        lane = (light.keys(seed), params, start, jnp.int32(5), trial.task.secret(seed))
        everything |= jax.tree.map(np.asarray, programs(trial)[0](*lane))
    return everything


def test_files_of_measures_are_imported_with_the_package():
    before = set(MEASURES)
    import_files(assay.measures)
    assert set(MEASURES) == before, f"import the new file in {assay.measures.__file__}"


@each_measure
def test_a_measure_has_a_name_of_two_parts_and_says_what_it_is(name: str):
    assert re.fullmatch(r"[a-z]+/[a-z0-9_]+", name)
    assert MEASURES[name].__doc__, f"{name} needs a docstring: formula, reference, cost"
    assert find(name) is MEASURES[name]


@each_measure
def test_a_measure_can_be_recorded(name: str):
    record = ay.Record(measures=(name,), every=10)
    assert ay.Trial.from_json(trial_of(name).replace(record=record).to_json()).record == record


@each_measure
def test_a_measure_is_a_number_or_arrays_of_float32(name: str):
    item = found(0)[name]
    assert isinstance(item, np.ndarray | dict)
    for array in jax.tree.leaves(item):
        assert array.dtype == np.float32
        assert np.isfinite(array).all()


@each_measure
def test_a_measure_tells_trials_apart(name: str):
    """It depends on the trial: a constant is none."""
    pairs = zip(jax.tree.leaves(found(0)[name]), jax.tree.leaves(found(1)[name]), strict=True)
    assert any(not np.array_equal(one, other) for one, other in pairs)


@each_measure
def test_lanes_side_by_side_are_measured_as_each_alone(name: str):
    item = jax.tree.map(np.asarray, side_by_side())[name]
    for lane in (0, 1):
        jax.tree.map(
            lambda both, alone, i=lane: np.testing.assert_allclose(both[i], alone, rtol=1e-4, atol=1e-6),
            item,
            found(lane)[name],
        )


@functools.cache
def side_by_side() -> dict[str, Any]:
    everything: dict[str, Any] = {}
    for trial in TRIALS:
        lanes = [
            (light.keys(seed), params_of(trial, seed), params_of(trial, seed + 9), trial.task.secret(seed))
            for seed in (0, 1)
        ]
        keys, params, start, secret = jax.tree.map(lambda *parts: np.stack(parts), *lanes)
        everything |= programs(trial)[1](keys, params, start, jnp.full(2, 5, jnp.int32), secret)
    return everything
