"""The slope of exponents on k: scipy's line, and an interval that covers."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analysis.growth import growth


def laws(k: list[int], exponent: np.ndarray, error: np.ndarray) -> pl.DataFrame:
    columns = {"k": k, "exponent": exponent, "exponent_low": exponent - error, "exponent_high": exponent + error}
    return pl.DataFrame(columns)


def test_the_slope_is_that_of_least_squares():
    k, exponent = [2, 3, 4, 6], np.array([0.4, 1.1, 1.8, 2.9])
    found = growth(laws(k, exponent, np.full(4, 0.1)), "k", []).row(0, named=True)
    line = stats.linregress(k, exponent)
    assert found["alpha"] == pytest.approx(line.slope)
    assert found["r2"] == pytest.approx(line.rvalue**2)
    assert found["ks"] == 4
    assert found["alpha_high"] - found["alpha"] == pytest.approx(0.1 / np.sqrt(((np.array(k) - 3.75) ** 2).sum()))


def test_the_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    sigma, k = np.array([0.05, 0.1, 0.3]), [2, 3, 4]
    hits = 0
    for _ in range(2000):
        exponent = 0.5 * np.array(k) + rng.normal(0, sigma)
        found = growth(laws(k, exponent, 1.96 * sigma), "k", []).row(0, named=True)
        hits += found["alpha_low"] <= 0.5 <= found["alpha_high"]
    assert hits / 2000 == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / 2000))


def test_exponents_without_an_interval_are_left_out():
    table = laws([2, 3, 4], np.array([0.5, 1.0, 9.0]), np.full(3, 0.1))
    table = table.with_columns(exponent_low=pl.when(pl.col("k") < 4).then("exponent_low"))
    found = growth(table, "k", [])
    assert found.select("alpha", "ks").rows() == [(pytest.approx(0.5), 2)]
    assert growth(table.filter(pl.col("k") > 2), "k", [])["alpha"][0] is None
