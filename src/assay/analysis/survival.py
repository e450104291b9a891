"""Solve times as survival times: only the outcome "solved" is an event, everything else is data too.

Two views of the same runs:

- `summary`: quantiles over all runs of a group with not-solved = +infinity, and the solved fraction beside them;
- `curve`, `compare`: the survival function S(t) = P(not solved by t) under right censoring. A run that ran out
  of budget or failed is censored at its last step. A run that diverged is never going to be solved, and its
  divergence is no news of the others: it stays at risk until the end of its budget (a competing event, not a
  lost observation; Kalbfleisch and Prentice 2002, ch. 8). With equal budgets S is then one minus the fraction solved.

References: Kaplan and Meier 1958; Mantel 1966 (log-rank); Wilson 1927; Holm 1979.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from scipy import stats

from assay.analysis import frames
from assay.analysis.fractions import wilson
from assay.analysis.quantiles import (
    bootstrap_quantiles,
    check_quantiles,
    column_name,
    percentile_interval,
    quantile_with_infinities,
)
from assay.errors import ConfigError

MOST_RUNS = 100_000
"""In one comparison: beyond, the variance of scipy's log-rank test overflows its integers."""

NO_DIFFERENCE = {"logrank": 0.0, "logrank_p": 1.0}

OUTCOMES = ("solved", "censored", "diverged", "failed")


def solve_time() -> pl.Expr:
    """The column `solve_time` of a runs frame: the step at which the run was solved, +infinity otherwise."""
    solved = pl.col("outcome") == "solved"
    return pl.when(solved).then(pl.col("step").cast(pl.Float64)).otherwise(math.inf).alias("solve_time")


def summary(
    runs: pl.DataFrame,
    by: Sequence[str],
    quantiles: Sequence[float] = (0.1, 0.5, 0.9),
    resamples: int = 200,
    seed: int = 0,
) -> pl.DataFrame:
    """One row a group: n, solved, solved_fraction with its 95 % Wilson interval, and each quantile of the solve time
    with its 95 % bootstrap interval (q50, q50_low, q50_high). Null means infinite: not reached within the budgets.

    A row depends on the runs of its own group and on the seed only. Group by `budget` where budgets differ: an
    unsolved run counts as slower than every solved one, also than those that were given more time.
    """
    check_quantiles(quantiles)
    frames.check_resamples(resamples)
    _check_runs(runs, by)
    names = [f"{column_name(q)}{end}" for q in quantiles for end in ("", "_low", "_high")]
    counts = {"n": pl.Int64, "solved": pl.Int64}
    numbers = dict.fromkeys(["solved_fraction", "solved_low", "solved_high", *names], pl.Float64)
    schema = pl.Schema(counts | numbers)
    frames.check_names(by, schema.names())
    keys, groups = frames.split(runs.select(*by, solve_time()), by)
    rows = []
    for group in groups:
        times = group["solve_time"].to_numpy()
        solved = int(np.isfinite(times).sum())
        interval = wilson(solved, len(times))
        row: dict[str, float] = {"n": len(times), "solved": solved, "solved_fraction": solved / len(times)}
        row |= {"solved_low": interval[0], "solved_high": interval[1]}
        middle = quantile_with_infinities(times, quantiles)
        low, high = percentile_interval(bootstrap_quantiles(times, quantiles, resamples, np.random.default_rng(seed)))
        rows.append(row | dict(zip(names, np.stack([middle, low, high], axis=1).ravel().tolist(), strict=True)))
    return frames.join(keys, rows, schema)


def curve(runs: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The Kaplan-Meier curve of each group: survival = P(not solved by step), from step 0 on, with its pointwise 95 %
    band (Greenwood's formula on the log-log scale; null where it is undefined: at survival 0 and 1).

    A row a step at which something happened: `solved` runs solved there, `censored` ones left, of `at_risk` ones.
    """
    _check_runs(runs, by)
    made = ("step", "survival", "survival_low", "survival_high", "at_risk", "solved", "censored")
    frames.check_names(by, made)
    keys, groups = frames.split(runs.select(*by, *_observed(runs)), by)
    return frames.stack(keys, [_kaplan_meier(group) for group in groups])


def compare(
    runs: pl.DataFrame, of: str, within: Sequence[str] = (), resamples: int = 9999, seed: int = 0
) -> pl.DataFrame:
    """Do the two values of the column `of` have the same law of solve times? One row for each group of `within`.

    `logrank`, `logrank_p`: the log-rank test under right censoring (statistic negative: the first is slower).
    `ks`, `ks_p`: the Kolmogorov-Smirnov distance sup |F_first - F_second| over steps up to `horizon`, the smallest
    budget that ran out (null: none did), with a permutation p-value. Runs not solved by then are ties at infinity,
    so that censoring at equal budgets costs nothing; ties are exact too, and small samples are enumerated.
    """
    frames.check_resamples(resamples)
    _check_runs(runs, [of, *within])
    counts = dict.fromkeys(["n_first", "n_second", "solved_first", "solved_second", "horizon"], pl.Int64)
    numbers = dict.fromkeys(["logrank", "logrank_p", "ks", "ks_p"], pl.Float64)
    schema = pl.Schema({"first": pl.String, "second": pl.String} | counts | numbers)
    frames.check_names(within, schema.names())
    columns = [*within, of, "outcome", solve_time(), *_observed(runs)]
    keys, groups = frames.split(runs.select(columns), within)
    return frames.join(keys, [_two_samples(group, of, resamples, seed) for group in groups], schema)


def holm(pvalues: Sequence[float] | np.ndarray) -> np.ndarray:
    """P-values adjusted for their number (Holm 1979): P(any true hypothesis has an adjusted p <= a) <= a."""
    p = np.asarray(pvalues, dtype=np.float64)
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def _check_runs(runs: pl.DataFrame, by: Sequence[str]) -> None:
    frames.require(runs, ["outcome", "step", *by], "the runs frame")
    if runs.is_empty():
        raise ConfigError("runs", "no row", "a frame with at least one run")
    for outcome in runs["outcome"].unique().sort():
        if outcome not in OUTCOMES:
            raise ConfigError("runs.outcome", outcome, f"one of {', '.join(OUTCOMES)}")


def _observed(runs: pl.DataFrame) -> list[pl.Expr]:
    """The columns `event` and `time` for the estimators under right censoring."""
    diverged = pl.col("outcome") == "diverged"
    time = pl.col("step")
    if (runs["outcome"] == "diverged").any():
        frames.require(runs, ["budget"], "the runs frame (needed for diverged runs)")
        time = pl.when(diverged).then(pl.col("budget")).otherwise(time)
    return [(pl.col("outcome") == "solved").alias("event"), time.cast(pl.Int64).alias("time")]


def _censored_sample(group: pl.DataFrame) -> stats.CensoredData:
    event, time = group["event"].to_numpy(), group["time"].to_numpy()
    return stats.CensoredData(uncensored=time[event], right=time[~event])


def _kaplan_meier(group: pl.DataFrame) -> pl.DataFrame:
    survival = stats.ecdf(_censored_sample(group)).sf
    with warnings.catch_warnings():
        # scipy warns where the band is undefined; those rows are null here
        warnings.filterwarnings("ignore", message="The confidence interval is undefined")
        band = survival.confidence_interval(0.95, method="log-log")
    estimates = pl.DataFrame(
        {
            "step": survival.quantiles.astype(np.int64),
            "survival": survival.probabilities,
            "survival_low": band.low.probabilities,
            "survival_high": band.high.probabilities,
        }
    ).with_columns(pl.col("survival_low", "survival_high").fill_nan(None))
    counts = (
        group.group_by(step="time")
        .agg(solved=pl.col("event").sum().cast(pl.Int64), all=pl.len().cast(pl.Int64))
        .sort("step")
        .with_columns(at_risk=pl.col("all").cum_sum(reverse=True), censored=pl.col("all") - pl.col("solved"))
    )
    rows = pl.concat([estimates, counts.select("at_risk", "solved", "censored")], how="horizontal")
    if rows["step"][0] == 0:
        return rows
    start = {"step": 0, "survival": 1.0, "survival_low": None, "survival_high": None}
    start |= {"at_risk": group.height, "solved": 0, "censored": 0}
    return pl.concat([pl.DataFrame([start], schema=rows.schema), rows])


def _two_samples(group: pl.DataFrame, of: str, resamples: int, seed: int) -> Mapping[str, object]:
    values = group[of].unique().sort()
    if len(values) != 2:
        raise ConfigError(of, values.to_list(), "a column with two different values in every group", "filter the runs")
    first, second = (group.filter(pl.col(of) == value) for value in values)
    if min(first.height, second.height) < 2:
        raise ConfigError("runs", min(first.height, second.height), "at least two in each sample")
    if group.height > MOST_RUNS:
        raise ConfigError("runs", group.height, f"at most {MOST_RUNS} in one comparison", "compare a sample of them")
    horizon = group.filter(pl.col("outcome") == "censored")["time"].min()
    row: dict[str, object] = {"first": str(values[0]), "second": str(values[1])}
    row |= {"n_first": first.height, "n_second": second.height, "horizon": horizon}
    row |= {"solved_first": int(first["event"].sum()), "solved_second": int(second["event"].sum())}
    with np.errstate(invalid="ignore"):  # 0 / 0: no run was solved while runs of both samples were at risk
        logrank = stats.logrank(_censored_sample(first), _censored_sample(second))
    defined = np.isfinite(logrank.statistic)
    row |= {"logrank": float(logrank.statistic), "logrank_p": float(logrank.pvalue)} if defined else NO_DIFFERENCE
    samples = [part["solve_time"].to_numpy() for part in (first, second)]
    if horizon is not None:
        samples = [np.where(times <= horizon, times, np.inf) for times in samples]
    ks = stats.permutation_test(
        samples,
        _kolmogorov_smirnov,
        vectorized=True,
        n_resamples=resamples,
        batch=max(1, 2_000_000 // group.height),
        alternative="greater",
        rng=np.random.default_rng(seed),
    )
    return row | {"ks": float(ks.statistic), "ks_p": float(ks.pvalue)}


def _kolmogorov_smirnov(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray | np.floating:
    """sup |F_x - F_y| along the last axis, exact under ties."""
    pooled = np.concatenate([x, y], axis=axis)
    order = np.argsort(pooled, axis=axis)
    ordered = np.take_along_axis(pooled, order, axis=axis)
    nx, ny = x.shape[axis], y.shape[axis]
    # counts in integers, so that equal distances of two permutations are equal numbers
    difference = np.cumsum(np.where(order < nx, ny, -nx), axis=axis)[..., :-1]
    last_of_its_ties = ordered[..., 1:] > ordered[..., :-1]
    return np.max(np.abs(difference) * last_of_its_ties, axis=axis) / (nx * ny)
