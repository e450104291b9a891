"""The deep net of powers: its formula in numpy, and what its first layer's gradient can know of a parity."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.maths.cube import cube
from tests import light

ROWS = np.random.default_rng(0).choice([-1.0, 1.0], size=(11, 6)).astype(np.float32)
apply = light.jit(lambda net, params, x: net.apply(params, x), static_argnums=0)


def by_hand(net: ay.DeepMLP, params: Any, x: np.ndarray) -> np.ndarray:
    """One example after the other, in float64; with a head for every layer or for the last one."""
    affine = lambda name, z: params[name]["weight"].astype(np.float64) @ z + params[name]["bias"]  # noqa: E731
    answers, depth = [], len(net.widths)
    for z in x.astype(np.float64):
        heads = []
        for i in range(1, depth + 1):
            z = affine(f"hidden_{i}", z) ** net.degree
            heads.append(affine(f"output_{i}", z)[0] if net.layerwise or i == depth else 0.0)
        answers.append(sum(heads))
    return np.array(answers)


@pytest.mark.parametrize("layerwise", [False, True])
@pytest.mark.parametrize(("widths", "degree"), [((4,), 2), ((2, 1), 2), ((3, 2, 2), 3)])
def test_outputs_are_the_formula(widths: tuple[int, ...], degree: int, layerwise: bool):
    net = ay.DeepMLP(widths=widths, degree=degree, layerwise=layerwise, inputs=6)
    params = light.normal_params(net, scale=0.5)
    np.testing.assert_allclose(apply(net, params, ROWS), by_hand(net, params, ROWS), rtol=2e-5, atol=2e-5)


def test_one_hidden_layer_is_the_same_either_way():
    plain = ay.DeepMLP(widths=(5,), inputs=6)
    params = light.normal_params(plain)
    found = apply(plain.replace(layerwise=True), params, ROWS)
    np.testing.assert_array_equal(found, apply(plain, params, ROWS))


@pytest.mark.parametrize("widths", [(), (3, 0)])
def test_widths_are_one_or_more_numbers_from_1_on(widths: tuple[int, ...]):
    with pytest.raises(ConfigError, match=r"deep-mlp\.widths must be one or more whole numbers >= 1"):
        ay.DeepMLP(widths=widths)


# -- what the gradient knows: the correlation with a k-parity, over all inputs ---------------------------------------


def first_gradient(net: ay.DeepMLP, k: int, n: int = 8) -> float:
    """The largest entry of the first layer's gradient of E[-y f]."""
    x, net = jnp.asarray(cube(n), jnp.float32), net.replace(inputs=n)
    y = jnp.prod(x[:, :k], axis=1)
    gradient = light.jit(jax.grad(lambda p: jnp.mean(y * net.apply(p, x))))(light.normal_params(net, scale=0.5))
    return float(np.abs(gradient["hidden_1"]["weight"]).max())


@pytest.mark.parametrize("k", [3, 4])
def test_layer_by_layer_the_first_layer_sees_nothing_of_more_than_2_bits_that_it_sees_from_end_to_end(k: int):
    net = ay.DeepMLP(widths=(2, 1))
    assert first_gradient(net.replace(layerwise=True), k) < 1e-6 < 1e-3 < first_gradient(net, k)


def test_it_sees_two_bits_layer_by_layer_and_never_more_than_its_degree():
    net = ay.DeepMLP(widths=(2, 1))
    assert first_gradient(net.replace(layerwise=True), 2) > 1e-3
    assert first_gradient(net, 5) < 1e-5
