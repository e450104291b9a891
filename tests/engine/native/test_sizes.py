"""Very wide nets and very long inputs: the steps of plain SGD, as everywhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay as ay
from assay.engine.native.engine import Native
from assay.engine.native.spec import family_of
from assay.losses import Square
from tests.engine.native.draws import batches
from tests.engine.native.reference import loss_of, sigma, trajectory
from tests.engine.trials import results

pytestmark = pytest.mark.slow

STEPS = 2
SNAPSHOTS = ay.Record(measures=("weights/snapshot",), steps=tuple(range(STEPS + 1)))
WIDE = 3_000_000
CHUNK = 500_000
WIDEST = {
    "counts, nine a step": ay.Trial(task=ay.Parity(n=4, k=2), net=ay.MLP(width=WIDE), batch=9, solve=None, seed=4),
    "several steps at a time": ay.Trial(task=ay.Parity(n=3, k=2), net=ay.MLP(width=WIDE), batch=1, solve=None, seed=5),
    "any activation": ay.Trial(
        task=ay.Parity(n=3, k=2), net=ay.MLP(width=WIDE, activation="sinusoid"), batch=9, solve=None, loss=Square(),
        optimiser=ay.SGD(learning_rate=1e-7), seed=6,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDEST)
@pytest.mark.skipif(bool(Native().missing), reason="the kernels are not built")
def test_three_million_neurons_take_the_steps_of_sgd(name: str):
    """Every weight after a step against the formula, in float64, from the weights before it."""
    native = Native(threads=1)
    way = WIDEST[name].replace(budget=STEPS, record=SNAPSHOTS)
    assert native.refusal(way) is None
    arrays = results(native, [way])[way.identity].arrays
    w, b, u, c = (
        arrays[f"weights/snapshot.{each}"]
        for each in ("hidden_1.weight", "hidden_1.bias", "output.weight", "output.bias")
    )
    assert w.shape == (STEPS + 1, WIDE, way.task.inputs)
    xs, ys = batches(way, STEPS)
    sgd: Any = way.optimiser
    degree = family_of(way).spec.degree
    for t, (x, y) in enumerate(zip(xs, ys, strict=True)):
        kept = [_hidden(way.net, degree, w[t, i : i + CHUNK], b[t, i : i + CHUNK], x) for i in range(0, WIDE, CHUNK)]
        f = c[t].astype(np.float64) + sum(
            h @ u[t, 0, i : i + CHUNK] for i, (h, _) in zip(range(0, WIDE, CHUNK), kept, strict=True)
        )
        _, slope, kink = loss_of(way.loss, f, y)
        assert kink > 1e-3  # float32 sums of 3 million terms decide as float64 does
        slope = sgd.learning_rate * slope / len(y)
        np.testing.assert_allclose(c[t + 1], c[t] - slope.sum(), rtol=1e-4, atol=1e-7)
        for i, (h, derivative) in zip(range(0, WIDE, CHUNK), kept, strict=True):
            own = slice(i, i + CHUNK)
            d = slope[:, None] * u[t, 0, own] * derivative
            _assert_moved(w[t, own], w[t + 1, own], -d.T @ x)
            _assert_moved(b[t, own], b[t + 1, own], -d.sum(axis=0))
            _assert_moved(u[t, 0, own], u[t + 1, 0, own], -slope @ h)


def _hidden(net: Any, degree: int, w: np.ndarray, b: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    value, slope, _ = sigma(net.activation, x @ w.T.astype(np.float64) + b, degree)
    return value, slope


def _assert_moved(before: np.ndarray, after: np.ndarray, change: np.ndarray) -> None:
    """The change itself, up to the rounding of its own sum and of the weight that it is added to."""
    rounding = 2.0**-23 * np.abs(before).max() + 2.0**-20 * np.abs(change).max()
    np.testing.assert_allclose(after.astype(np.float64) - before, change, rtol=1e-3, atol=rounding)


LONG = {
    "counts": {"n": 4096, "net": ay.MLP(width=40), "batch": 33},
    "several steps at a time": {"n": 3001, "net": ay.MLP(width=20), "batch": 3},
    "any activation": {"n": 1025, "net": ay.MLP(width=17, activation="triangle"), "batch": 20},
    "neuron": {"n": 2050, "net": ay.Neuron(second_layer=True), "batch": 10},
    "polynet": {"n": 1500, "net": ay.PolyNet(), "batch": 5},
}


@pytest.mark.parametrize("name", LONG)
def test_inputs_of_thousands_of_bits_take_the_steps_of_sgd(native: Native, name: str):
    options: dict[str, Any] = LONG[name]
    way = ay.Trial(
        task=ay.Parity(n=options["n"], k=2, subset="random"), net=options["net"], batch=options["batch"], budget=40,
        optimiser=ay.SGD(learning_rate=1e-3), solve=None, seed=8,
        record=ay.Record(measures=("weights/snapshot",), steps=(1, 5, 18, 40)),
    )  # fmt: skip
    assert native.refusal(way) is None
    result = results(native, [way])[way.identity]
    states = {state.step: state for state in trajectory(way, 40)}
    compared = 0
    for i, step in enumerate((1, 5, 18, 40)):
        if states[step].kink < 1e-5:
            break
        compared += 1
        for layer, arrays in states[step].params.items():
            for array, mine in arrays.items():
                own = result.arrays[f"weights/snapshot.{layer}.{array}"][i]
                np.testing.assert_allclose(own, mine, rtol=1e-4, atol=1e-4 * (np.abs(mine).max() + 1e-3))
    assert compared >= 2
