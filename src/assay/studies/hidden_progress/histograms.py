"""Histograms of solve times: nothing happens early, and the tail is heavy.

Claim   the steps until solved are not distributed as those of a search without memory, which is most likely to end at
        once: early successes are missing, and there is a heavy upper tail.
Source  Barak et al. 2022, figure 2 (left), which does not name its nets: settings (i), (xiv) and (xv) at (30,3), batch
        32, with the learning rates of figure 10. Solved: all of 128 held-out examples right, checked every 10 steps.
        Differs from it in: fewer runs than 10^6 at smoke and desk scale.
Output  table `histograms`, in two parts: `bins` (density of the runs and of two geometric laws) and `summary` (one row
        a setting: quantiles, early successes, Kolmogorov-Smirnov distances).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import polars as pl
from scipy import stats

import assay as ay
from assay.analysis import histogram, laws, survival
from assay.figures import Display, Histogram
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import NAMES, NETS, SMALL_SAMPLE
from assay.studies.hidden_progress.solve_times import RATES
from assay.theory.parity import RandomSearch

N, K = 30, 3
SETTINGS = ("i", "xiv", "xv")
JUDGED = ("xiv", "xv")
RUNS = {"smoke": 1000, "desk": 20_000, "paper": 1_000_000}
BUDGET = {"smoke": 20_000, "desk": 20_000, "paper": 100_000}
BINS = {"smoke": 40, "desk": 60, "paper": 120}
QUANTILES = (0.0001, 0.01, 0.1, 0.5, 0.9, 0.99)

_SHAPE = (
    "settings (xiv) and (xv), (n, k) = (30, 3): fastest run / median >= 0.2; at most 0.1 % of the runs within a "
    "quarter of the median (a geometric law: 15.9 %); 99 % quantile / median >= 1.7"
)
NOT_MEMORYLESS = Claim(
    id="E9",
    source="Barak et al. 2022, figure 2 (left)",
    statement="Solve times have a heavy upper tail and no early successes, unlike those of random search.",
    kind="experiment",
    criterion={
        "smoke": f"{_SHAPE}; 1,000 runs each",
        "desk": f"{_SHAPE}; 20,000 runs each",
        "paper": f"{_SHAPE}; Kolmogorov-Smirnov distance to random search, P[T > t] = (1 - 1/4060)^t, >= 0.3; "
        "10^6 runs each",
    },
)


def sweep(scale: str) -> ay.Sweep:
    first, *rest = (
        ay.Sweep(
            ay.Trial(
                task=ay.Parity(n=N, k=K),
                net=NETS[setting],
                optimiser=ay.SGD(learning_rate=RATES[setting]),
                batch=32,
                budget=BUDGET[scale],
                solve=SMALL_SAMPLE,
            ),
            ay.seeds(RUNS[scale]),
        )
        for setting in SETTINGS
    )
    return sum(rest, first)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    """Part `bins`: a row a bin, however many runs; part `summary`: a row a setting."""
    setting = pl.col("net.kind").replace_strict({NETS[name].kind: name for name in SETTINGS})
    frame = runs.frame.select("outcome", "step", survival.solve_time(), setting=setting)
    order = pl.col("setting").replace_strict({name: i for i, name in enumerate(SETTINGS)}, return_dtype=pl.Int64)
    summary = survival.summary(frame, ["setting"], QUANTILES).sort(order)
    rows = [_shape(frame.filter(setting=name), row["q50"], scale) for name, row in _named(summary)]
    summary = pl.concat([summary, pl.DataFrame(rows)], how="horizontal")
    bins = histogram.counts(frame, "solve_time", ["setting"], _edges(scale)).sort(order, "low")
    densities = [_densities(bins.filter(setting=name), row["q50"]) for name, row in _named(summary)]
    return pl.concat(
        [pl.concat(densities).with_columns(part=pl.lit("bins")), summary.with_columns(part=pl.lit("summary"))],
        how="diagonal_relaxed",
    )


def _named(summary: pl.DataFrame) -> list[tuple[str, dict[str, float]]]:
    """The settings with their quantiles; a median that is not reached is infinite."""
    return [(row["setting"], row | {"q50": row["q50"] or math.inf}) for row in summary.iter_rows(named=True)]


def _edges(scale: str) -> np.ndarray:
    """About equal ratios, at multiples of the steps between checks: no bin has room for more checks than its width."""
    every = SMALL_SAMPLE.every
    checks = histogram.equal_bins(1, BUDGET[scale] / every, BINS[scale], log=True)
    return every * np.unique(np.round(checks))


def _shape(runs: pl.DataFrame, median: float, scale: str) -> dict[str, float]:
    """How soon the first runs are solved, and how far from geometric the times are."""
    times = runs["solve_time"].to_numpy()
    early = int((times <= median / 4).sum())
    interval = stats.binomtest(early, len(times)).proportion_ci(method="exact")
    every, horizon = SMALL_SAMPLE.every, BUDGET[scale]
    return {
        "fastest": float(times.min()),
        "early": early / len(times),
        "early_low": float(interval.low),
        "early_high": float(interval.high),
        "ks_search": laws.kolmogorov(times, _geometric(1 / RandomSearch(n=N, k=K).subsets), every, horizon),
        "ks_same_median": laws.kolmogorov(times, _geometric(-math.expm1(-math.log(2) / median)), every, horizon),
    }


def _densities(bins: pl.DataFrame, median: float) -> pl.DataFrame:
    """The geometric laws of random search and of the same median, in the same bins, per step."""
    low, high = bins["low"].to_numpy(), bins["high"].to_numpy()
    found = {"search": 1 / RandomSearch(n=N, k=K).subsets, "same_median": -math.expm1(-math.log(2) / median)}
    columns = {name: (_geometric(p)(high) - _geometric(p)(low)) / (high - low) for name, p in found.items()}
    return bins.with_columns(median=pl.lit(median), **{name: pl.Series(values) for name, values in columns.items()})


def _geometric(p: float) -> Callable[[np.ndarray], np.ndarray]:
    """t -> P[T <= t] = 1 - (1 - p)^t."""
    return lambda t: -np.expm1(t * math.log1p(-p))


def figure(table: pl.DataFrame) -> Display:
    return Histogram(
        table.filter(part="bins"),
        panel="setting",
        columns=3,
        height="density",
        laws=("search", "same_median"),
        marks=("median",),
        x_scale="log",
        y_scale="log",
        x_label="steps until solved",
        y_label="density, per step",
        labels={
            **NAMES,
            "density": "runs",
            "search": "random search, p = 1/C(30,3)",
            "same_median": "geometric, same median",
        },
        title="Solve times of many runs, beside those of a search without memory",
        caption="Density of the steps until solved at (n, k) = (30, 3), batch 32, and that of two geometric laws: "
        "random search over subsets, and the one with the median of the runs. Barak et al. 2022, figure 2 (left).",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(pl.col("part") == "summary", pl.col("setting").is_in(JUDGED))
    ratios = rows.select(
        "setting", "early", "early_low", "early_high", "ks_search",
        first=pl.col("fastest") / pl.col("q50"), last=pl.col("q99") / pl.col("q50"),
    )  # fmt: skip
    holds = all(
        row["first"] >= 0.2 and row["early"] <= 0.001 and (row["last"] or math.inf) >= 1.7
        and (scale != "paper" or row["ks_search"] >= 0.3)
        for row in ratios.iter_rows(named=True)
    )  # fmt: skip
    words = "; ".join(
        f"({row['setting']}) fastest {row['first']:.2f} medians, 99 % quantile {row['last'] or math.inf:.2f} medians, "
        f"KS distance to random search {row['ks_search']:.2f}"
        for row in ratios.iter_rows(named=True)
    )
    worst = ratios.sort("early", "early_high", descending=True).row(0, named=True)
    interval = (worst["early_low"], worst["early_high"])
    return [NOT_MEMORYLESS.judged(holds, worst["early"], interval, f"value: largest early fraction. {words}")]


experiment = Experiment(
    name="histograms",
    title="Histograms of solve times",
    source="figure 2 (left)",
    claims=(NOT_MEMORYLESS,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
