"""Thresholds of rates that are known, and laws told apart on data that follow them."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from assay.analysis.thresholds import crossing, laws, thresholds


def replicates(rates: dict[int, float], count: int = 10) -> pl.DataFrame:
    rows = [(m, i < round(rate * count)) for m, rate in rates.items() for i in range(count)]
    return pl.DataFrame(rows, schema=["m", "success"], orient="row")


def test_the_three_thresholds_of_a_rate_that_is_not_monotone():
    table = replicates({10: 0.2, 20: 0.8, 30: 0.6, 40: 0.9, 50: 1.0})
    row = thresholds(table, "m", "success", 0.8).row(0, named=True)
    assert (row["first"], row["kept"]) == (20.0, 40.0)
    # 0.8 and 0.6 pool to 0.7; from there to 0.9 the level is half-way between 30 and 40
    assert row["isotonic"] == pytest.approx(35.0)
    assert row["isotonic_low"] <= 35 <= row["isotonic_high"]


def test_a_level_that_is_never_reached_or_always():
    never, always = (thresholds(replicates({10: r, 20: r}), "m", "success", 0.8).row(0) for r in (0.1, 1.0))
    assert never == (None, None, None, None, None)
    assert always == (10.0, 10.0, 10.0, 10.0, 10.0)
    assert crossing(np.array([1.0, 2.0]), np.array([0.0, 0.5]), np.ones(2), 0.8) == math.inf


def test_the_interval_covers_the_threshold_of_a_logistic_rate():
    rng = np.random.default_rng(0)
    sizes = np.arange(10, 101, 10)
    truth = 50 + 8 * math.log(4)  # where 1 / (1 + exp(-(m - 50) / 8)) = 0.8
    covered = 0
    for _ in range(40):
        success = rng.random((len(sizes), 30)) < (1 / (1 + np.exp(-(sizes - 50) / 8)))[:, None]
        table = pl.DataFrame({"m": sizes.repeat(30), "success": success.ravel()})
        row = thresholds(table, "m", "success", 0.8, resamples=200).row(0, named=True)
        covered += row["isotonic_low"] <= truth <= row["isotonic_high"]
    assert covered >= 32


@pytest.mark.parametrize(("law", "f"), [
    ("logarithmic", lambda x: 3 * np.log(x) + 2), ("linear", lambda x: 0.5 * x + 3), ("power", lambda x: 2 * x**0.7),
])  # fmt: skip
def test_the_law_that_made_the_data_is_found(law: str, f: object):
    x = np.array([10.0, 20, 50, 100, 300, 1000])
    found = laws(x, f(x) * (1 + 1e-4 * np.array([1, -1, 1, -1, 1, -1])))  # type: ignore[operator]
    best = found.sort("weight").row(-1, named=True)
    assert best["law"] == law
    assert best["weight"] > 0.99
    assert best["r2"] > 0.999
    if law == "power":
        assert (best["a"], best["b"]) == (pytest.approx(0.7, abs=1e-3), pytest.approx(2, rel=1e-2))
