from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analysis import correlate
from assay.errors import ConfigError


def test_rho_is_that_of_scipy_and_unsolved_runs_share_the_highest_rank():
    rng = np.random.default_rng(0)
    movement = rng.normal(size=60)
    steps = np.exp(-movement + rng.normal(size=60))
    late = steps > 2.0
    table = pl.DataFrame({"movement": movement, "solve_time": np.where(late, math.inf, steps)})
    row = correlate.spearman(table, "movement", "solve_time").row(0, named=True)
    expected = stats.spearmanr(movement, np.where(late, 1e9, steps))
    assert row["n"] == 60
    assert row["rho"] == pytest.approx(expected.statistic)
    assert row["p"] == pytest.approx(expected.pvalue)
    assert row["rho_low"] < row["rho"] < row["rho_high"] < 0


def test_a_monotone_relation_has_rho_one_and_a_constant_has_none():
    table = pl.DataFrame({"k": [1] * 4 + [2] * 4, "x": [1, 2, 3, 4] * 2, "y": [1.0, 4.0, 9.0, math.inf] + [5.0] * 4})
    rows = correlate.spearman(table, "x", "y", by=["k"])
    assert rows["rho"].to_list() == [pytest.approx(1.0), None]


@pytest.mark.statistical
def test_interval_covers_the_correlation():
    """Gaussian pairs of correlation r have Spearman correlation (6 / pi) asin(r / 2); 300 samples of 50."""
    r, rng = -0.7, np.random.default_rng(1)
    pairs = rng.multivariate_normal([0, 0], [[1, r], [r, 1]], size=300 * 50)
    table = pl.DataFrame({"sample": np.repeat(np.arange(300), 50), "x": pairs[:, 0], "y": pairs[:, 1]})
    rows = correlate.spearman(table, "x", "y", by=["sample"], resamples=200)
    truth = 6 / math.pi * math.asin(r / 2)
    coverage = ((rows["rho_low"] <= truth) & (rows["rho_high"] >= truth)).sum() / rows.height
    assert 0.95 - 0.02 - 4 * math.sqrt(0.05 * 0.95 / 300) <= coverage <= 0.99


def test_rows_without_a_value_are_refused():
    table = pl.DataFrame({"x": [1.0, 2.0, None], "y": [1.0, 2.0, 3.0]})
    with pytest.raises(ConfigError, match="column x must be free of null and NaN, got '1 of them'"):
        correlate.spearman(table, "x", "y")
