"""One neuron: its formula, its size, and that weights 1 on S make it a parity (spec 2.2 to 2.5)."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.maths.cube import cube
from assay.nets.activations import ACTIVATIONS
from tests import light

OSCILLATING = ("zigzag", "polynomial", "triangle", "sinusoid")

apply = light.jit(lambda net, params, x: net.apply(params, x), static_argnums=0)


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("second_layer", [False, True])
def test_outputs_are_the_formula(second_layer: bool, scale: float):
    net = ay.Neuron(activation="sinusoid", inputs=6, degree=2, second_layer=second_layer, scale=scale)
    rng = np.random.default_rng(0)
    w, b, u, c = rng.normal(size=6), rng.normal(), rng.normal(), rng.normal()
    params: dict[str, Any] = {"neuron": {"weight": np.float32(w), "bias": np.float32(b)}}
    expected = np.cos(np.pi / 2 * (scale * (cube(6) @ w + b) - 2))
    if second_layer:
        params["output"] = {"weight": np.float32(u), "bias": np.float32(c)}
        expected = u * expected + c
    np.testing.assert_allclose(apply(net, params, cube(6).astype(np.float32)), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", OSCILLATING)
@pytest.mark.parametrize("subset", [(2,), (0, 5), (1, 2, 6), (0, 1, 2, 3), (0, 1, 2, 3, 4, 5, 6)])
def test_weights_one_on_the_subset_make_it_a_parity(name: str, subset: tuple[int, ...]):
    weight = np.isin(np.arange(7), subset).astype(np.float32)
    expected = np.prod(cube(7)[:, list(subset)], axis=1)
    net = ay.Neuron(activation=name, inputs=7, degree=len(subset))
    params = {"neuron": {"weight": weight, "bias": np.float32(0)}}
    np.testing.assert_allclose(apply(net, params, cube(7).astype(np.float32)), expected, rtol=0, atol=1e-5)


def test_an_argument_scaled_by_two_wants_half_the_weights():
    net = ay.Neuron(activation="sinusoid", inputs=5, degree=3, scale=2.0)
    params = {"neuron": {"weight": np.array([0.5, 0.5, 0.5, 0, 0], np.float32), "bias": np.float32(0)}}
    expected = np.prod(cube(5)[:, :3], axis=1)
    np.testing.assert_allclose(apply(net, params, cube(5).astype(np.float32)), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(("second_layer", "size"), [(False, 31), (True, 33)])
def test_the_size_is_n_plus_1_or_n_plus_3(second_layer: bool, size: int):
    net = ay.Neuron(inputs=30, degree=3, second_layer=second_layer)
    params = light.normal_params(net)
    assert net.size == size == sum(array.size for array in jax.tree.leaves(params))


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_a_neuron_is_a_net_of_width_one(name: str):
    """With the same weights: settings (vii) to (x) are two-layer nets."""
    neuron = ay.Neuron(activation=name, inputs=6, degree=2, second_layer=True)
    wide = ay.MLP(width=1, activation=name, inputs=6, outputs=1, degree=2)
    params = light.normal_params(neuron)
    first, second = params["neuron"], params["output"]
    same = {
        "hidden_1": {"weight": first["weight"][None], "bias": np.array([first["bias"]])},
        "output": {"weight": np.array([[second["weight"]]]), "bias": np.array([second["bias"]])},
    }
    x = jnp.asarray(cube(6), jnp.float32)
    np.testing.assert_allclose(apply(neuron, params, x), apply(wide, same, x), rtol=1e-5, atol=1e-5)
