"""Initialisations of the theory: laws, mirrored neurons, and the first step that theorems speak of (spec 4.6, 4.7)."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import assay as ay
from assay.engine.xla.engine import Xla
from assay.maths import streams
from assay.maths.cube import cube
from assay.theory.parity import majority_coefficient_float, sign_neuron_gradient
from tests import light
from tests.engine.trials import results

N, K, R = 9, 2, 40
NET = ay.MLP(width=R, inputs=N, outputs=1, output_bias=False, degree=1)
initialise = light.jit(lambda net, scheme, key: net.init(key, scheme), static_argnums=(0, 1))


def start(net: Any, scheme: Any, seed: int = 0) -> Any:
    return jax.tree.map(lambda leaf: np.asarray(leaf, np.float64), initialise(net, scheme, streams.root(seed)))


# -- weights of size one ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [6, 300])
def test_weights_are_of_size_one_whatever_the_fan_in(n: int):
    net = ay.DisjointPolyNet(inputs=n, degree=3)
    weights = {law: start(net, ay.Unit(law=law))["factors"]["weight"] for law in ("ones", "signs", "normal")}
    np.testing.assert_array_equal(weights["ones"], 1)
    np.testing.assert_array_equal(np.abs(weights["signs"]), 1)
    assert 0 < (weights["signs"] > 0).mean() < 1


def test_normal_weights_are_standard_and_signs_are_fair():
    wide = ay.PolyNet(inputs=500, degree=10)
    normal, signs = (start(wide, ay.Unit(law=law))["factors"] for law in ("normal", "signs"))
    assert stats.kstest(normal["weight"].ravel(), "norm").pvalue > 1e-3
    assert stats.binomtest(int((signs["weight"] > 0).sum()), signs["weight"].size).pvalue > 1e-3
    assert not normal["bias"].any()


@pytest.mark.parametrize("law", ["ones", "signs", "normal"])
@pytest.mark.parametrize("batch", [1, 8])
def test_sgd_on_a_disjoint_polynet_is_its_update_rule(law: str, batch: int):
    """w_i <- w_i + eta E_batch[y prod_{j != i} (w_j . x_j) x_i], step after step."""
    n, k, eta, steps = 6, 2, 0.05, 7
    trial = ay.Trial(
        task=ay.DisjointParity(n=n, k=k), net=ay.DisjointPolyNet(), init=ay.Unit(law=law), loss=ay.Correlation(),
        optimiser=ay.SGD(learning_rate=eta), batch=batch, budget=steps, solve=None, seed=3,
        record=ay.Record(measures=("weights/snapshot",), every=1),
    )  # fmt: skip
    path = results(Xla(threads=1), [trial])[trial.identity].arrays["weights/snapshot.factors.weight"]
    assert path.shape == (steps + 1, k, n // k)
    w, keys = path[0].astype(np.float64), streams.streams(trial.seed)
    for t in range(steps):
        x, y = trial.data.batch(trial.task, trial.task.secret(trial.seed), keys, t, batch)
        blocks = np.asarray(x, np.float64).reshape(batch, k, n // k)
        sums = np.einsum("bki,ki->bk", blocks, w)
        w = w + eta * np.mean(np.asarray(y)[:, None, None] * sums[:, ::-1, None] * blocks, axis=0)  # k = 2
        np.testing.assert_allclose(path[t + 1], w, rtol=1e-5, atol=1e-5)


# -- mirrored neurons ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_mirrored_neurons_cancel(seed: int):
    params = initialise(NET, ay.Mirrored(degree=4), streams.root(seed))
    np.testing.assert_array_equal(light.jit(NET.apply)(params, cube(N).astype(np.float32)), 0)
    hidden, output = start(NET, ay.Mirrored(degree=4), seed).values()
    np.testing.assert_array_equal(np.abs(hidden["weight"]), 1)
    np.testing.assert_array_equal(hidden["weight"][: R // 2], hidden["weight"][R // 2 :])
    np.testing.assert_array_equal(hidden["bias"][: R // 2], hidden["bias"][R // 2 :])
    np.testing.assert_array_equal(output["weight"][0, : R // 2], -output["weight"][0, R // 2 :])
    assert len(np.unique(hidden["weight"], axis=0)) > R // 4  # the pairs themselves differ


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_biases_are_uniform_on_the_grid(degree: int):
    wide = NET.replace(width=8000)
    bias = start(wide, ay.Mirrored(degree=degree))["hidden_1"]["bias"][:4000]
    grid = np.arange(-degree + 1, degree) / degree
    found, counts = np.unique(np.round(bias * degree), return_counts=True)
    np.testing.assert_allclose(found / degree, grid)
    np.testing.assert_allclose(np.abs(bias[:, None] - grid).min(axis=1), 0, atol=1e-6)
    assert degree == 1 or stats.chisquare(counts).pvalue > 1e-3


def test_an_odd_width_leaves_one_neuron_without_partner():
    hidden, output = start(NET.replace(width=7), ay.Mirrored()).values()
    np.testing.assert_array_equal(hidden["weight"][:3], hidden["weight"][4:])
    np.testing.assert_array_equal(output["weight"][0, :3], -output["weight"][0, 4:])


def test_the_first_population_gradient_is_the_one_of_lemma_3():
    """-u_i xi_{k-1} chi_{S - j}(w_i) / 2 at the hidden coordinates, -u_i xi_{k+1} chi_{S + j}(w_i) / 2 at the others, 0
    in the biases; with the hinge loss, since f = 0."""
    params = initialise(NET, ay.Mirrored(degree=K), streams.root(1))
    x = cube(N).astype(np.float32)
    y = np.prod(x[:, :K], axis=1)
    loss = lambda p: jnp.mean(ay.Hinge().each(NET.apply(p, jnp.asarray(x)), jnp.asarray(y)))  # noqa: E731
    gradient = light.jit(jax.grad(loss))(params)["hidden_1"]
    u = np.asarray(params["output"]["weight"][0], np.float64)
    expected = [u[i] * sign_neuron_gradient(np.asarray(params["hidden_1"]["weight"][i]), range(K))[0] for i in range(R)]
    np.testing.assert_allclose(gradient["weight"], np.array(expected), atol=1e-6)
    np.testing.assert_allclose(gradient["bias"], 0, atol=1e-6)


@pytest.mark.slow
def test_one_step_on_the_first_layer_and_then_the_second_alone_learn_a_parity():
    """The schedule of Theorem 4 on the whole population, n = 13, k = 2: the first step leaves 1/(2k) on the hidden
    coordinates of each neuron; the second layer alone then solves the task. Without the first step it does not."""
    n, eta = 13, 1.0
    first = 1 / (K * abs(majority_coefficient_float(n, K - 1))) / eta
    still = {"learning_rate": 0.0, "weight_decay": 0.0}
    second = (ay.Rate(layer="output", learning_rate=0, stop=1), ay.Rate(layer="output", weight_decay=0, start=1))
    rates = (
        ay.Rate(layer="hidden_1", array="weight", learning_rate=first, stop=1),
        ay.Rate(layer="hidden_1", array="bias", learning_rate=first, weight_decay=0, stop=1),
        ay.Rate(layer="hidden_1", **still, start=1),
    )
    trial = ay.Trial(
        task=ay.Parity(n=n, k=K), net=ay.MLP(width=64, output_bias=False), init=ay.Mirrored(degree=K),
        optimiser=ay.SGD(learning_rate=eta, weight_decay=1.0, decay="paper", rates=rates + second),
        data=ay.Population(), batch="all", budget=400,
        record=ay.Record(measures=("weights/first_layer",), steps=(0, 1)),
    )  # fmt: skip
    frozen = (ay.Rate(layer="hidden_1", **still),)
    without = trial.replace(optimiser=trial.optimiser.replace(rates=frozen + second))
    found = results(Xla(threads=1), [trial, without])
    learnt = found[trial.identity]
    assert learnt.outcome == "solved"
    assert found[without.identity].outcome == "censored"
    _, after, last = learnt.arrays["weights/first_layer"]
    np.testing.assert_allclose(np.abs(after[:, :K]), 1 / (2 * K), rtol=1e-4)
    np.testing.assert_allclose(np.abs(after[:, K:]), (K - 1) / (n - K) / (2 * K), rtol=1e-3)  # xi_{k+1} / xi_{k-1}
    np.testing.assert_array_equal(last, after)
