"""The population gradient identity, its closed form for sign weights, and label noise (spec 4.1, claims T5 and T15)."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths.cube import cube, linear_form
from assay.maths.fourier import fourier_coefficients
from assay.theory.parity import (
    fourier_gap,
    ltf_coefficient,
    majority_gap,
    population_gradient,
    population_gradient_by_enumeration,
    sign_neuron_gradient,
)
from assay.theory.parity.noise import noise_factor, noisy_correlation


def step(z: np.ndarray) -> np.ndarray:
    return z > 0


DERIVATIVES: list[Callable[[np.ndarray], np.ndarray]] = [step, np.cos, lambda z: 4 * z**3]


@pytest.mark.parametrize("derivative", DERIVATIVES)
@pytest.mark.parametrize(("n", "k"), [(5, 1), (8, 3), (12, 4), (6, 6)])
def test_the_gradient_is_made_of_fourier_coefficients(n: int, k: int, derivative: Callable[[np.ndarray], np.ndarray]):
    rng = np.random.default_rng(n)
    for _ in range(3):
        weights, bias = rng.normal(size=n), float(rng.normal())
        subset = rng.permutation(n)[:k].tolist()
        by_weight, by_bias = population_gradient(weights, bias, subset, derivative)
        expected_weight, expected_bias = population_gradient_by_enumeration(weights, bias, subset, derivative)
        scale = 1 + np.abs(expected_weight).max()
        np.testing.assert_allclose(by_weight, expected_weight, rtol=0, atol=1e-12 * scale)
        assert by_bias == pytest.approx(expected_bias, abs=1e-12 * scale)


def test_the_gradient_is_the_slope_of_the_correlation_loss():
    rng = np.random.default_rng(3)
    n, subset = 7, [1, 4, 5]
    point = rng.normal(size=n + 1)
    label = np.prod(cube(n)[:, subset], axis=1)

    def loss(at: np.ndarray) -> float:
        return float(np.mean(-label * np.sin(cube(n) @ at[:n] + at[n])))

    width = 1e-5
    steps = width * np.eye(n + 1)
    slopes = [(loss(point + each) - loss(point - each)) / (2 * width) for each in steps]
    by_weight, by_bias = population_gradient(point[:n], point[n], subset, np.cos)
    np.testing.assert_allclose([*by_weight, by_bias], slopes, rtol=0, atol=1e-9)


@pytest.mark.parametrize("bias", [0.0, -0.99, 0.99])
def test_a_threshold_of_sign_weights_is_half_a_majority(bias: float):
    n = 7
    signs = np.random.default_rng(0).choice([-1, 1], size=n)
    spectrum = fourier_coefficients(np.where(linear_form(signs, bias) > 0, 1, 0))
    for size in range(n + 1):
        for subset in itertools.combinations(range(n), size):
            mask = sum(1 << i for i in subset)
            assert ltf_coefficient(signs, subset) == pytest.approx(spectrum[mask], abs=1e-14)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [7, 11, 13])
def test_the_gradient_of_a_sign_neuron_is_the_closed_form(n: int, k: int):
    rng = np.random.default_rng(k)
    points = cube(n)
    for _ in range(20 if n == 13 else 5):
        signs, subset = rng.choice([-1, 1], size=n), rng.permutation(n)[:k].tolist()
        bias, output_weight = rng.integers(1 - k, k) / k, rng.choice([-1, 1])
        active = points @ signs + bias > 0
        correlated = output_weight * np.prod(points[:, subset], axis=1) * active
        by_weight, by_bias = sign_neuron_gradient(signs, subset)
        np.testing.assert_allclose(output_weight * by_weight, -(correlated @ points) / 2**n, rtol=0, atol=1e-12)
        assert output_weight * by_bias == pytest.approx(-correlated.mean(), abs=1e-12)
        if k % 2 == 0:
            assert by_bias == 0


def test_a_parity_of_all_coordinates_has_no_irrelevant_ones():
    signs = np.array([1, -1, -1])
    by_weight, by_bias = sign_neuron_gradient(signs, range(3))
    expected = population_gradient_by_enumeration(signs, 0.5, range(3), step)
    np.testing.assert_allclose(by_weight, expected[0], rtol=0, atol=1e-15)
    assert by_bias == pytest.approx(expected[1], abs=1e-15)


def test_the_largest_gradients_of_a_sign_neuron_are_the_hidden_subset_where_no_cube_fits():
    n, subset = 101, [3, 50, 77, 100]
    signs = np.random.default_rng(1).choice([-1, 1], size=n)
    size = np.abs(sign_neuron_gradient(signs, subset)[0])
    assert set(np.argsort(size)[-4:].tolist()) == set(subset)
    relevant = np.isin(np.arange(n), subset)
    gap = size[relevant].min() - size[~relevant].max()
    assert gap == pytest.approx(float(majority_gap(n, 4)) / 2, rel=1e-10)


def test_the_gap_of_a_function_is_negative_where_supersets_are_larger():
    spectrum = np.zeros(32)
    spectrum[0b00001], spectrum[0b00010], spectrum[0b10011] = 0.5, -0.25, 0.75
    assert fourier_gap(spectrum, (0, 1)) == pytest.approx(0.25 - 0.75)
    spectrum[0b10011] = 0
    assert fourier_gap(spectrum, (0, 1)) == pytest.approx(0.25)


@pytest.mark.parametrize("flip", [0.0, 0.1, 0.49, 0.5])
def test_label_noise_scales_correlations_gradients_and_the_gap_by_one_minus_2p(flip: float):
    n, subset = 9, (0, 3)
    weights = np.random.default_rng(5).uniform(-1, 1, size=n)
    response = (linear_form(weights, 0.1) > 0).astype(np.float64)
    rho = noise_factor(flip)
    assert rho == pytest.approx(1 - 2 * flip)
    clean, clean_bias = population_gradient(weights, 0.1, subset, step)
    noisy = np.array([-noisy_correlation(x_i * response, subset, flip) for x_i in cube(n).T])
    np.testing.assert_allclose(noisy, rho * clean, rtol=0, atol=1e-15)
    assert -noisy_correlation(response, subset, flip) == pytest.approx(rho * clean_bias, abs=1e-15)
    relevant = np.isin(np.arange(n), subset)
    gap = np.abs(noisy[relevant]).min() - np.abs(noisy[~relevant]).max()
    assert gap == pytest.approx(rho * fourier_gap(fourier_coefficients(response), subset), abs=1e-15)


@pytest.mark.parametrize("flip", [-0.1, 0.6])
def test_a_flip_probability_out_of_range_is_refused(flip: float):
    for query in (noise_factor, lambda flip: noisy_correlation(np.ones(4), (0,), flip)):
        with pytest.raises(ConfigError, match=r"flip must be between 0 and 0\.5"):
            query(flip)


@pytest.mark.parametrize("subset", [(0, 0), (7,)])
def test_a_subset_that_does_not_fit_is_refused(subset: tuple[int, ...]):
    signs = np.ones(7)
    for query in (
        lambda: population_gradient(signs, 0.0, subset, step),
        lambda: population_gradient_by_enumeration(signs, 0.0, subset, step),
        lambda: ltf_coefficient(signs, subset),
        lambda: sign_neuron_gradient(signs, subset),
    ):
        with pytest.raises(ConfigError, match="subset must be distinct coordinates between 0 and 6"):
            query()


def test_an_empty_subset_has_no_gradient_to_tell_it_and_no_gap():
    with pytest.raises(ConfigError, match="of 1 to 5 coordinates"):
        sign_neuron_gradient(np.ones(5), ())
    for subset in ((), range(5)):
        with pytest.raises(ConfigError, match="of 1 to 4 coordinates"):
            fourier_gap(np.zeros(32), subset)


def test_weights_that_are_no_signs_and_an_even_number_of_them_are_refused():
    with pytest.raises(ConfigError, match=r"signs must be -1 or \+1 in every entry, got 0\.5"):
        ltf_coefficient(np.array([1, 0.5, 1]), (0,))
    with pytest.raises(ConfigError, match="n must be odd"):
        sign_neuron_gradient(np.ones(6), (0, 1))
