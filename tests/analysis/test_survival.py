from __future__ import annotations

import math
import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scipy import stats

from assay.analysis import survival
from assay.errors import ConfigError, UnknownName

OUTCOMES = ("solved", "censored", "diverged", "failed")


def frame(outcomes: list[str], steps: list[int], **columns: object) -> pl.DataFrame:
    return pl.DataFrame({"outcome": outcomes, "step": steps} | columns)


def exponential_runs(seed: int, count: int, scale: float, budget: int, **columns: object) -> pl.DataFrame:
    steps = np.random.default_rng(seed).exponential(scale, count).astype(int) + 1
    outcomes = np.where(steps <= budget, "solved", "censored").tolist()
    return frame(outcomes, np.minimum(steps, budget).tolist(), budget=budget, **columns)


def test_summary_of_a_small_group_by_hand():
    runs = frame(["solved"] * 3 + ["censored", "diverged"], [30, 10, 20, 100, 7])
    row = survival.summary(runs, [], quantiles=(0.25, 0.5, 0.6)).row(0, named=True)
    assert (row["n"], row["solved"], row["solved_fraction"]) == (5, 3, 0.6)
    assert (row["q25"], row["q50"], row["q60"]) == (20.0, 30.0, None)
    assert (row["solved_low"], row["solved_high"]) == pytest.approx((0.2307, 0.8824), abs=1e-4)  # Wilson, 3 of 5


def test_unsolved_runs_are_never_dropped():
    """A group in which 30 of 100 are solved has no median, however fast the 30 were."""
    runs = frame(["solved"] * 30 + ["censored"] * 70, [10] * 30 + [1000] * 70)
    row = survival.summary(runs, []).row(0, named=True)
    assert (row["q10"], row["q50"], row["q50_low"], row["q50_high"]) == (10.0, None, None, None)


def test_an_interval_that_reaches_the_unsolved_is_open_above():
    """55 of 100 solved: the median is finite, but not with 95 % confidence."""
    runs = frame(["solved"] * 55 + ["censored"] * 45, [*range(1, 56), *[1000] * 45])
    row = survival.summary(runs, []).row(0, named=True)
    assert row["q50"] == 50.5
    assert row["q50_low"] < 50.5
    assert row["q50_high"] is None


def test_a_row_depends_on_its_own_group_and_the_seed_only():
    runs = pl.concat([exponential_runs(i, 50, 10.0 * i + 10, 60).with_columns(k=pl.lit(i)) for i in range(4)])
    whole = survival.summary(runs, ["k"])
    assert_frame_equal(whole, survival.summary(runs.reverse(), ["k"]))
    assert_frame_equal(whole[2:3], survival.summary(runs.filter(pl.col("k") == 2), ["k"]))
    assert not whole["q50_low"].equals(survival.summary(runs, ["k"], seed=1)["q50_low"])


def test_bootstrap_interval_agrees_with_plain_resampling():
    """The end points of plain resampling of 400 runs, 4000 times, within the noise of the two simulations."""
    runs = exponential_runs(3, 400, 1000.0, 2000)
    times = runs.select(survival.solve_time())["solve_time"].to_numpy()
    picks = np.random.default_rng(4).integers(400, size=(4000, 400))
    plain = np.quantile(np.quantile(times[picks], 0.5, axis=1), (0.025, 0.975))
    row = survival.summary(runs, [], resamples=4000).row(0, named=True)
    assert (row["q50_low"], row["q50_high"]) == pytest.approx(plain, rel=0.02)


def test_summary_of_100_000_runs_in_400_groups_is_fast():
    count, rng = 100_000, np.random.default_rng(5)
    steps = rng.integers(1, 10_000, count)
    groups = rng.integers(0, 400, count)
    outcomes = np.where(steps < 8000, "solved", "censored")
    runs = pl.DataFrame({"group": groups, "outcome": outcomes, "step": steps})
    start = time.process_time()
    assert survival.summary(runs, ["group"]).height == 400
    assert time.process_time() - start < 4.0  # 0.7 s where this was written


def test_a_missing_column_is_named():
    with pytest.raises(UnknownName, match=r"unknown column of the runs frame 'task\.m': did you mean 'task\.k'"):
        survival.summary(frame(["solved"], [1], **{"task.k": 3}), ["task.m"])


def test_an_unknown_outcome_is_named():
    with pytest.raises(ConfigError, match=r"runs\.outcome must be one of solved, .* got 'Solved'"):
        survival.summary(frame(["Solved"], [1]), [])


def test_an_empty_frame_a_bad_quantile_and_a_clashing_name_are_refused():
    runs = frame(["solved"], [1], n=3)
    with pytest.raises(ConfigError, match="at least one run"):
        survival.summary(runs.clear(), [])
    with pytest.raises(ConfigError, match="between 0 and 1"):
        survival.summary(runs, [], quantiles=(50.0,))
    with pytest.raises(ConfigError, match="rename 'n' first"):
        survival.summary(runs, ["n"])


def kaplan_meier(outcomes: list[str], steps: list[int]) -> dict[int, float]:
    survivors, curve = 1.0, {}
    for t in sorted(set(steps)):
        at_risk = sum(s >= t for s in steps)
        events = sum(s == t and o == "solved" for s, o in zip(steps, outcomes, strict=True))
        curve[t] = survivors = survivors * (1 - events / at_risk)
    return curve


histories = st.lists(st.tuples(st.sampled_from(["solved", "censored", "failed"]), st.integers(1, 12)), min_size=1)


@given(histories)
def test_curve_agrees_with_the_product_limit_formula(history: list[tuple[str, int]]):
    outcomes, steps = [o for o, _ in history], [s for _, s in history]
    curve = survival.curve(frame(outcomes, steps), [])
    assert curve["step"][0] == 0
    assert curve["survival"][0] == 1.0
    expected = kaplan_meier(outcomes, steps)
    assert curve["step"][1:].to_list() == list(expected)
    assert curve["survival"][1:].to_list() == pytest.approx(list(expected.values()))
    assert (curve["solved"] + curve["censored"]).sum() == len(steps)


def test_at_equal_budgets_the_curve_is_one_minus_the_solved_fraction():
    """Also with diverged runs: they stay at risk, so that the plateau of the curve is the unsolved fraction."""
    runs = frame(
        ["solved"] * 4 + ["diverged"] * 4 + ["censored"] * 2, [10, 20, 20, 30, 5, 5, 12, 25, 100, 100], budget=100
    )
    curve = survival.curve(runs, [])
    assert dict(zip(curve["step"], curve["survival"].round(12), strict=True)) == {
        **{0: 1.0, 10: 0.9, 20: 0.7, 30: 0.6},
        100: 0.6,
    }
    assert curve["at_risk"].to_list() == [10, 10, 9, 7, 6]


def test_band_contains_the_curve_and_is_null_where_undefined():
    curve = survival.curve(exponential_runs(6, 80, 50.0, 1000), [])
    inside = curve.drop_nulls()
    assert inside.height > 20
    assert (inside["survival_low"] <= inside["survival"]).all()
    assert (inside["survival"] <= inside["survival_high"]).all()
    assert curve.filter(pl.col("survival").is_in([0.0, 1.0]))["survival_low"].is_null().all()


def test_curves_of_groups_stand_below_each_other():
    runs = pl.concat([exponential_runs(i, 20, 30.0, 50).with_columns(k=pl.lit(i), net=pl.lit("mlp")) for i in (2, 1)])
    curves = survival.curve(runs, ["net", "k"])
    alone = survival.curve(runs.filter(pl.col("k") == 2), [])
    assert curves["k"].unique(maintain_order=True).to_list() == [1, 2]
    assert_frame_equal(curves.filter(pl.col("k") == 2).drop("net", "k"), alone)


def test_diverged_runs_need_their_budget():
    with pytest.raises(UnknownName, match="needed for diverged runs"):
        survival.curve(frame(["diverged"], [3]), [])


def test_compare_finds_a_difference_and_its_direction():
    runs = pl.concat(
        [exponential_runs(7, 150, 100.0, 150, engine="a"), exponential_runs(8, 150, 200.0, 150, engine="b")]
    )
    row = survival.compare(runs, "engine").row(0, named=True)
    assert (row["first"], row["second"], row["n_first"], row["horizon"]) == ("a", "b", 150, 150)
    assert row["logrank"] > 3  # more solved than expected: the first is faster
    assert row["logrank_p"] < 1e-3
    assert row["ks_p"] <= 1e-3


def test_ks_statistic_is_that_of_scipy_and_its_p_value_is_exact_for_small_samples():
    runs = frame(["solved"] * 8, [1, 2, 3, 4, 5, 6, 7, 8], engine=["a"] * 4 + ["b"] * 4)
    row = survival.compare(runs, "engine").row(0, named=True)
    exact = stats.ks_2samp([1, 2, 3, 4], [5, 6, 7, 8], method="exact")
    assert row["ks"] == exact.statistic == 1.0
    assert row["ks_p"] == pytest.approx(exact.pvalue) == pytest.approx(2 / 70)


@settings(max_examples=40)
@given(st.data())
def test_ks_distance_with_ties_and_unsolved_runs_is_the_largest_gap_of_solved_fractions(data: st.DataObject):
    sizes = data.draw(st.tuples(st.integers(2, 5), st.integers(2, 5)))
    steps = [data.draw(st.lists(st.integers(1, 6), min_size=size, max_size=size)) for size in sizes]
    budget = 4
    runs = pl.concat(
        [
            frame(["solved" if s <= budget else "censored" for s in part], [min(s, budget) for s in part], engine=name)
            for name, part in zip("ab", steps, strict=True)
        ]
    )
    gap = max(abs(np.mean(np.array(steps[0]) <= t) - np.mean(np.array(steps[1]) <= t)) for t in range(1, budget + 1))
    assert survival.compare(runs, "engine", resamples=2)["ks"][0] == pytest.approx(gap)


@pytest.mark.statistical
def test_p_values_of_equal_laws_are_not_too_small():
    """300 comparisons of two samples of one law: at level 0.1 both tests reject 30 times, within 4 standard errors."""
    runs = exponential_runs(9, 300 * 40, 100.0, 120)
    pair = np.tile(np.repeat(["a", "b"], 20), 300)
    runs = runs.with_columns(test=pl.Series(np.repeat(np.arange(300), 40)), engine=pl.Series(pair))
    rows = survival.compare(runs, "engine", within=["test"], resamples=199)
    bound = 30 + 4 * math.sqrt(300 * 0.1 * 0.9)
    assert 5 < (rows["logrank_p"] <= 0.1).sum() <= bound
    assert 1 < (rows["ks_p"] <= 0.1).sum() <= bound  # conservative: the statistic is discrete


def test_when_nothing_was_solved_there_is_no_difference():
    runs = frame(["censored"] * 4, [50] * 4, engine=["a", "a", "b", "b"])
    row = survival.compare(runs, "engine").row(0, named=True)
    assert (row["logrank"], row["logrank_p"], row["ks"], row["ks_p"]) == (0.0, 1.0, 0.0, 1.0)


def test_runs_solved_after_the_shorter_budget_do_not_count_as_a_difference():
    """Engine b was given twice the budget; up to the common horizon the two are the same."""
    runs = pl.concat(
        [
            frame(["solved", "solved", "censored", "censored"], [10, 20, 50, 50], engine="a"),
            frame(["solved", "solved", "solved", "censored"], [10, 20, 80, 100], engine="b"),
        ]
    )
    row = survival.compare(runs, "engine").row(0, named=True)
    assert (row["horizon"], row["ks"], row["ks_p"]) == (50, 0.0, 1.0)


def test_compare_needs_two_values():
    with pytest.raises(ConfigError, match="engine must be a column with two different values"):
        survival.compare(frame(["solved"] * 2, [1, 2], engine="a"), "engine")
    with pytest.raises(ConfigError, match="at least two in each sample, got 1"):
        survival.compare(frame(["solved"] * 3, [1, 2, 3], engine=["a", "a", "b"]), "engine")


def test_holm_by_hand():
    """Sorted p-values times 4, 3, 2, 1, made increasing, at most 1."""
    np.testing.assert_allclose(survival.holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(survival.holm([0.6, 0.7]), [1.0, 1.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_lies_between_the_p_values_and_bonferroni(pvalues: list[float]):
    p, adjusted = np.array(pvalues), survival.holm(pvalues)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(len(p) * p, 1.0) + 1e-15).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0).all()
