"""PolyNet and disjoint-PolyNet: products of linear factors, their gradients, and the parities they are (spec 2.7)."""

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

apply = light.jit(lambda net, params, x: net.apply(params, x), static_argnums=0)


def random_params(net: ay.Net) -> Any:
    return light.normal_params(net)


@pytest.mark.parametrize(("n", "k"), [(5, 1), (6, 2), (7, 4)])
def test_a_polynet_is_the_product_of_its_factors(n: int, k: int):
    net = ay.PolyNet(inputs=n, degree=k)
    params = random_params(net)
    w, b = params["factors"]["weight"].astype(np.float64), params["factors"]["bias"]
    assert w.shape == (k, n)
    expected = np.prod(cube(n) @ w.T + b, axis=1)
    np.testing.assert_allclose(apply(net, params, cube(n).astype(np.float32)), expected, rtol=1e-5, atol=1e-5)
    assert net.size == k * (n + 1) == w.size + b.size


def test_unit_vectors_of_the_subset_make_it_a_parity():
    subset = [0, 3, 4]
    net = ay.PolyNet(inputs=6, degree=3)
    params = {"factors": {"weight": np.eye(6, dtype=np.float32)[subset], "bias": np.zeros(3, np.float32)}}
    answers = apply(net, params, cube(6).astype(np.float32))
    np.testing.assert_array_equal(answers, np.prod(cube(6)[:, subset], axis=1))


@pytest.mark.parametrize("zeros", [(), (1,), (0, 2)])
def test_the_gradient_of_a_factor_is_the_product_of_the_others_also_where_some_are_zero(zeros: tuple[int, ...]):
    rng = np.random.default_rng(1)
    weight = rng.integers(-2, 3, size=(3, 5)).astype(np.float32)
    x = np.array([1, -1, 1, 1, -1], np.float32)
    factors = np.array([0.0 if i in zeros else 1.5 + i for i in range(3)])
    bias = (factors - weight @ x).astype(np.float32)
    net = ay.PolyNet(inputs=5, degree=3)
    gradient = jax.grad(lambda p: net.apply(p, jnp.asarray(x)[None])[0])({"factors": {"weight": weight, "bias": bias}})
    others = np.array([np.prod(np.delete(factors, i)) for i in range(3)])
    np.testing.assert_array_equal(gradient["factors"]["bias"], others)
    np.testing.assert_array_equal(gradient["factors"]["weight"], others[:, None] * x)


@pytest.mark.parametrize(("n", "k"), [(6, 1), (6, 3), (8, 2), (5, 5)])
def test_a_disjoint_polynet_is_the_product_over_its_blocks(n: int, k: int):
    net = ay.DisjointPolyNet(inputs=n, degree=k)
    params = random_params(net)
    w = np.asarray(params["factors"]["weight"], np.float64)
    assert list(params) == ["factors"]
    assert list(params["factors"]) == ["weight"]
    expected = np.ones(2**n)
    for i in range(k):
        expected *= cube(n)[:, i * n // k : (i + 1) * n // k] @ w[i]
    np.testing.assert_allclose(apply(net, params, cube(n).astype(np.float32)), expected, rtol=1e-5, atol=1e-5)
    assert net.size == n == w.size


def test_a_one_in_each_block_makes_it_a_disjoint_parity():
    task = ay.DisjointParity(n=9, k=3, subset="random")
    subset = list(task.coordinates(4))
    weight = np.isin(np.arange(9), subset).astype(np.float32).reshape(3, 3)
    answers = apply(ay.DisjointPolyNet(inputs=9, degree=3), {"factors": {"weight": weight}}, cube(9).astype(np.float32))
    np.testing.assert_array_equal(answers, np.prod(cube(9)[:, subset], axis=1))


@pytest.mark.parametrize("net", [ay.PolyNet(), ay.DisjointPolyNet()], ids=lambda net: net.kind)
def test_the_number_of_factors_is_the_tasks_order(net: Any):
    completed = net.completed(ay.Parity(n=12, k=4))
    assert (completed.inputs, completed.degree) == (12, 4)


def test_inputs_that_do_not_fall_into_blocks_are_refused():
    with pytest.raises(ConfigError, match=r"disjoint-polynet\.inputs must be a multiple of degree = 3, got 10"):
        ay.DisjointPolyNet().completed(ay.Parity(n=10, k=3))
