"""Variance components: exact small cases, and recovery of what was put in."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analysis import variance
from assay.errors import ConfigError, UnknownName


def drawn(units: int, runs: int, between: float, within: float, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    values = rng.normal(0, np.sqrt(between), (units, 1)) + rng.normal(0, np.sqrt(within), (units, runs))
    return pl.DataFrame({"unit": np.repeat(np.arange(units), runs), "value": values.ravel()})


def test_equal_numbers_of_runs_give_the_textbook_estimates():
    table = drawn(6, 4, 1.0, 2.0)
    found = variance.components(table, "value", "unit").row(0, named=True)
    samples = [part["value"].to_numpy() for part in table.partition_by("unit")]
    within = np.mean([sample.var(ddof=1) for sample in samples])
    ratio = stats.f_oneway(*samples).statistic  # MSB / MSW
    assert found["within"] == pytest.approx(within)
    assert found["between"] == pytest.approx(max((ratio - 1) * within / 4, 0))
    assert found["icc"] == pytest.approx(found["between"] / (found["between"] + found["within"]))
    assert (found["n"], found["units"]) == (24, 6)


def test_unequal_numbers_of_runs_by_hand():
    """Units {1, 3}, {5}, {6, 8, 10}: means 2, 5, 8; MSW = (2 + 8)/3; grand mean 5.5; MSB and n0 = (6 - 14/6)/2."""
    table = pl.DataFrame({"unit": [0, 0, 1, 2, 2, 2], "value": [1, 3, 5, 6, 8, 10]})
    found = variance.components(table, "value", "unit").row(0, named=True)
    between_squares = (2 * 3.5**2 + 0.5**2 + 3 * 2.5**2) / 2
    assert found["within"] == pytest.approx(10 / 3)
    assert found["between"] == pytest.approx((between_squares - 10 / 3) / ((6 - 14 / 6) / 2))
    assert found["mean"] == pytest.approx(5.5)


@pytest.mark.parametrize(("between", "within"), [(0.2, 0.05), (0.05, 0.2), (0.0, 1.0)])
def test_many_units_give_back_what_was_put_in(between: float, within: float):
    found = variance.components(drawn(4000, 5, between, within), "value", "unit", resamples=100).row(0, named=True)
    assert found["between"] == pytest.approx(between, rel=0.1, abs=0.02)
    assert found["within"] == pytest.approx(within, rel=0.05)
    assert found["icc_low"] - 0.02 <= between / (between + within) <= found["icc_high"] + 0.02


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    covered = 0
    for seed in range(100):
        found = variance.components(drawn(30, 6, 1.0, 1.0, seed), "value", "unit", resamples=200).row(0, named=True)
        covered += found["icc_low"] <= 0.5 <= found["icc_high"]
    assert 85 <= covered <= 100


def test_extremes_and_what_is_undefined():
    same_within = pl.DataFrame({"unit": [0, 0, 1, 1, 2, 2], "value": [1.0, 1, 2, 2, 5, 5]})
    assert variance.components(same_within, "value", "unit")["icc"][0] == 1.0
    same_between = pl.DataFrame({"unit": [0, 0, 1, 1, 2, 2], "value": [1.0, 3, 1, 3, 1, 3]})
    assert variance.components(same_between, "value", "unit")["icc"][0] == 0.0
    for few in (same_within.head(4), same_within.gather([0, 2, 4])):
        assert variance.components(few, "value", "unit")["icc"][0] is None


def test_groups_are_apart_and_bad_columns_are_refused():
    table = pl.concat([drawn(5, 3, 1, 1, seed).with_columns(net=pl.lit(f"net {seed}")) for seed in (1, 2)])
    found = variance.components(table, "value", "unit", by=["net"])
    for seed in (1, 2):
        alone = variance.components(drawn(5, 3, 1, 1, seed), "value", "unit")
        assert found.filter(net=f"net {seed}").drop("net").rows() == alone.rows()
    with pytest.raises(ConfigError, match="1 without a number"):
        variance.components(pl.DataFrame({"unit": [0, 1], "value": [1.0, np.inf]}), "value", "unit")
    with pytest.raises(UnknownName):
        variance.components(table, "valeu", "unit")
