"""Gaps of gradients against their definition, enumeration and the condition for their sign (spec 3.16, 3.17, 4.5)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError, UnknownName
from assay.theory.parity import fourier_gap, majority_gap, population_gradient, sign_neuron_gradient
from assay.theory.parity.gaps import WEIGHTS, relaxed_gap, strict_gap
from assay.theory.parity.sinusoid import random_gaps


def test_gaps_compare_the_subset_with_the_rest():
    gradients = np.array([[3.0, -5.0, 1.0, -4.0], [0.0, 2.0, -7.0, 1.0]])
    np.testing.assert_array_equal(relaxed_gap(gradients, (0, 1)), [1.0, -5.0])
    np.testing.assert_array_equal(strict_gap(gradients, (0, 1)), [-1.0, -7.0])
    np.testing.assert_array_equal(relaxed_gap(gradients, (1,)), strict_gap(gradients, (1,)))


def test_the_strict_gap_is_that_of_definition_1():
    """`fourier_gap` reads it off a whole spectrum; this puts one at the coefficients that a gradient is made of."""
    rng = np.random.default_rng(0)
    for subset in ((2,), (0, 4), (1, 3, 4)):
        spectrum = rng.normal(size=32)
        target = sum(1 << i for i in subset)
        gradient = spectrum[target ^ (1 << np.arange(5))]
        assert strict_gap(gradient[None], subset) == [fourier_gap(spectrum, subset)]


@pytest.mark.parametrize(("n", "k"), [(9, 2), (1001, 4)])
def test_a_sign_neuron_has_half_the_gap_of_majority(n: int, k: int):
    signs = np.random.default_rng(1).choice([-1.0, 1.0], size=n)
    gradient, _ = sign_neuron_gradient(signs, range(3, 3 + k))
    for gap in (relaxed_gap, strict_gap):
        np.testing.assert_allclose(gap(gradient[None], range(3, 3 + k)), float(majority_gap(n, k)) / 2, rtol=1e-9)


@pytest.mark.parametrize("init", WEIGHTS)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_gaps_of_random_sinusoids_are_those_of_an_enumeration(init: str, k: int):
    found = random_gaps(9, k, init, 3, np.random.default_rng(2))
    rng = np.random.default_rng(2)
    wave = np.cos if k % 2 else np.sin
    weights = [WEIGHTS[init](rng, 9) / 3 for _ in range(3)]
    gradients = np.stack([population_gradient(w, 0.0, range(k), wave)[0] for w in weights])
    np.testing.assert_allclose(found.relaxed, relaxed_gap(gradients, range(k)), rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.strict, strict_gap(gradients, range(k)), rtol=0, atol=1e-14)
    other = np.sin if k % 2 else np.cos
    assert max(np.abs(population_gradient(w, 0.0, range(k), other)[0]).max() for w in weights) < 1e-15


def test_the_sign_of_a_gap_is_decided_by_tangents():
    """Large angles: both signs occur, each where the condition says."""
    rng, subset = np.random.default_rng(3), (0, 1)
    signs = set()
    for _ in range(60):
        angles = rng.uniform(-1.5, 1.5, size=5)
        gap = relaxed_gap(population_gradient(angles, 0.0, subset, np.sin)[0][None], subset)[0]
        tangents = np.abs(np.tan(angles))
        assert (gap > 0) == (tangents[:2].min() * tangents[2:].max() < 1)
        signs.add(gap > 0)
    assert signs == {True, False}


def test_angles_below_an_eighth_of_a_turn_always_have_a_gap():
    for init in ("uniform", "sign"):  # weights of at most 1, so angles of at most 1 / sqrt(5) < pi / 4
        assert random_gaps(5, 2, init, 200, np.random.default_rng(4)).relaxed.min() > 0
    assert 1 / math.sqrt(5) < math.pi / 4


@pytest.mark.parametrize("subset", [(), (0, 1, 2), (0, 3), (0, 0)])
def test_a_subset_must_leave_and_be_something(subset: tuple[int, ...]):
    for gap in (relaxed_gap, strict_gap):
        with pytest.raises(ConfigError, match="subset"):
            gap(np.ones((1, 3)), subset)


def test_an_unknown_law_is_refused():
    with pytest.raises(UnknownName, match="law of random weights"):
        random_gaps(5, 2, "unifrom", 1, np.random.default_rng(0))
