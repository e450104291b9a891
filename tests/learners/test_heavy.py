"""List decoding against exact spectra: it finds all that is large, and nothing that is small."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ConfigError
from assay.learners import heavy_coefficients
from assay.learners.heavy import Function, decode, log_points, round_queries
from assay.maths.cube import cube
from assay.maths.fourier import fourier_coefficients
from assay.maths.subsets import members


def planted(spectrum: dict[tuple[int, ...], float]) -> Function:
    """sum_T c_T chi_T."""

    def function(x: np.ndarray) -> np.ndarray:
        return sum((c * x[:, list(subset)].prod(axis=1) for subset, c in spectrum.items()), np.zeros(len(x)))

    return function


subsets = st.sets(st.integers(0, 19), max_size=20).map(lambda chosen: tuple(sorted(chosen)))


@settings(max_examples=15)
@given(st.lists(subsets, min_size=1, max_size=3, unique=True), st.integers(0, 1000), st.booleans())
def test_a_planted_spectrum_is_recovered(chosen: list[tuple[int, ...]], seed: int, negative: bool):
    spectrum = {subset: (-1) ** (i + negative) * (0.5 - 0.12 * i) for i, subset in enumerate(chosen)}
    found = heavy_coefficients(planted(spectrum), 20, 0.25, np.random.default_rng(seed))
    assert list(found) == list(spectrum)
    assert all(abs(found[subset] - spectrum[subset]) <= 0.25 / 4 for subset in spectrum)


@pytest.mark.parametrize("threshold", [0.15, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_of_an_exact_spectrum_all_large_coefficients_are_found_and_no_small_ones(threshold: float, seed: int):
    n = 9
    rng = np.random.default_rng(seed)
    weights, shift = rng.normal(size=n), rng.normal()

    def halfspace(x: np.ndarray) -> np.ndarray:
        return np.sign(x @ weights + shift)

    exact = {members(mask): c for mask, c in enumerate(fourier_coefficients(halfspace(cube(n))))}
    found = heavy_coefficients(halfspace, n, threshold, rng)
    assert {subset for subset, c in exact.items() if abs(c) >= threshold} <= found.keys()
    assert all(abs(exact[subset]) >= threshold / 2 for subset in found)
    assert all(abs(exact[subset] - c) <= threshold / 4 for subset, c in found.items())
    assert [abs(c) for c in found.values()] == sorted((abs(c) for c in found.values()), reverse=True)


def test_what_is_planted_in_noise_on_many_bits_is_found():
    n, deep = 120, tuple(range(0, 120, 2))
    rng = np.random.default_rng(0)
    mask = rng.integers(1, 2**32, size=n, dtype=np.uint64)

    def function(x: np.ndarray) -> np.ndarray:  # right or wrong by a hash of x
        hashed = ((x < 0) @ mask * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(54)
        return np.where(hashed < 717, 1, -1) * x[:, list(deep)].prod(axis=1)  # 717 / 1024 = 0.70

    found = heavy_coefficients(function, n, 0.4, rng, confidence=0.9)
    assert list(found) == [deep]


@pytest.mark.statistical
def test_a_round_finds_each_large_coefficient_at_least_every_other_time():
    spectrum: dict[tuple[int, ...], float] = {(0, 3): 0.4, (1, 2, 5): -0.4, (4,): 0.1}
    rounds, seen, asked = 40, dict.fromkeys(spectrum, 0), 0

    def function(x: np.ndarray) -> np.ndarray:
        nonlocal asked
        asked += len(x)
        return planted(spectrum)(x)

    rng = np.random.default_rng(0)
    for _ in range(rounds):
        rows = decode(function, 12, 0.4, rng)
        assert len(rows) <= 4 / 0.4**2
        decoded = {tuple(np.flatnonzero(row).tolist()) for row in rows}
        for subset in spectrum:
            seen[subset] += subset in decoded
    assert min(seen[0, 3], seen[1, 2, 5]) >= rounds / 2
    assert asked == rounds * round_queries(12, 0.4) == rounds * 13 * 2 ** log_points(12, 0.4)


def test_the_number_of_points_is_the_power_of_two_that_the_bound_asks_for():
    assert 2 ** (log_points(50, 0.1) - 1) < 8 * 51 / 0.1**2 <= 2 ** log_points(50, 0.1)


@pytest.mark.parametrize("threshold", [0.0, 1.5, math.nan])
def test_a_threshold_that_no_coefficient_can_have_is_refused(threshold: float):
    with pytest.raises(ConfigError, match=r"^threshold must be"):
        log_points(5, threshold)
