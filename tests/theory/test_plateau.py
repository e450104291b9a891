"""The share of gradient flow that is spent at chance (T9): known values, brute force, and the limit of wide blocks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.theory.parity import block_error, flow
from assay.theory.parity.plateau import (
    flow_curve,
    gaussian_plateaus,
    gaussian_starts,
    plateau,
    sign_plateau,
    sign_plateau_limit,
)


@pytest.mark.parametrize(
    ("block", "k", "gamma", "ratio"),
    [
        (100, 3, 0.01, 0.667), (300, 3, 0.01, 0.857), (1000, 3, 0.01, 0.909), (3000, 3, 0.01, 0.947),
        (100, 4, 0.01, 0.960), (1000, 4, 0.01, 0.9956), (100, 6, 0.01, 0.9996), (10, 3, 0.1, 0.667),
        (3000, 3, 0.1, 0.978),
    ],
)  # fmt: skip
def test_ratios_with_signs_are_the_known_ones(block: int, k: int, gamma: float, ratio: float):
    assert sign_plateau(block, k, gamma).ratio == pytest.approx(ratio, abs=6e-4)


@pytest.mark.parametrize(
    ("block", "k", "gamma"), [(9, 3, 0.1), (12, 3, 0.2), (16, 4, 0.05), (20, 5, 0.02), (101, 3, 0.01)]
)
def test_the_ratio_with_signs_is_found_by_walking_along_the_flow(block: int, k: int, gamma: float):
    law = block_error.SignSum(block - 1)
    times = (np.arange(2000) + 1 / math.pi) / 2000  # never a moment of ties
    weights = np.atleast_1d(flow.unit_weight(times / (k - 2), k))
    above = [block_error.error([float(v)] * k, [law] * k) >= 0.5 - gamma for v in weights]
    assert above[0]
    found = sign_plateau(block, k, gamma)
    assert found.ratio == pytest.approx(times[np.flatnonzero(above)[-1]], abs=1e-3)
    assert found.ratio == pytest.approx(found.threshold / found.blow_up, rel=1e-12)
    assert block_error.error([float(flow.unit_weight(found.zero_error, k)) + 1e-6] * k, [law] * k) == 0
    if block < 30:  # else the last error is below rounding
        assert block_error.error([float(flow.unit_weight(found.zero_error, k)) - 1e-6] * k, [law] * k) > 0


def test_a_short_block_has_no_plateau():
    assert sign_plateau(10, 3, 0.01).ratio == 0
    assert sign_plateau(2, 3, 0.01).ratio == 0


@pytest.mark.parametrize("k", [3, 4, 5])
def test_wide_blocks_approach_the_normal_limit(k: int):
    block, gamma = 1_000_001, 1e-4
    scaled = sign_plateau(block, k, gamma).left * block ** (k / 2 - 1)
    # |v| can end a plateau only every second integer
    end = math.sqrt(math.pi * block / 2) * (2 * gamma) ** (1 / k)
    assert scaled == pytest.approx(sign_plateau_limit(k, gamma), rel=(k - 2) * (2 / end + 0.01))
    assert [round(sign_plateau_limit(k, 0.01), 2) for k in (3, 4, 5, 6)] == [2.94, 4.50, 5.31, 5.50]


def test_any_start_agrees_with_the_special_case_of_signs():
    start = np.random.default_rng(0).choice([-1.0, 1.0], (3, 101))
    start[:, 0] = (-1, 1, -1)
    found, special = plateau(start, 0.05), sign_plateau(101, 3, 0.05)
    for name in ("threshold", "zero_error", "blow_up", "left", "ratio", "ratio_to_zero_error"):
        assert getattr(found, name) == pytest.approx(getattr(special, name), rel=1e-6), name


def test_the_error_passes_the_threshold_where_the_plateau_ends():
    for start in gaussian_starts(80, 3, 20, seed=1):
        found = plateau(start, 0.02)
        if found.ratio == 0:
            continue
        end = float(flow.blow_up_time(start[:, 0]) * found.ratio)
        for time, above in ((end * 0.9999, True), (end * 1.0001, False)):
            now = flow.integrate(start[:, 0], np.array([time]))[-1]
            error = block_error.polynet_error(np.column_stack([now, start[:, 1:]]))
            assert (error >= 0.48) == above
        assert found.threshold < found.zero_error < found.blow_up


def test_a_start_that_is_already_certain_has_no_plateau():
    start = np.array([[3.0, 1.0, 0.5], [2.0, 0.1, 0.2], [9.0, 1.0, 1.0]])
    found = plateau(start)
    assert (found.ratio, found.threshold, found.zero_error) == (0, 0, 0)


def test_normal_starts_have_a_positive_product_and_are_normal():
    starts = gaussian_starts(50, 3, 400, seed=0)
    assert (np.prod(starts[:, :, 0], axis=1) > 0).all()
    assert np.mean(starts) == pytest.approx(0, abs=4 / math.sqrt(starts.size))
    assert np.std(starts) == pytest.approx(1, abs=4 / math.sqrt(2 * starts.size))
    assert np.std(starts[:, 2, 0]) == pytest.approx(1, abs=4 / math.sqrt(800))
    np.testing.assert_array_equal(starts, gaussian_starts(50, 3, 400, seed=0))


def test_plateaus_of_normal_starts_are_long():
    ratios = [each.ratio for each in gaussian_plateaus(300, 4, 30, seed=2)]
    assert np.quantile(ratios, 0.1) > 0.9


def test_a_curve_of_the_error_against_time():
    start = gaussian_starts(80, 3, 1, seed=3)[0]
    times, errors = flow_curve(start, [0.0, 1.0, 100.0, 1e6])
    assert times[0] == pytest.approx(0, abs=1e-12)
    assert times == sorted(times)
    assert errors == sorted(errors, reverse=True)
    assert errors[0] == pytest.approx(block_error.polynet_error(start), abs=1e-12)
    assert errors[-1] == 0
    assert times[1] == pytest.approx(float(flow.time_to(start[:, 0], 1.0) / flow.blow_up_time(start[:, 0])))


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [((100, 2, 0.1), "k"), ((1, 3, 0.1), "block"), ((9, 3, 0.5), "gamma"), ((9, 3, 0.0), "gamma")],
)
def test_what_has_no_plateau_to_speak_of_is_refused(arguments: tuple[int, int, float], wrong: str):
    with pytest.raises(ConfigError, match=f"^{wrong} must be"):
        sign_plateau(*arguments)
