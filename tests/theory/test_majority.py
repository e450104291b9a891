"""Majority's spectrum: closed form against enumeration, sizes, and the gap (claims T2, T3, T4)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.maths.fourier import coefficients_of_degree
from assay.theory.parity import (
    PRINTED_SIZE_EXPONENT,
    SIZE_LIMIT,
    fourier_gap,
    gap_by_identity,
    log_majority_coefficient,
    log_majority_gap,
    majority_coefficient,
    majority_coefficient_float,
    majority_gap,
    majority_gap_bound,
    majority_spectrum,
    majority_values,
    scaled_size,
)


def test_majority_is_the_sign_of_the_sum():
    np.testing.assert_array_equal(majority_values(9), np.sign(cube(9).sum(axis=1)))


@pytest.mark.parametrize("n", range(1, 22, 2))
def test_the_closed_form_is_every_coefficient_of_its_degree(n: int):
    spectrum = majority_spectrum(n)
    for degree in range(n + 1):
        enumerated = coefficients_of_degree(spectrum, degree)
        assert len(enumerated) == math.comb(n, degree)
        np.testing.assert_allclose(enumerated, float(majority_coefficient(n, degree)), rtol=0, atol=1e-12)


def test_small_coefficients_are_the_ones_known_by_hand():
    assert [majority_coefficient(3, d) for d in range(4)] == [0, Fraction(1, 2), 0, Fraction(-1, 2)]
    assert [majority_coefficient(5, d) for d in (1, 3, 5)] == [Fraction(3, 8), Fraction(-1, 8), Fraction(3, 8)]


@pytest.mark.parametrize("n", [1, 3, 13, 101, 401])
def test_parseval_is_exact_for_the_closed_form(n: int):
    assert sum(math.comb(n, d) * majority_coefficient(n, d) ** 2 for d in range(n + 1)) == 1


@pytest.mark.parametrize("n", [1, 3, 5, 51, 401, 1001, 10_001])
def test_logarithms_agree_with_the_exact_coefficients(n: int):
    for degree in {1, 2, 3, 4, 5, n // 3, n // 3 + 1, n // 2, n // 2 + 1, n - 2, n - 1, n}:
        if not 0 <= degree <= n:
            continue
        exact = majority_coefficient(n, degree)
        sign, size = log_majority_coefficient(n, degree)
        if degree % 2 == 0:
            assert (exact, sign, size) == (0, 0, -math.inf)
            assert majority_coefficient_float(n, degree) == 0
        else:
            assert sign == (1 if exact > 0 else -1)
            logarithm = math.log(abs(exact.numerator)) - math.log(exact.denominator)
            assert size == pytest.approx(logarithm, rel=1e-13, abs=1e-11)
            assert majority_coefficient_float(n, degree) == pytest.approx(float(exact), rel=1e-11)


def test_a_coefficient_below_the_smallest_float_keeps_its_sign_and_logarithm():
    sign, size = log_majority_coefficient(10_001, 5003)
    assert majority_coefficient_float(10_001, 5003) == 0
    assert sign == -1
    assert size / math.log(10) == pytest.approx(-1507, abs=2)


@pytest.mark.parametrize(("n", "degrees"), [(1001, range(1, 10, 2)), (2 * 51**2 + 1, range(1, 52, 2))])
def test_the_weight_at_degree_d_falls_like_the_power_three_halves(n: int, degrees: range):
    sizes = [scaled_size(n, d) for d in degrees]
    assert min(sizes) >= 0.50
    assert max(sizes) <= 0.65
    assert sizes == sorted(sizes, reverse=True)
    assert all(size > SIZE_LIMIT for size in sizes)


def test_the_printed_power_two_thirds_does_not_hold_the_weight_constant():
    n, degrees = 2 * 51**2 + 1, range(1, 52, 2)
    sizes = [scaled_size(n, d, PRINTED_SIZE_EXPONENT) for d in degrees]
    assert sizes[0] / sizes[-1] > 20
    slope = np.polyfit(np.log(degrees[5:]), np.log(sizes[5:]), 1)[0]
    assert slope == pytest.approx(PRINTED_SIZE_EXPONENT - 3 / 2, abs=0.02)


def test_the_scaled_size_is_the_formula():
    for n, d in [(15, 3), (51, 7), (51, 51)]:
        exact = math.comb(n, d) * majority_coefficient(n, d) ** 2
        assert scaled_size(n, d) == pytest.approx(float(exact) * d**1.5, rel=1e-12)
        assert scaled_size(n, d, 0.0) == pytest.approx(float(exact), rel=1e-12)
    assert scaled_size(51, 4) == 0


@pytest.mark.parametrize("k", range(2, 31, 2))
def test_the_gap_identity_is_exact_and_the_bound_of_lemma_2_holds(k: int):
    for n in range(4 * k + 1, 4 * k + 401, 2):
        gap = majority_gap(n, k)
        assert gap == gap_by_identity(n, k)
        assert abs(majority_coefficient(n, k - 1)) == Fraction(n - k, k - 1) * abs(majority_coefficient(n, k + 1))
        assert float(gap) >= 21.4 * majority_gap_bound(n, k)  # the smallest ratio is 21.48, at (17, 4)


def test_the_identity_holds_below_the_range_of_the_lemma_where_the_gap_can_be_negative():
    for n, k in [(9, 4), (9, 6), (11, 6), (9, 8)]:
        assert majority_gap(n, k) == gap_by_identity(n, k)
    assert majority_gap(9, 4) > 0
    assert majority_gap(11, 6) == 0
    assert majority_gap(9, 6) < 0


@pytest.mark.parametrize(
    ("n", "k", "gap"),
    [(15, 2, 0.19336), (51, 2, 0.10998), (101, 2, 0.07879), (15, 4, 0.01172), (51, 4, 0.002145), (51, 6, 1.30e-4)],
)
def test_gaps_have_their_known_values(n: int, k: int, gap: float):
    assert float(majority_gap(n, k)) == pytest.approx(gap, rel=4e-3)


@pytest.mark.parametrize(("n", "k"), [(9, 2), (13, 4)])
def test_the_gap_is_the_one_of_definition_1_at_every_set(n: int, k: int):
    spectrum = majority_spectrum(n)
    for subset in (range(k), range(n - k, n), range(0, 2 * k, 2)):
        assert fourier_gap(spectrum, subset) == pytest.approx(float(majority_gap(n, k)), abs=1e-15)


@pytest.mark.parametrize(
    ("k", "first", "last"), [(2, 201, 2001), (6, 201, 2001), (12, 201, 2001), (14, 2001, 20_001), (20, 2001, 20_001)]
)
def test_the_gap_falls_with_n_like_the_power_k_minus_1_over_2(k: int, first: int, last: int):
    """From n = 201 on the power is reached within 0.05 for k up to 12 only; larger k need n well above k^2."""
    n_values = np.unique(np.geomspace(first, last, 8).astype(int) | 1)
    logarithms = [log_majority_gap(int(n), k)[1] for n in n_values]
    assert np.polyfit(np.log(n_values), logarithms, 1)[0] == pytest.approx(-(k - 1) / 2, abs=0.05)


def test_logarithms_of_gaps_agree_with_the_exact_gaps():
    for n, k in [(15, 2), (51, 6), (9, 6), (1001, 40)]:
        exact = majority_gap(n, k)
        sign, size = log_majority_gap(n, k)
        assert sign * math.exp(size) == pytest.approx(float(exact), rel=1e-11)
    assert log_majority_gap(11, 6) == (0, -math.inf)


@pytest.mark.parametrize("n", [0, -3, 10])
def test_an_electorate_that_can_tie_is_refused(n: int):
    for query in (majority_values, lambda n: majority_coefficient(n, 0), lambda n: majority_gap(n, 2)):
        with pytest.raises(ConfigError, match="n must be odd"):
            query(n)


def test_what_cannot_be_enumerated_is_refused():
    with pytest.raises(ConfigError, match="between 1 and 24"):
        majority_spectrum(25)


@pytest.mark.parametrize("degree", [-1, 16])
def test_a_degree_out_of_range_is_refused(degree: int):
    for query in (majority_coefficient, log_majority_coefficient, scaled_size):
        with pytest.raises(ConfigError, match="degree must be between 0 and n = 15"):
            query(15, degree)


@pytest.mark.parametrize("k", [0, 3, 16])
def test_a_gap_needs_an_even_k_below_n(k: int):
    for query in (majority_gap, gap_by_identity, log_majority_gap, majority_gap_bound):
        with pytest.raises(ConfigError, match="k must be even and between 2 and n - 1 = 14"):
            query(15, k)
