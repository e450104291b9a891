from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.analysis import powerlaw, survival
from assay.errors import ConfigError, UnknownName

sizes = st.lists(st.integers(1, 1000), min_size=3, max_size=12, unique=True)


@settings(max_examples=40)
@given(sizes, st.floats(-5, 5), st.floats(-5, 5))
def test_exact_laws_are_recovered(x: list[int], exponent: float, log_prefactor: float):
    places = np.array(x, dtype=float)
    law = powerlaw.fit(places, math.exp(log_prefactor) * places**exponent)
    assert law.exponent == pytest.approx(exponent, abs=1e-6)
    assert math.log(law.prefactor) == pytest.approx(log_prefactor, abs=1e-5)
    assert law.exponent_low - 1e-6 <= exponent <= law.exponent_high + 1e-6
    np.testing.assert_allclose(law(places), math.exp(log_prefactor) * places**exponent, rtol=1e-5)


@settings(max_examples=40)
@given(sizes, st.floats(-3, 3), st.floats(0.1, 10))
def test_a_change_of_unit_changes_the_prefactor_only(x: list[int], exponent: float, unit: float):
    places = np.array(x, dtype=float)
    noisy = places**exponent * np.exp(np.sin(places))
    law, scaled = powerlaw.fit(places, noisy), powerlaw.fit(places, unit * noisy)
    assert scaled.exponent == pytest.approx(law.exponent, abs=1e-6)
    assert scaled.exponent_low == pytest.approx(law.exponent_low, abs=1e-6)
    assert scaled.prefactor == pytest.approx(unit * law.prefactor, rel=1e-5)


def test_interval_is_that_of_the_normal_equations():
    """slope +- t(0.975; 3) s / sqrt(S_xx) and intercept +- t s sqrt(1/5 + mean^2 / S_xx); t(0.975; 3) = 3.18245."""
    x, y = np.array([10.0, 15.0, 20.0, 30.0, 50.0]), np.array([90.0, 300.0, 380.0, 950.0, 2400.0])
    u, v = np.log(x), np.log(y)
    s_xx = ((u - u.mean()) ** 2).sum()
    slope = ((u - u.mean()) * v).sum() / s_xx
    intercept = v.mean() - slope * u.mean()
    error = math.sqrt(((v - intercept - slope * u) ** 2).sum() / 3)
    half, half_intercept = 3.18245 * error / math.sqrt(s_xx), 3.18245 * error * math.sqrt(1 / 5 + u.mean() ** 2 / s_xx)
    law = powerlaw.fit(x, y)
    assert (law.exponent_low, law.exponent_high) == pytest.approx((slope - half, slope + half), rel=1e-5)
    assert math.log(law.prefactor_low) == pytest.approx(intercept - half_intercept, rel=1e-5)
    assert math.log(law.prefactor_high) == pytest.approx(intercept + half_intercept, rel=1e-5)


@pytest.mark.statistical
def test_interval_covers_the_exponent():
    """Gaussian errors: exactly 95 % coverage; 1000 fits, within 4 standard errors."""
    rng = np.random.default_rng(0)
    x = np.array([10.0, 15.0, 20.0, 30.0, 50.0])
    laws = [powerlaw.fit(x, x**3 * np.exp(rng.normal(0, 0.3, 5))) for _ in range(1000)]
    hits = sum(law.exponent_low <= 3 <= law.exponent_high for law in laws)
    assert abs(hits - 950) <= 4 * math.sqrt(1000 * 0.95 * 0.05)


def test_infinite_points_are_left_out_and_counted():
    x = np.array([10.0, 20.0, 40.0, 80.0])
    law = powerlaw.fit(x, np.array([100.0, 400.0, 1600.0, math.inf]))
    assert (law.exponent, law.points, law.halted) == (pytest.approx(2.0), 3, 1)


def test_two_points_have_a_slope_but_no_interval():
    law = powerlaw.fit(np.array([10.0, 20.0]), np.array([5.0, 10.0]))
    assert law.exponent == pytest.approx(1.0)
    assert math.isnan(law.exponent_low)


@pytest.mark.parametrize("x", [[10.0, 10.0], [10.0, 20.0]])
def test_fewer_than_two_places_have_no_law(x: list[float]):
    law = powerlaw.fit(np.array(x), np.array([5.0, 7.0 if x[0] == x[1] else math.nan]))
    assert math.isnan(law.exponent)


@pytest.mark.parametrize(("x", "y"), [([0.0, 1.0], [1.0, 1.0]), ([1.0, 2.0], [1.0, -2.0])])
def test_what_has_no_logarithm_is_refused(x: list[float], y: list[float]):
    with pytest.raises(ConfigError, match="> 0 on logarithmic axes"):
        powerlaw.fit(np.array(x), np.array(y))


def test_groups_are_fitted_apart_and_nulls_are_halted():
    table = pl.DataFrame(
        {
            "k": [3, 3, 3, 2, 2, 2],
            "n": [10, 20, 40, 10, 20, 40],
            "q50": [1000.0, 8000.0, None, 100.0, 400.0, 1600.0],
        }
    )
    fits = powerlaw.fit_groups(table, "n", "q50", ["k"])
    assert fits["k"].to_list() == [2, 3]
    assert fits["exponent"].to_list() == pytest.approx([2.0, 3.0])
    assert fits["halted"].to_list() == [0, 1]
    assert fits["exponent_low"].to_list() == [pytest.approx(2.0), None]
    with pytest.raises(UnknownName, match="unknown column of the table 'q5'"):
        powerlaw.fit_groups(table, "n", "q5", ["k"])


def runs_of_a_law(seed: int, exponent: float, places: tuple[int, ...], count: int, budget: int) -> pl.DataFrame:
    """Solve times uniform on [0.5, 1.5] n ** exponent: their median is n ** exponent."""
    rng = np.random.default_rng(seed)
    n = np.repeat(places, count)
    step = np.ceil(n**exponent * rng.uniform(0.5, 1.5, len(n))).astype(int)
    outcome = np.where(step <= budget, "solved", "censored")
    return pl.DataFrame({"n": n, "outcome": outcome, "step": np.minimum(step, budget)})


def test_law_of_solve_times_is_the_law_of_their_medians():
    runs = runs_of_a_law(1, 2.0, (10, 20, 40, 80), 50, 4000)
    row = powerlaw.fit_solve_times(runs, "n", []).row(0, named=True)
    by_place = survival.summary(runs.rename({"n": "at"}), ["at"])
    fitted = powerlaw.fit_groups(by_place, "at", "q50", []).row(0, named=True)
    assert [row[name] for name in ("exponent", "prefactor", "r2")] == pytest.approx(
        [fitted[name] for name in ("exponent", "prefactor", "r2")]
    )
    assert row["halted"] == 1  # at n = 80 the median is 6400
    assert row["points"] == 3
    assert row["exponent_low"] <= row["exponent"] <= row["exponent_high"]


@pytest.mark.statistical
def test_bootstrap_interval_of_the_exponent_covers_it():
    """200 studies with 40 runs a point: at least 0.95 - 4 standard errors - 2 points for the percentile method."""
    hits = 0
    for seed in range(200):
        row = powerlaw.fit_solve_times(runs_of_a_law(seed, 1.5, (16, 64, 256), 40, 10**9), "n", []).row(0, named=True)
        hits += row["exponent_low"] <= 1.5 <= row["exponent_high"]
    assert 0.88 <= hits / 200 <= 0.99
