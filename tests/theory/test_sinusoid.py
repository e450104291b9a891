"""Sinusoids of a linear form: closed forms against enumeration (spec 4.5, claim T17)."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.theory.parity import population_gradient_by_enumeration
from assay.theory.parity.sinusoid import cosine_coefficient, sine_coefficient, sinusoid_gradient


@pytest.mark.parametrize("phase", [0.0, 0.7, -2.0])
def test_coefficients_of_sinusoids_at_every_set(phase: float):
    n = 5
    angles = np.random.default_rng(1).normal(size=n)
    points = cube(n).astype(float)
    form = points @ angles + phase
    for size in range(n + 1):
        for subset in itertools.combinations(range(n), size):
            character = np.prod(points[:, list(subset)], axis=1)
            assert sine_coefficient(angles, phase, subset) == pytest.approx(
                np.mean(character * np.sin(form)), abs=1e-15
            )
            assert cosine_coefficient(angles, phase, subset) == pytest.approx(
                np.mean(character * np.cos(form)), abs=1e-15
            )


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 9])
def test_the_gradient_of_a_sinusoid_neuron_is_that_of_the_enumeration(k: int, scale: float):
    n, quarter = 9, np.pi / 2
    rng = np.random.default_rng(k)
    largest = 0.0
    for _ in range(10):
        weights, bias, subset = rng.uniform(-1, 1, size=n), float(rng.normal()), rng.permutation(n)[:k].tolist()
        expected = population_gradient_by_enumeration(
            weights, bias, subset, lambda z: -quarter * scale * np.sin(quarter * (scale * z - k))
        )
        found = sinusoid_gradient(weights, bias, subset, scale)
        np.testing.assert_allclose(found[0], expected[0], rtol=0, atol=1e-12)
        assert found[1] == pytest.approx(expected[1], abs=1e-12)
        largest = max(largest, np.abs(expected[0]).max())
    assert largest > 1e-3


def test_the_closed_form_needs_no_cube():
    weights = np.random.default_rng(0).uniform(-1, 1, size=200) / 200**0.5
    by_weight, _ = sinusoid_gradient(weights, 0.1, (3, 100, 199))
    relevant = np.isin(np.arange(200), (3, 100, 199))
    assert np.abs(by_weight[relevant]).min() > np.abs(by_weight[~relevant]).max() > 0


def test_a_zero_weight_leaves_only_the_sets_without_it():
    angles = np.array([0.0, 0.3, -0.4])
    assert sine_coefficient(angles, 0.0, (0, 1, 2)) == 0
    assert sine_coefficient(angles, 0.0, (1,)) == pytest.approx(np.sin(0.3) * np.cos(0.4))


@pytest.mark.parametrize("subset", [(0, 0), (3,)])
def test_a_subset_that_does_not_fit_is_refused(subset: tuple[int, ...]):
    with pytest.raises(ConfigError, match="subset must be distinct coordinates"):
        sinusoid_gradient(np.ones(3), 0.0, subset)
    with pytest.raises(ConfigError, match="subset must be distinct coordinates"):
        sine_coefficient(np.ones(3), 0.0, subset)
