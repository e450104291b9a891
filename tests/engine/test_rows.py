"""Populations of pairs by rows, penalties, jumps of the rate, and float64, against gradient descent written out."""

from __future__ import annotations

import numpy as np
import pytest

import assay as ay
from assay.engine.base import Control, Suspended
from assay.engine.xla import gradient
from assay.engine.xla.engine import Xla
from tests.engine.trials import assert_same, results

RECORD = ay.Record(measures=("weights/snapshot", "margin/normalised", "train/loss"), every=20)
BASE = ay.Trial(
    task=ay.Composition(group="Z7"), net=ay.PairNet(width=12), data=ay.Population(), batch="all",
    loss=ay.CrossEntropy(), penalty=ay.Penalty(weight=1e-3, b=3.0),
    optimiser=ay.SGD(learning_rate=0.5, schedule=ay.Jumps(at=(10, 30))),
    budget=60, solve=None, record=RECORD, precision="float64",
)  # fmt: skip


def snapshot(result, at: int) -> list[np.ndarray]:
    return [result.arrays[f"weights/snapshot.{layer}.weight"][at] for layer in ("left", "right", "output")]


def descended(weights: list[np.ndarray], group: str, relu: bool = False) -> list[np.ndarray]:
    """60 steps with all pairs written out."""
    u, v, w = weights
    table = ay.Composition(group=group).elements.table
    n = len(table)
    a, b = (index.ravel() for index in np.indices((n, n)))
    one, power = np.eye(n)[table[a, b]], 2 if relu else 3
    for step in range(60):
        z = u[a] + v[b]
        hidden = np.maximum(z, 0) if relu else z**2
        f = hidden @ w
        p = np.exp(f - f.max(axis=1, keepdims=True))
        error = (p / p.sum(axis=1, keepdims=True) - one) / n**2
        back = error @ w.T * ((z > 0) if relu else 2 * z)
        du, dv, dw = np.zeros_like(u), np.zeros_like(v), hidden.T @ error
        np.add.at(du, a, back)
        np.add.at(dv, b, back)
        pull = 1e-3 * power * np.sqrt((u**2).sum(0) + (v**2).sum(0) + (w**2).sum(1)) ** (power - 2)
        rate = 0.5 * 2 ** ((step >= 10) + (step >= 30))
        u, v, w = u - rate * (du + pull * u), v - rate * (dv + pull * v), w - rate * (dw + pull[:, None] * w)
    return [u, v, w]


def close(found: list[np.ndarray], expected: list[np.ndarray], rtol: float) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("relu", [False, True])
def test_training_is_gradient_descent(xla: Xla, relu: bool):
    trial = BASE
    if relu:
        trial = BASE.replace(net=ay.PairNet(width=12, activation="relu"), penalty=ay.Penalty(weight=1e-3))
    result = results(xla, [trial])[trial.identity]
    close(snapshot(result, -1), descended(snapshot(result, 0), "Z7", relu), 1e-6)  # rates are float32
    assert snapshot(result, -1)[0].dtype == np.float64


def test_blocks_of_rows_add_up_to_the_whole(xla: Xla, monkeypatch: pytest.MonkeyPatch):
    whole = results(xla, [BASE])[BASE.identity]
    monkeypatch.setattr(gradient, "BLOCK", 2 * 7 * 12)
    monkeypatch.setattr(gradient, "WASTE", 1.2)
    assert gradient.rows_a_block(7, 7 * 12) == 2  # four blocks, one row over the end
    close(snapshot(results(Xla(threads=1), [BASE])[BASE.identity], -1), snapshot(whole, -1), 1e-12)


@pytest.mark.parametrize(("rows", "values"), [(71, 71 * 500), (71, 1 << 18), (120, 120 * 2000), (6, 180), (7, 10)])
def test_blocks_fit_and_waste_little(rows: int, values: int):
    size = gradient.rows_a_block(rows, values)
    assert size == 1 or size * values <= gradient.BLOCK
    assert -(-rows // size) * size <= gradient.WASTE * rows


def test_float32_is_float64_up_to_rounding_and_both_live_side_by_side():
    single = BASE.replace(precision="float32")
    found = results(Xla(threads=2), [BASE, single, BASE.reseeded(1), single.reseeded(1)])
    one, other = found[BASE.identity], found[single.identity]
    assert snapshot(other, -1)[0].dtype == np.float32
    assert BASE.identity != single.identity
    close(snapshot(other, 0), snapshot(one, 0), 1e-7)
    close(snapshot(other, -1), snapshot(one, -1), 1e-4)


def test_a_suspended_float64_trial_goes_on_to_the_same_end(xla: Xla, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.engine.xla.tile.CHUNK_SECONDS", 0.001)
    pack = [BASE.replace(budget=500 + 3000 * seed, seed=seed) for seed in range(3)]
    whole = results(xla, pack)
    control, left = Control(), []
    for item in xla.run(pack, control):
        left.append(item)
        control.stop.set()
    suspended = {item.trial.identity: item for item in left if isinstance(item, Suspended)}
    assert suspended
    for identity, result in results(xla, [item.trial for item in suspended.values()], suspended).items():
        assert_same(result, whole[identity])


def test_trials_without_penalty_in_float32_are_identified_as_before():
    trial = ay.Trial(task=ay.Parity(n=6, k=2), net=ay.Neuron())
    assert not {"penalty", "precision"} & trial.to_json().keys()
    assert ay.Trial.from_json(trial.to_json()) == trial
    assert {"penalty", "precision"} <= BASE.to_json().keys()
    assert ay.Trial.from_json(BASE.to_json()).identity == BASE.identity


def test_what_is_kept_at_the_ends_is_the_first_and_the_last(xla: Xla, monkeypatch: pytest.MonkeyPatch):
    """Also of a trial that was suspended on the way."""
    monkeypatch.setattr("assay.engine.xla.tile.CHUNK_SECONDS", 0.001)
    trial = BASE.replace(budget=5000, record=RECORD.replace(ends=("weights/snapshot",)))
    whole = results(xla, [trial.replace(record=RECORD)])[trial.replace(record=RECORD).identity]
    control = Control()
    short = trial.replace(budget=200, seed=1)
    left = []
    for item in xla.run([short, trial], control):
        left.append(item)
        control.stop.set()
    suspended = {item.trial.identity: item for item in left if isinstance(item, Suspended)}
    found = results(xla, [trial], suspended)[trial.identity]
    np.testing.assert_array_equal(found.curves["margin/normalised"], whole.curves["margin/normalised"])
    for at in (0, -1):
        close(snapshot(found, at), snapshot(whole, at), 0)
    assert len(found.arrays["weights/snapshot.left.weight"]) == 2
    assert len(whole.arrays["weights/snapshot.left.weight"]) == len(whole.curves["step"])
