from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analysis.quantiles import bootstrap_quantiles, column_name, percentile_interval, quantile_with_infinities
from assay.errors import ConfigError

steps = st.integers(0, 10**6).map(float)
fractions = st.integers(1, 99).map(lambda percent: percent / 100)


@given(st.lists(steps, min_size=1, max_size=60), fractions)
def test_finite_samples_agree_with_numpy(values: list[float], q: float):
    assert quantile_with_infinities(np.array(values), [q])[0] == pytest.approx(np.quantile(values, q), abs=1e-6)


@given(st.lists(steps | st.just(math.inf), min_size=1, max_size=40), fractions)
def test_unsolved_runs_act_like_runs_of_arbitrarily_large_time(values: list[float], q: float):
    """Replace +inf by M and by 2 M: the quantile is finite exactly if it does not move."""
    result = quantile_with_infinities(np.array(values), [q])[0]
    small, large = (np.quantile([v if v < math.inf else m for v in values], q) for m in (1e9, 2e9))
    if math.isinf(result):
        assert large - small > 1e-3 * 1e9
    else:
        assert large == pytest.approx(small, abs=0.1)
        assert result == pytest.approx(small, abs=0.1)


@pytest.mark.parametrize(
    ("solved", "expected"),
    # position 0.1 * 24 = 2.4 lies between the third and the fourth value: four solved runs of 25 are needed
    [(3, math.inf), (4, 34.0)],
)
def test_tenth_percentile_of_25_runs_needs_four_solved_ones(solved: int, expected: float):
    values = [10.0, 20.0, 30.0, 40.0][:solved] + [math.inf] * (25 - solved)
    assert quantile_with_infinities(np.array(values), [0.1])[0] == pytest.approx(expected)


def test_a_quantile_on_a_solved_value_does_not_touch_the_infinite_neighbour():
    for count in range(2, 400):
        for rank in range(1, count - 1):
            values = np.where(np.arange(count) <= rank, np.arange(count, dtype=float), np.inf)
            assert quantile_with_infinities(values, [rank / (count - 1)])[0] == rank
        if count > 60:
            break


def test_quantiles_work_along_the_last_axis():
    values = np.arange(24.0).reshape(2, 3, 4)
    assert quantile_with_infinities(values, (0.25, 0.5)).shape == (2, 3, 2)
    np.testing.assert_allclose(quantile_with_infinities(values, [0.5])[..., 0], np.median(values, axis=-1))


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [-math.inf, 1.0]])
def test_samples_without_a_quantile_are_refused(values: list[float]):
    with pytest.raises(ConfigError, match="without NaN"):
        quantile_with_infinities(np.array(values, dtype=float), [0.5])


def test_bootstrap_quantiles_have_the_law_of_all_resamples():
    """All 5 ** 5 resamples enumerated against 200,000 drawn ones: frequencies agree within 5 standard errors."""
    values = np.array([1.0, 2.0, 4.0, 8.0, math.inf])
    quantiles = (0.3, 0.5)
    every = np.array(list(itertools.product(values, repeat=5)))
    exact = quantile_with_infinities(every, quantiles)
    draws = 200_000
    drawn = bootstrap_quantiles(values, quantiles, draws, np.random.default_rng(1))
    pairs, counts = np.unique(exact.round(6), axis=0, return_counts=True)
    for pair, count in zip(pairs, counts, strict=True):
        probability = count / len(every)
        frequency = (drawn.round(6) == pair).all(axis=1).mean()
        assert abs(frequency - probability) < 5 * math.sqrt(probability * (1 - probability) / draws) + 1e-9
    assert np.isin(drawn[:, 1], exact[:, 1]).all()


@pytest.mark.statistical
def test_bootstrap_interval_of_the_median_covers_it():
    """95 % intervals of the median of 60 exponential times, 800 samples: coverage 0.95 within 4 standard errors
    (0.031) and the percentile method's known shortfall of about one point."""
    rng = np.random.default_rng(2)
    samples = rng.exponential(1.0, size=(800, 60))
    hits = 0
    for sample in samples:
        low, high = percentile_interval(bootstrap_quantiles(sample, [0.5], 400, rng))
        hits += low[0] <= math.log(2) <= high[0]
    assert 0.91 <= hits / len(samples) <= 0.98


def test_columns_are_named_by_percent():
    assert [column_name(q) for q in (0.1, 0.5, 0.025)] == ["q10", "q50", "q2.5"]
