"""Solve times against width: more neurons are not more copies of a search.

Claim   beyond some width the median solve time stays where it is, where r copies of random search would be r times as
        fast; width takes away the upper tail.
Source  Barak et al. 2022, figures 4 (left) and 14, appendix D.1.4: ReLU nets, batch 128, learning rate 0.1, on
        (30,3), (40,3), (50,3). Solved: all of 128 held-out examples right, checked every 10 steps. Nets of fewer than k
        neurons cannot represent the parity: they are solved at an accuracy of 55 % on fresh samples of 128, 10 checks
        in a row. Differs from it in: widths up to 1000 and fewer runs below paper scale.
Output  table `width`, in parts: `boxes` (a box for each width, n) and `summary` (numbers of the claim; one row an n).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import boxes, powerlaw, survival
from assay.analysis.quantiles import bootstrap_quantiles, percentile_interval
from assay.figures import Boxes, Display
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import SMALL_SAMPLE
from assay.theory.parity import RandomSearch

K = 3
SMALL, LARGE, NARROW = 100, 1000, 30
"""Widths whose medians are compared; and the one whose spread the largest's is compared with."""
WEAK = ay.Solve(accuracy=0.55, sample=128, fresh=True, streak=10)
"""Nets that are narrower than k."""
POWERS = (30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
GRID: Mapping[str, tuple[Sequence[int], Sequence[int], int, int]] = {
    # n, widths, runs, budget
    "smoke": ((30,), (2, 3, 10, 30, 100, 1000), 16, 10_000),
    "desk": ((30, 40, 50), (*range(1, 11), 30, 100, 300, 1000), 32, 30_000),
    "paper": ((30, 40, 50), (*range(1, 11), *POWERS), 1000, 100_000),
}

_SHAPE = (
    "(30,3): median at width 1000 over median at width 100 in [0.7, 1.4], where random search has 0.1; slowest over "
    "fastest run at width 1000 at most 0.6 x that at width 30, from as many runs; some run of width 3 solved"
)
NO_COPIES = Claim(
    id="E14",
    source="Barak et al. 2022, figures 4 (left) and 14",
    statement="Width does not speed up learning as parallel copies of a search would: the median solve time levels "
    "off, and only its spread falls.",
    kind="experiment",
    criterion={
        "smoke": _SHAPE,
        "desk": _SHAPE,
        "paper": _SHAPE + "; exponent of the medians over the widths from 100 on in [-0.1, 0.1] for n = 30, 40, 50; "
        "some runs of width 1 and 2 reach an accuracy of 55 %",
    },
)


def sweep(scale: str) -> ay.Sweep:
    ns, widths, runs, budget = GRID[scale]
    trial = ay.Trial(
        task=ay.Parity(n=ns[0], k=K),
        net=ay.MLP(width=widths[0]),
        optimiser=ay.SGD(learning_rate=0.1),
        batch=128,
        budget=budget,
    )
    parts = [(WEAK, [r for r in widths if r < K]), (SMALL_SAMPLE, [r for r in widths if r >= K])]
    weak, strong = (
        ay.Sweep(trial.replace(solve=solve), ay.axis("task.n", *ns), ay.axis("net.width", *chosen), ay.seeds(runs))
        for solve, chosen in parts
    )
    return weak + strong


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    frame = runs.frame.select("outcome", "step", survival.solve_time(), n="task.n", width="net.width")
    found = boxes.summary(frame.drop("solve_time").rename({"n": "inputs"}), by=["inputs", "width"])
    search = [RandomSearch(n=n, k=K, copies=r).mean for n, r in found.select("inputs", "width").rows()]
    found = found.with_columns(random_search=pl.Series(search), weak=pl.col("width") < K)
    laws = powerlaw.fit_solve_times(frame.filter(pl.col("width") >= SMALL), x="width", by=["n"])
    summary = pl.DataFrame([_summary(part) for part in frame.partition_by("n", maintain_order=True)])
    summary = summary.join(laws.select("n", "exponent", "exponent_low", "exponent_high"), on="n")
    return pl.concat(
        [
            found.with_columns(part=pl.lit("boxes")),
            summary.rename({"n": "inputs"}).with_columns(part=pl.lit("summary")),
        ],
        how="diagonal_relaxed",
    )


def _summary(runs: pl.DataFrame) -> dict[str, float]:
    """Ratio of the medians of wide nets, with a 95 % bootstrap interval, and the spread of wide and narrow ones."""
    times = {width: runs.filter(width=width)["solve_time"].to_numpy() for width in (NARROW, SMALL, LARGE)}
    ratio = np.median(times[LARGE]) / np.median(times[SMALL])
    rng = np.random.default_rng(0)
    large, small = (bootstrap_quantiles(times[width], (0.5,), 999, rng) for width in (LARGE, SMALL))
    low, high = percentile_interval(large / small)
    spread = {width: float(sample.max() / sample.min()) for width, sample in times.items()}
    row = {"n": runs["n"][0], "ratio": float(ratio), "ratio_low": float(low[0]), "ratio_high": float(high[0])}
    return row | {"spread_wide": spread[LARGE], "spread_narrow": spread[NARROW]}


def figure(table: pl.DataFrame) -> Display:
    return Boxes(
        table.filter(part="boxes"),
        panel="inputs",
        columns=3,
        x="width",
        flag="weak",
        overlays=("random_search",),
        labels={
            "inputs": "n",
            "width": "width r",
            "q50": "ReLU nets",
            "weak": "narrower than k: 55 % accuracy",
            "random_search": "r copies of random search, mean",
        },
        title="Solve times against width",
        caption="Steps until a ReLU net of width r has solved a parity of 3 out of n bits; boxes are quartiles, "
        "whiskers 1.5 interquartile ranges, crosses the extremes; percentages are those of the solved runs. Batch 128, "
        "learning rate 0.1. Barak et al. 2022, figures 4 (left) and 14.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    summary = table.filter(part="summary")
    row = summary.row(by_predicate=pl.col("inputs") == 30, named=True)
    solved = {
        (n, r): part for n, r, part in table.filter(part="boxes").select("inputs", "width", "solved_fraction").rows()
    }
    calmer = row["spread_wide"] / row["spread_narrow"]
    holds = 0.7 <= row["ratio"] <= 1.4 and calmer <= 0.6 and solved[30, K] > 0
    if scale == "paper":
        holds &= bool(np.all(np.abs(summary["exponent"].to_numpy()) <= 0.1))
        holds &= all(part > 0 for (_, r), part in solved.items() if r < K)
    note = (
        f"value: ratio of the medians; slowest over fastest run {row['spread_wide']:.2f} at width {LARGE}, "
        f"{row['spread_narrow']:.2f} at width {NARROW}: {calmer:.2f} of it; width {K}: {solved[30, K]:.0%} solved; "
    )
    note += "exponents from width 100 on: "
    note += ", ".join(f"{e:.2f} at n = {n}" for n, e in summary.select("inputs", "exponent").rows())
    return [NO_COPIES.judged(holds, row["ratio"], (row["ratio_low"], row["ratio_high"]), note)]


experiment = Experiment(
    name="width",
    title="Solve times against width",
    source="figures 4 (left) and 14",
    claims=(NO_COPIES,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
