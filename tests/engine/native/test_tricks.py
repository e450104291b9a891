"""Each trick of the kernels alone, against a few lines of numpy."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.engine.base import Result
from assay.engine.native.engine import Native, Seat
from assay.engine.native.spec import family_of
from assay.losses import Correlation
from assay.maths import streams
from assay.nets import Sparse
from tests.engine.native.draws import batches, held_out
from tests.engine.native.reference import Params, forward, start
from tests.engine.trials import results

FRESH, FIXED = ay.Online(), ay.Offline(samples=100)
SOURCES: dict[str, dict[str, Any]] = {
    "fresh": {"data": FRESH},
    "fresh, noisy": {"data": FRESH, "task": ay.Parity(n=40, k=3, noise=0.3)},
    "fresh, five a step": {"data": FRESH, "batch": 5},
    "fresh, one input bit": {"data": FRESH, "task": ay.Parity(n=1, k=1)},
    "fresh, 4096 bits": {"data": FRESH, "task": ay.Parity(n=4096, k=7, subset="random"), "batch": 3},
    "epochs": {"data": FIXED, "batch": 24},
    "epochs, one a step": {"data": FIXED, "batch": 1},
    "epochs of one step": {"data": ay.Offline(samples=33), "batch": 33},
    "epochs, noisy": {"data": FIXED, "task": ay.Parity(n=40, k=3, noise=0.3), "batch": 6},
    "replacement": {"data": ay.Offline(samples=100_003, order="replacement"), "batch": 40},
    "replacement, seven a step": {"data": ay.Offline(samples=9, order="replacement"), "batch": 7},
    "whole training set": {"data": FIXED, "batch": "all"},
    "population": {"data": ay.Population(), "task": ay.Parity(n=6, k=2), "batch": 10},
    "disjoint": {"data": FRESH, "task": ay.DisjointParity(n=66, k=3, subset="random"), "net": ay.DisjointPolyNet()},
}  # fmt: skip


def trial(**changes: Any) -> ay.Trial:
    made: dict[str, Any] = {
        "task": ay.Parity(n=40, k=3),
        "net": ay.MLP(width=5),
        "budget": 50,
        "solve": None,
        "seed": 9,
    }
    return ay.Trial(**(made | changes))


@pytest.mark.parametrize("source", SOURCES)
def test_examples_are_those_of_the_streams(native: Native, source: str):
    """Drawn bit-sliced, sixteen at a time, labels by popcount: the very bits that the task defines, at any step."""
    way = trial(**SOURCES[source])
    assert native.kernels is not None
    x, y = batches(way, 40)
    for step in (0, 1, 2, 15, 16, 17, 39):
        packed, labels = native.kernels.examples(family_of(way).spec_of(way), step, way.examples_a_step)
        i = np.arange(way.task.inputs)
        np.testing.assert_array_equal(1 - 2.0 * (packed[:, i // 32] >> (i % 32).astype(np.uint32) & 1), x[step])
        np.testing.assert_array_equal(labels, y[step])


@pytest.mark.slow
@pytest.mark.parametrize("source", ["fresh, noisy", "epochs, noisy", "replacement", "whole training set"])
def test_the_reference_draws_what_the_package_draws(source: str):
    way = trial(**SOURCES[source])
    keys, batch = streams.streams(way.seed), 0 if way.batch == "all" else way.examples_a_step
    x, y = way.data.batch(way.task, way.task.secret(way.seed), keys, jnp.uint32(33), batch)
    np.testing.assert_array_equal(np.asarray(x), batches(way, 34)[0][33])
    np.testing.assert_array_equal(np.asarray(y), batches(way, 34)[1][33])


def test_an_epoch_visits_every_example_once(native: Native):
    way = trial(data=ay.Offline(samples=103), batch=10, task=ay.Parity(n=64, k=3))
    assert native.kernels is not None
    spec = family_of(way).spec_of(way)
    steps = [native.kernels.examples(spec, step, 10)[0] for step in range(30)]
    seen = [{row.tobytes() for packed in steps[epoch * 10 : epoch * 10 + 10] for row in packed} for epoch in range(3)]
    everyone = {row.tobytes() for row in native.kernels.examples(_whole(way), 0, 103)[0]}
    assert [len(rows) for rows in seen] == [100] * 3  # of 103, three are left out
    assert set.union(*seen) <= everyone
    assert len({frozenset(rows) for rows in seen}) == 3


def _whole(way: ay.Trial) -> Any:
    way = way.replace(batch="all")
    return family_of(way).spec_of(way)


INITS = {
    "uniform": ay.Uniform(scale=0.7), "normal": ay.Gaussian(), "normal, no biases": ay.Gaussian(biases="zero"),
    "signs": ay.Sign(biases="uniform"), "sparse": Sparse(nonzeros=3), "own seed": ay.Uniform(seed=1234),
}  # fmt: skip
NETS = {
    "mlp": ay.MLP(width=37), "no biases": ay.MLP(width=37, hidden_bias=False, output_bias=False), "neuron": ay.Neuron(),
    "neuron with second layer": ay.Neuron(second_layer=True), "polynet": ay.PolyNet(),
    "disjoint polynet": ay.DisjointPolyNet(),
}  # fmt: skip


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("net", NETS)
def test_first_weights_are_those_of_the_schemes(native: Native, net: str, init: str):
    task = ay.DisjointParity(n=45, k=3) if net == "disjoint polynet" else ay.Parity(n=45, k=3)
    way = trial(net=NETS[net], init=INITS[init], task=task)
    if net == "disjoint polynet" and init == "sparse":
        assert "sparse" in (native.refusal(way) or "")
        return
    for layer, arrays in weights(native, way).items():
        for name, mine in start(way)[layer].items():
            np.testing.assert_allclose(arrays[name], mine, rtol=1e-5, atol=1e-7)  # quantiles in single precision


def weights(native: Native, way: ay.Trial) -> Params:
    """As the kernels begin with them."""
    record = ay.Record(measures=("weights/snapshot",), steps=(0,))
    way = way.replace(budget=1, record=record)
    arrays = results(native, [way])[way.identity].arrays
    found: Params = {}
    for name, array in arrays.items():
        _, layer, part = name.rsplit(".", 2) if name.count(".") > 1 else ("", *name.split("."))
        found.setdefault(layer, {})[part] = array[0]
    return found


def test_sparse_rows_have_as_many_ones_as_asked_for_spread_over_all_coordinates(native: Native):
    way = trial(net=ay.MLP(width=3000), init=Sparse(nonzeros=3), task=ay.Parity(n=20, k=2))
    first = weights(native, way)["hidden_1"]["weight"]
    assert set(np.unique(first)) == {0.0, 1.0}
    assert (first.sum(axis=1) == 3).all()
    counts = first.sum(axis=0)  # binomial: 3000 rows, probability 3/20
    assert np.abs(counts - 450).max() < 5 * np.sqrt(3000 * 0.15 * 0.85)


@pytest.mark.parametrize("n", [1, 3, 4, 31, 32, 33, 64, 100, 257])
@pytest.mark.parametrize("net", [ay.MLP(width=18), ay.MLP(width=7, activation="sinusoid"), ay.PolyNet(degree=2)])
def test_outputs_by_tables_are_sums_over_coordinates(native: Native, net: ay.Net, n: int):
    """f of held-out examples, four coordinates a look-up, against w.x + b."""
    way = trial(net=net, task=ay.Parity(n=n, k=1), init=ay.Gaussian(scale=0.5))
    assert native.kernels is not None
    seat = Seat(native.kernels, way, "native")
    mine = seat.run.answers(300)
    seat.run.end()
    theirs, _ = forward(way.learner, start(way), held_out(way, 300)[0])
    np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("batch", [9, 31, 32, 33, 200])
@pytest.mark.parametrize("n", [1, 30, 50, 130])
def test_the_gradient_by_popcounts_is_the_gradient_of_the_formula(native: Native, n: int, batch: int):
    """One step of ReLU under the correlation loss: -B dL/dW_ji = u_j c_ji with c_ji = sum of y x_i over the examples
    on which j is active, a whole number; and -B dL/du_j = <W_j, c_j> + b_j c_jb."""
    record = ay.Record(measures=("weights/snapshot",), steps=(0, 1))
    way = trial(
        net=ay.MLP(width=21), task=ay.Parity(n=n, k=1), loss=Correlation(), batch=batch, budget=1, record=record,
        optimiser=ay.SGD(learning_rate=0.5),
    )  # fmt: skip
    result = results(native, [way])[way.identity]
    names = ("hidden_1.weight", "hidden_1.bias", "output.weight")
    (w, after), (b, _), (u, u_after) = (_pair(result, name) for name in names)
    (x,), (y,) = batches(way, 1)
    active = (x @ w.T + b > 0) * 1.0
    counts = (active * y[:, None]).T @ x
    np.testing.assert_allclose((after - w) * batch / 0.5, u[0][:, None] * counts, rtol=1e-4, atol=1e-4)
    gain = (w * counts).sum(axis=1) + b * (active * y[:, None]).sum(axis=0)
    np.testing.assert_allclose((u_after - u)[0] * batch / 0.5, gain, rtol=1e-4, atol=1e-4 * batch)
    np.testing.assert_allclose(gain, y @ np.maximum(x @ w.T + b, 0), rtol=1e-9, atol=1e-9)  # homogeneity


def _pair(result: Result, name: str) -> np.ndarray:
    return result.arrays[f"weights/snapshot.{name}"].astype(np.float64)


def test_disjoint_factors_see_their_own_block_only(native: Native):
    """Blocks of 5 coordinates lie across words, fours and vectors."""
    way = trial(net=ay.DisjointPolyNet(), task=ay.DisjointParity(n=35, k=7))
    assert native.kernels is not None
    seat = Seat(native.kernels, way, "native")
    mine = seat.run.answers(64)
    seat.run.end()
    w = start(way)["factors"]["weight"]
    x, _ = held_out(way, 64)
    np.testing.assert_allclose(mine, np.einsum("skb,kb->sk", x.reshape(64, 7, 5), w).prod(axis=1), rtol=1e-4)
