"""Thresholds of random weights: enumeration, integral and simulation agree, and sign weights have majority's gap."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import ConfigError, UnknownName
from assay.maths.cube import cube
from assay.theory.parity import majority_gap
from assay.theory.parity.gaps import WEIGHTS
from assay.theory.parity.threshold import integrated_gradient, random_gaps, threshold_gradient


@pytest.mark.parametrize("init", WEIGHTS)
@pytest.mark.parametrize(("n", "subset"), [(9, (0, 4)), (11, (1, 2, 3, 8)), (6, (0, 5)), (5, (0, 1, 2))])
def test_the_gradient_of_a_threshold_is_that_of_the_enumeration(n: int, subset: tuple[int, ...], init: str):
    weights = WEIGHTS[init](np.random.default_rng(n), n)
    points = cube(n).astype(float)
    label = np.prod(points[:, list(subset)], axis=1)
    expected = (label * np.sign(points @ weights)) @ points / 2**n
    np.testing.assert_allclose(threshold_gradient(weights, subset), expected, rtol=0, atol=1e-15)
    assert np.abs(expected).max() > 1e-3 or len(subset) % 2


@pytest.mark.parametrize("init", ["uniform", "gaussian"])
@pytest.mark.parametrize("k", [2, 4])
def test_the_integral_is_the_enumeration_up_to_what_returns(k: int, init: str):
    for n in (11, 16, 21):
        weights = WEIGHTS[init](np.random.default_rng(n), n)
        found, expected = integrated_gradient(weights, range(k)), threshold_gradient(weights, range(k))
        np.testing.assert_allclose(found, expected, rtol=0, atol=2 * 2 ** (-n / 2))


def test_the_integral_is_what_a_sample_says_where_no_cube_fits():
    n, subset, samples = 51, (0, 1), 400_000
    rng = np.random.default_rng(2)
    weights = rng.uniform(-1, 1, size=n)
    x = rng.choice(np.array([-1, 1], np.int8), size=(samples, n))
    y = x[:, 0] * x[:, 1] * np.sign(x @ weights)
    sampled = y @ x / samples
    found = threshold_gradient(weights, subset)
    np.testing.assert_allclose(found, sampled, rtol=0, atol=4.5 / samples**0.5)
    assert np.abs(found[:2]).min() > 10 / samples**0.5


def test_sign_weights_have_the_gap_of_majority_in_every_draw():
    gaps = random_gaps(13, 4, "sign", 5, np.random.default_rng(0))
    expected = np.full(5, float(majority_gap(13, 4)))
    np.testing.assert_allclose(gaps.strict, expected, rtol=0, atol=1e-15)
    np.testing.assert_allclose(gaps.relaxed, expected, rtol=0, atol=1e-15)


def test_sign_weights_need_no_cube():
    gaps = random_gaps(101, 4, "sign", 2, np.random.default_rng(0))
    np.testing.assert_array_equal(gaps.strict, np.full(2, float(majority_gap(101, 4))))
    np.testing.assert_array_equal(gaps.relaxed, gaps.strict)


def test_gaps_are_those_of_the_gradient_at_each_draw():
    gaps = random_gaps(9, 2, "gaussian", 3, np.random.default_rng(4))
    rng = np.random.default_rng(4)
    for strict, relaxed in zip(gaps.strict, gaps.relaxed, strict=True):
        size = np.abs(threshold_gradient(rng.normal(size=9), (0, 1)))
        assert strict == min(size[:2]) - max(size[2:])
        assert relaxed == max(size[:2]) - max(size[2:])


def test_what_has_no_gap_to_sample_is_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(UnknownName, match="did you mean 'uniform'"):
        random_gaps(9, 2, "unifrom", 3, rng)
    for k in (0, 9):
        with pytest.raises(ConfigError, match="between 1 and n - 1 = 8"):
            random_gaps(9, k, "uniform", 3, rng)
