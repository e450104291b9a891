"""Fourier analysis on the cube against its definition (claim T1)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.maths.fourier import (
    character,
    coefficients_of_degree,
    degrees,
    fourier_coefficients,
    from_fourier,
    parseval_defect,
    walsh_hadamard,
    weight_by_degree,
)
from assay.maths.subsets import members, subset_masks

sizes = st.integers(0, 8).map(lambda n: 1 << n)
# whole numbers this small are transformed without rounding, so that laws hold exactly
functions = sizes.flatmap(lambda size: hnp.arrays(np.int64, size, elements=st.integers(-(10**6), 10**6)))


def all_characters(n: int) -> np.ndarray:
    return np.stack([character(n, mask) for mask in range(1 << n)]).astype(np.float64)


def test_a_character_is_the_product_of_its_coordinates():
    points = cube(6)
    for mask in range(64):
        np.testing.assert_array_equal(character(6, mask), np.prod(points[:, list(members(mask))], axis=1))


def test_characters_are_orthonormal():
    characters = all_characters(10)
    gram = characters @ characters.T / 1024
    np.testing.assert_allclose(gram, np.eye(1024), rtol=0, atol=1e-12)


def test_walsh_transform_of_a_parity_is_one_spike():
    np.testing.assert_array_equal(fourier_coefficients(all_characters(6)), np.eye(64))


def test_a_coefficient_is_the_mean_of_function_times_character():
    values = np.random.default_rng(0).normal(size=128)
    expected = [np.mean(values * character(7, mask)) for mask in range(128)]
    np.testing.assert_allclose(fourier_coefficients(values), expected, rtol=0, atol=1e-14)


@given(functions)
def test_transforming_twice_multiplies_by_the_number_of_points(values: np.ndarray):
    np.testing.assert_array_equal(walsh_hadamard(walsh_hadamard(values)), values * len(values))


@given(functions, st.integers(-100, 100), st.integers(0, 2**32 - 1))
def test_the_transform_is_linear(values: np.ndarray, factor: int, seed: int):
    others = np.random.default_rng(seed).integers(-1000, 1000, size=len(values))
    expected = factor * walsh_hadamard(values) + walsh_hadamard(others)
    np.testing.assert_array_equal(walsh_hadamard(factor * values + others), expected)


@given(functions)
def test_parseval_holds(values: np.ndarray):
    scaled = values / 10**6
    assert parseval_defect(scaled, fourier_coefficients(scaled)) <= 1e-14


def test_parseval_notices_a_missing_coefficient():
    values = np.random.default_rng(1).normal(size=64)
    coefficients = fourier_coefficients(values)
    missing = coefficients[5] ** 2
    coefficients[5] = 0
    assert parseval_defect(values, coefficients) == pytest.approx(missing)


@pytest.mark.parametrize("n", [10, 20])
def test_the_inverse_gives_the_function_back(n: int):
    values = np.random.default_rng(n).normal(size=1 << n)
    np.testing.assert_allclose(from_fourier(fourier_coefficients(values)), values, rtol=0, atol=1e-12)


def test_a_batch_is_transformed_row_by_row_and_left_as_it_was():
    batch = np.random.default_rng(2).integers(-5, 5, size=(2, 3, 16))
    before = batch.copy()
    together = walsh_hadamard(batch)
    np.testing.assert_array_equal(batch, before)
    for index in np.ndindex(2, 3):
        np.testing.assert_array_equal(together[index], walsh_hadamard(batch[index]))


def test_coefficients_of_a_degree_come_in_the_order_of_the_subset_masks():
    coefficients = np.arange(64.0)
    for degree in range(7):
        np.testing.assert_array_equal(coefficients_of_degree(coefficients, degree), subset_masks(6, degree))


def test_degrees_count_the_members():
    assert degrees(5).tolist() == [len(members(mask)) for mask in range(32)]


def test_weight_by_degree_sorts_the_energy_of_a_function():
    values = 3.0 * character(6, 0b000111) - 2.0 * character(6, 0b110100) + character(6, 0b100000) + 0.5
    np.testing.assert_allclose(weight_by_degree(fourier_coefficients(values)), [0.25, 1, 0, 13, 0, 0, 0], atol=1e-15)


@pytest.mark.parametrize("size", [0, 12, 1 << 25])
def test_a_size_that_is_no_power_of_two_or_too_large_is_refused(size: int):
    with pytest.raises(ConfigError, match=rf"number of values must be 2\^n .*, got {size}"):
        walsh_hadamard(np.broadcast_to(0.0, size))


@pytest.mark.parametrize("mask", [-1, 16])
def test_a_mask_outside_the_cube_is_refused(mask: int):
    with pytest.raises(ConfigError, match="mask must be between 0 and 15"):
        character(4, mask)
