"""The largest of n random walks, and when a drift overtakes them (spec 4.15), against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.theory.parity.drift import largest_walk, overtaking_step


@pytest.mark.parametrize("n", [1, 2, 50])
def test_the_largest_walk_is_that_of_simulated_ones(n: int):
    steps, trials = 400, 2000
    ends = np.random.default_rng(n).binomial(steps, 0.5, size=(trials, n)) * 2 - steps
    largest = np.abs(ends).max(axis=1)
    assert largest_walk(n, steps) == pytest.approx(largest.mean(), abs=4 * largest.std() / trials**0.5 + 0.1)


def test_one_walk_and_two_walks_have_known_means():
    assert largest_walk(1, 9.0, 2.0) == pytest.approx(6 * math.sqrt(2 / math.pi), rel=1e-6)
    assert largest_walk(2, 1.0) == pytest.approx(2 / math.sqrt(math.pi), rel=1e-6)  # E max(|X|, |Y|)


def test_a_drift_overtakes_where_the_two_curves_meet():
    step = overtaking_step(50, 0.02, 0.3)
    assert 0.02 * step == pytest.approx(largest_walk(50, step, 0.3), rel=1e-12)


def test_walks_that_cannot_be_are_refused():
    with pytest.raises(ConfigError, match="n must be >= 1"):
        largest_walk(0, 10)
    with pytest.raises(ConfigError, match="step_size must be > 0"):
        largest_walk(3, 10, 0)
    with pytest.raises(ConfigError, match="never overtakes"):
        overtaking_step(3, 0.0)
