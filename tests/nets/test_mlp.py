"""The multi-layer perceptron: its formula in numpy, its size, and the parities that it can represent (spec 2, 2.1)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.nets.activations import oscillating_coefficients
from tests import light

apply = light.jit(lambda net, params, x: net.apply(params, x), static_argnums=0)


def random_params(net: ay.Net) -> dict[str, dict[str, np.ndarray]]:
    return light.normal_params(net, scale=0.3)


def numpy_sigma(name: str, k: int) -> Callable[[np.ndarray], np.ndarray]:
    return {
        "relu": lambda z: np.maximum(z, 0),
        "power": lambda z: z**k,
        "polynomial": lambda z: np.polyval(oscillating_coefficients(k), z),
        "sinusoid": lambda z: np.cos(np.pi / 2 * (z - k)),
        "triangle": lambda z: 2 / np.pi * np.arcsin(np.cos(np.pi / 2 * (z - k))),
        "zigzag": lambda z: np.where(
            np.abs(z) <= k, 2 / np.pi * np.arcsin(np.cos(np.pi / 2 * (z - k))),
            np.sign(z) ** k * (1 + np.abs(z) - k),
        ),
    }[name]  # fmt: skip


def by_hand(net: ay.MLP, params: Any, x: np.ndarray) -> np.ndarray:
    """One example after the other, in float64."""
    answers = []
    for h in x.astype(np.float64):
        for i in range(net.depth):
            layer = params[f"hidden_{i + 1}"]
            z = layer["weight"].astype(np.float64) @ h + layer.get("bias", 0.0)
            h = numpy_sigma(net.activation, net.degree or 1)(net.scale * z)
        answers.append(params["output"]["weight"].astype(np.float64) @ h + params["output"].get("bias", 0.0))
    answers = np.array(answers)
    return answers[:, 0] if net.outputs == 1 else answers


@pytest.mark.parametrize(
    "fields",
    [
        {"activation": "relu"},
        {"activation": "relu", "depth": 3},
        {"activation": "relu", "outputs": 3, "depth": 2},
        {"activation": "relu", "hidden_bias": False},
        {"activation": "relu", "output_bias": False, "outputs": 2},
        {"activation": "power"},
        {"activation": "power", "depth": 2, "degree": 2},
        {"activation": "zigzag", "scale": 4.0},
        {"activation": "triangle", "scale": 4.0},
        {"activation": "polynomial"},
        {"activation": "sinusoid", "scale": 2.0},
    ],
    ids=str,
)
def test_outputs_are_the_formula(fields: dict[str, Any]):
    usual: dict[str, Any] = {"width": 7, "inputs": 9, "outputs": 1, "degree": 3}
    net = ay.MLP(**usual | fields)
    params = random_params(net)
    x = np.random.default_rng(0).choice([-1.0, 1.0], size=(11, 9)).astype(np.float32)
    answers = apply(net, params, x)
    assert answers.dtype == np.float32
    np.testing.assert_allclose(answers, by_hand(net, params, x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("n", "r"), [(50, 10), (30, 1), (2, 1000)])
def test_one_hidden_layer_has_r_times_n_plus_2_plus_1_parameters(n: int, r: int):
    net = ay.MLP(width=r, inputs=n, outputs=1)
    assert net.size == r * (n + 2) + 1 == sum(array.size for array in jax.tree.leaves(random_params(net)))


@pytest.mark.parametrize("hidden_bias", [True, False])
@pytest.mark.parametrize("output_bias", [True, False])
def test_the_size_counts_the_arrays_there_are(hidden_bias: bool, output_bias: bool):
    net = ay.MLP(width=5, depth=3, inputs=7, outputs=2, hidden_bias=hidden_bias, output_bias=output_bias)
    params = random_params(net)
    assert net.size == sum(array.size for array in jax.tree.leaves(params))
    assert ("bias" in params["hidden_2"], "bias" in params["output"]) == (hidden_bias, output_bias)


# -- what it can represent -------------------------------------------------------------------------------------------


def on(subset: tuple[int, ...], n: int) -> np.ndarray:
    return np.isin(np.arange(n), subset).astype(np.float32)


def parity(subset: tuple[int, ...], n: int) -> np.ndarray:
    return np.prod(cube(n)[:, list(subset)], axis=1)


@pytest.mark.parametrize("subset", [(3,), (0, 4), (1, 2, 5), (0, 2, 3, 6), (0, 1, 2, 3, 4, 5, 6)])
def test_k_relus_and_an_output_bias_are_a_parity(subset: tuple[int, ...]):
    """With m = number of +1 in S: (-1)^m = 1 - 2m + 4(m-1)_+ - 4(m-2)_+ + ..., and chi_S = (-1)^k (-1)^m."""
    n, k = 7, len(subset)
    net = ay.MLP(width=k, inputs=n, outputs=1)
    j = np.arange(k)
    u = np.where(j == 0, -2.0, 4.0 * (-1.0) ** (j + 1))
    params = {
        "hidden_1": {"weight": np.tile(on(subset, n) / 2, (k, 1)), "bias": np.float32(k / 2 - j)},
        "output": {"weight": np.array([(-1) ** k * u], np.float32), "bias": np.array([(-1) ** k], np.float32)},
    }
    np.testing.assert_array_equal(apply(net, params, cube(n).astype(np.float32)), parity(subset, n))


def test_two_relus_without_output_bias_are_no_parity_of_two():
    """u1 g - |u2| h > 0 at both even points and < 0 at both odd ones is impossible (spec 2): no draw of weights is."""
    net = ay.MLP(width=2, inputs=2, outputs=1, output_bias=False)
    rng = np.random.default_rng(0)
    answers = light.jit(jax.vmap(net.apply, (0, None)))(
        {
            "hidden_1": {"weight": rng.normal(size=(20_000, 2, 2)).astype(np.float32),
                         "bias": rng.normal(size=(20_000, 2)).astype(np.float32)},
            "output": {"weight": rng.normal(size=(20_000, 1, 2)).astype(np.float32)},
        },
        cube(2).astype(np.float32),
    )  # fmt: skip
    right = np.asarray(answers) * parity((0, 1), 2) > 0
    assert right.sum(axis=1).max() == 3


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_powers_are_a_parity_by_polarisation(k: int):
    """x_1 ... x_k = 1/(2^k k!) sum over signs s of s_1 ... s_k (s.x)^k."""
    n = 6
    subset = tuple(range(1, k + 1))
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=k)), np.float32)
    weight = np.zeros((2**k, n), np.float32)
    weight[:, list(subset)] = signs
    net = ay.MLP(width=2**k, activation="power", degree=k, inputs=n, outputs=1, hidden_bias=False)
    u = np.prod(signs, axis=1) / (2**k * math.factorial(k))
    params = {
        "hidden_1": {"weight": weight},
        "output": {"weight": np.array([u], np.float32), "bias": np.zeros(1, np.float32)},
    }
    np.testing.assert_allclose(apply(net, params, cube(n).astype(np.float32)), parity(subset, n), rtol=0, atol=1e-5)


def test_a_power_below_the_order_of_the_parity_has_no_correlation_with_it():
    net = ay.MLP(width=10, activation="power", degree=2, inputs=8, outputs=1)
    answers = np.asarray(apply(net, random_params(net), cube(8).astype(np.float32)), np.float64)
    assert abs(np.mean(answers * parity((0, 3, 5), 8))) < 1e-7
    assert abs(np.mean(answers * parity((0, 3), 8))) > 1e-4


# -- what the task determines ----------------------------------------------------------------------------------------


def test_what_is_left_out_is_the_tasks():
    net: Any = ay.MLP(width=3, activation="power").completed(ay.Parity(n=20, k=4))
    assert (net.inputs, net.outputs, net.degree) == (20, 1, 4)
    given: Any = ay.MLP(width=3, activation="power", degree=2, outputs=2).completed(ay.Parity(n=20, k=4))
    assert (given.inputs, given.outputs, given.degree) == (20, 2, 2)


def test_a_relu_net_is_the_same_for_every_order():
    nets = {ay.MLP(width=3, degree=degree).completed(ay.Parity(n=20, k=k)) for k in (1, 4) for degree in (None, 7)}
    assert len(nets) == 1


def test_a_task_without_an_order_needs_one_given(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ay.Parity, "degree", None)
    with pytest.raises(ConfigError, match=r"mlp\.degree must be given, since task parity has no degree"):
        ay.MLP(width=3, activation="power").completed(ay.Parity(n=5, k=2))
    relu: Any = ay.MLP(width=3).completed(ay.Parity(n=5, k=2))
    assert relu.inputs == 5
