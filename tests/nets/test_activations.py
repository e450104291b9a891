"""Activations against the closed forms of spec 2.1 to 2.5, in float64 numpy."""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.nets.activations import ACTIVATIONS, oscillating_coefficients

OSCILLATING = ("zigzag", "polynomial", "triangle", "sinusoid")
DEGREES = (1, 2, 3, 4, 5, 8)


def at(name: str, z: Any, k: int) -> np.ndarray:
    return values_and_slopes(name, z, k)[0]


def slopes(name: str, z: Any, k: int) -> np.ndarray:
    return values_and_slopes(name, z, k)[1]


def values_and_slopes(name: str, z: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Of 201 numbers each time, so that no operation is compiled twice."""
    padded = np.zeros(201, np.float32)
    padded[: len(z)] = z
    found, pull_back = jax.vjp(lambda at: ACTIVATIONS[name](at, k), jnp.asarray(padded))
    (derivative,) = pull_back(jnp.ones(201, jnp.float32))
    return np.asarray(found, np.float64)[: len(z)], np.asarray(derivative, np.float64)[: len(z)]


def grid(low: float, high: float) -> np.ndarray:
    """201 numbers that are exact in float32, few of them on a kink."""
    return np.linspace(low, high, 201).astype(np.float32).astype(np.float64)


# -- the points that all oscillating activations go through ----------------------------------------------------------


@pytest.mark.parametrize("k", DEGREES)
@pytest.mark.parametrize("name", OSCILLATING)
def test_oscillating_activations_alternate_on_the_points(name: str, k: int):
    j = np.arange(k + 1)
    np.testing.assert_allclose(at(name, k - 2 * j, k), (-1.0) ** j, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["triangle", "sinusoid"])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_the_infinite_ones_have_period_four_and_are_one_at_k(name: str, k: int):
    z = grid(-6, 6)
    np.testing.assert_allclose(at(name, z + 4, k), at(name, z, k), rtol=0, atol=1e-5)
    np.testing.assert_allclose(at(name, z + 2, k), -at(name, z, k), rtol=0, atol=1e-5)
    assert at(name, [k], k)[0] == 1


# -- zigzag, triangle, sinusoid --------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", DEGREES)
def test_zigzag_joins_the_points_by_straight_lines(k: int):
    points = np.arange(-k, k + 1, 2)
    z = grid(-k, k)
    np.testing.assert_allclose(
        at("zigzag", z, k), np.interp(z, points, (-1.0) ** ((k - points) // 2)), rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("k", DEGREES)
def test_the_end_pieces_of_zigzag_go_on_for_ever(k: int):
    z = grid(0.01, 50)
    np.testing.assert_allclose(at("zigzag", k + z, k), 1 + z, rtol=1e-5)
    np.testing.assert_allclose(at("zigzag", -k - z, k), (-1) ** k * (1 + z), rtol=1e-5)


@pytest.mark.parametrize("k", DEGREES)
def test_zigzag_has_k_pieces_of_slope_one_that_alternate(k: int):
    middles = k - 1 - 2 * np.arange(k)
    np.testing.assert_array_equal(slopes("zigzag", middles, k), (-1.0) ** np.arange(k))
    np.testing.assert_array_equal(slopes("zigzag", [k + 7.3, -k - 7.3], k), [1, (-1) ** (k - 1)])


@pytest.mark.parametrize("k", DEGREES)
def test_triangle_is_zigzag_between_the_points_and_a_wave_everywhere(k: int):
    z = grid(-k, k)
    np.testing.assert_array_equal(at("triangle", z, k), at("zigzag", z, k))
    far = grid(-20, 20)
    wave = 2 / np.pi * np.arcsin(np.cos(np.pi * (far - k) / 2))
    np.testing.assert_allclose(at("triangle", far, k), wave, rtol=0, atol=1e-5)


@pytest.mark.parametrize("k", DEGREES)
def test_sinusoid_is_a_sine_with_the_phase_of_the_paper(k: int):
    z = grid(-12, 12)
    phase = np.pi * (1 - k) / 2
    np.testing.assert_allclose(at("sinusoid", z, k), np.sin(np.pi * z / 2 + phase), rtol=0, atol=3e-6)
    np.testing.assert_allclose(slopes("sinusoid", z, k), np.pi / 2 * np.cos(np.pi * z / 2 + phase), rtol=0, atol=5e-6)


# -- the polynomial --------------------------------------------------------------------------------------------------

PRINTED = {  # highest power first, spec 2.3
    2: [Fraction(1, 2), 0, -1],
    3: [Fraction(1, 6), 0, -Fraction(7, 6), 0],
    4: [Fraction(1, 24), 0, -Fraction(2, 3), 0, 1],
    5: [Fraction(1, 120), 0, -Fraction(1, 4), 0, Fraction(149, 120), 0],
}


@pytest.mark.parametrize("k", PRINTED)
def test_the_polynomial_has_the_printed_monomials(k: int):
    np.testing.assert_allclose(oscillating_coefficients(k), np.array(PRINTED[k], float), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("k", [*DEGREES, 15, 20])
def test_the_polynomial_goes_through_the_points_and_has_the_parity_of_k(k: int):
    coefficients = oscillating_coefficients(k)
    assert len(coefficients) == k + 1
    assert coefficients[0] == pytest.approx(1 / factorial(k), rel=1e-9)
    assert not coefficients[1::2].any()
    z = k - 2.0 * np.arange(k + 1)
    np.testing.assert_allclose(np.polyval(coefficients, z), (-1.0) ** np.arange(k + 1), rtol=0, atol=1e-4)


def newton(z: Fraction, k: int) -> Fraction:
    """sum_j (-2)^j binom((k - z)/2, j) exactly."""
    t, binomial, total = (k - z) / 2, Fraction(1), Fraction(0)
    for j in range(k + 1):
        total += (-2) ** j * binomial
        binomial *= (t - j) / (j + 1)
    return total


@pytest.mark.parametrize("k", DEGREES)
def test_the_polynomial_is_the_newton_form_also_outside_the_points(k: int):
    z = grid(-k - 2, k + 2)
    expected = np.array([float(newton(Fraction(each), k)) for each in z])
    scale = np.polyval(np.abs(oscillating_coefficients(k)), np.abs(z))  # what float32 loses to cancellation
    assert np.all(np.abs(at("polynomial", z, k) - expected) <= 4 * k * 2**-24 * scale + 1e-9)
    derivative = np.polyval(np.polyder(oscillating_coefficients(k)), z)
    steepness = np.polyval(np.abs(np.polyder(oscillating_coefficients(k))), np.abs(z))
    assert np.all(np.abs(slopes("polynomial", z, k) - derivative) <= 4 * k * 2**-24 * steepness + 1e-9)


# -- power and relu --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", DEGREES)
def test_power_is_z_to_the_k(k: int):
    z = grid(-3, 3)
    np.testing.assert_allclose(at("power", z, k), z**k, rtol=1e-6)
    np.testing.assert_allclose(slopes("power", z, k), k * z ** (k - 1), rtol=2e-6)


@given(z=st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_relu_is_the_positive_part_whatever_the_degree(z: float):
    assert at("relu", [z], 1)[0] == max(z, 0.0)


def test_the_derivative_of_relu_is_that_of_a_step_with_zero_at_zero():
    np.testing.assert_array_equal(slopes("relu", [-1, -1e-30, 0.0, -0.0, 1e-30, 1], 3), [0, 0, 0, 0, 1, 1])


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_nan_stays_nan(name: str):
    assert np.isnan(at(name, [np.nan], 3)).all()
