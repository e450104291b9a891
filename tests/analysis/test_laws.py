"""The Kolmogorov-Smirnov distance to a law, against brute force over all checks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analysis import laws
from assay.errors import ConfigError


def geometric(p: float):
    return lambda t: -np.expm1(np.asarray(t) * math.log1p(-p))


@given(
    st.lists(st.integers(0, 60) | st.just(math.inf), min_size=1, max_size=20),
    st.floats(0.001, 0.2),
    st.integers(0, 700),
)
def test_the_distance_is_the_largest_over_all_checks(counts: list[float], p: float, horizon: int):
    times, law = 10 * np.array(counts, dtype=float), geometric(p)
    checks = np.arange(0, horizon + 1, 10)
    slow = max(abs((times <= t).mean() - law(t)) for t in checks)
    assert laws.kolmogorov(times, law, 10, horizon) == pytest.approx(slow, abs=1e-12)


def test_a_sample_of_the_law_is_near_and_a_delayed_one_is_far():
    drawn = np.random.default_rng(0).geometric(1 / 400, 50_000)
    seen = np.ceil(drawn / 10) * 10.0
    assert laws.kolmogorov(seen, geometric(1 / 400), 10, 10**6) < 1.63 / math.sqrt(50_000)
    assert laws.kolmogorov(seen + 400, geometric(1 / 400), 10, 10**6) == pytest.approx(1 - math.exp(-1), abs=0.01)


def test_times_between_checks_are_refused():
    with pytest.raises(ConfigError, match="multiples of every = 10"):
        laws.kolmogorov(np.array([15.0]), geometric(0.1), 10, 100)
