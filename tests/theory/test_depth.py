"""Gradients of deep quadratic nets, and nets that are parities (spec 4.13, claim T16)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.maths.fourier import character
from assay.theory.parity.depth import QuadraticNet, gradient_by_degree, random_net, sensitivity_by_degree, tower

N = 6


def largest_by_differences(net: QuadraticNet, k: int) -> float:
    """Over all first-layer weights and all S of size k, central differences of E[-chi_S f]; f is a polynomial of low
    degree in each weight, so that a wide step is exact up to its third derivative."""
    x = cube(N).astype(float)
    labels = np.stack([character(N, mask) for mask in range(1 << N) if mask.bit_count() == k]).astype(float)
    step, worst = 1e-5, 0.0
    for place in np.ndindex(net.weights[0].shape):
        moved = []
        for sign in (1, -1):
            first = net.weights[0].copy()
            first[place] += sign * step
            shifted = dataclasses.replace(net, weights=[first, *net.weights[1:]])
            moved.append(-labels @ shifted(x) / len(x))
        worst = max(worst, float(np.abs((moved[0] - moved[1]) / (2 * step)).max()))
    return worst


@pytest.mark.parametrize("widths", [(4,), (2, 1), (3, 2, 1)])
def test_the_gradient_is_that_of_the_correlation_loss(widths: tuple[int, ...]):
    net = random_net(N, widths, np.random.default_rng(0))
    found = gradient_by_degree(net)
    for k in range(1, N + 1):
        assert found[k] == pytest.approx(largest_by_differences(net, k), abs=1e-8)


@pytest.mark.parametrize(("widths", "degree"), [((4,), 2), ((2, 1), 4), ((3, 2, 1), 8)])
def test_it_is_zero_beyond_the_degree_of_the_net_and_nowhere_below(widths: tuple[int, ...], degree: int):
    net = random_net(9, widths, np.random.default_rng(1))
    found, factor = gradient_by_degree(net), sensitivity_by_degree(net)
    assert found[degree + 1 :].max() <= 1e-15
    assert found[1 : degree + 1].min() > 1e-6
    assert np.flatnonzero(factor > 1e-15).max() == degree - 2


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_a_tower_is_the_parity_of_its_inputs(levels: int):
    net, x = tower(levels), cube(2**levels)
    np.testing.assert_array_equal(net(x), np.prod(x, axis=1, dtype=float))
    assert [len(bias) for bias in net.biases] == [2 ** (levels - i) for i in range(1, levels + 1)]
    assert (net(x) - net.constant >= 0).all()


def test_weights_are_those_of_the_default_initialisation():
    net = random_net(16, (200, 3), np.random.default_rng(0))
    assert np.abs(net.weights[0]).max() == pytest.approx(1 / 4, rel=0.01)
    assert np.abs(net.weights[1]).max() == pytest.approx(200**-0.5, rel=0.01)
    assert abs(net.constant) <= 3**-0.5


def test_what_makes_no_net_is_refused():
    with pytest.raises(ConfigError, match="widths"):
        random_net(4, (), np.random.default_rng(0))
    with pytest.raises(ConfigError, match="levels"):
        tower(0)
