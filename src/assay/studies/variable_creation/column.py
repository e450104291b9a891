"""The threshold at T = 300: one column of the published grid.

Claim   about 70 samples are enough.
Source  Edelman, Goel, Kakade, Zhang 2022, caption of figure 3 (left); Edelman 2024, figure 4.3.
Output  table `column`, in parts: `cells` (success at each size) and `thresholds`. At smoke and paper scale its runs
        are among those of `sample-complexity`, where they are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

import assay as ay
from assay.analysis.thresholds import thresholds
from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.studies.variable_creation import sample_complexity
from assay.studies.variable_creation.sample_complexity import LEVEL, cells
from assay.studies.variable_creation.settings import best_of_restarts, replicates, samples

COLUMN: Mapping[str, tuple[int, Sequence[int], int, int, int]] = {
    # T, m, replicates, restarts, steps
    "smoke": (64, (16, 64), 4, 2, 150),
    "desk": (300, (50, 70, 100), 4, 2, 1000),
    "paper": (300, range(50, 201, 10), 40, 5, 1000),
}

SEVENTY = Claim(
    id="E1b",
    source="Edelman, Goel, Kakade, Zhang 2022, figure 3; Edelman 2024, figure 4.3",
    statement="At T = 300 the threshold is about 70 samples.",
    kind="experiment",
    criterion={
        "smoke": "T = 64: success at m = 64 at least that at m = 16, and at least 3/4",
        "desk": "T = 300: success at m = 100 at least that at m = 50, and at least 3/4",
        "paper": "m*(300) between 60 and 80",
    },
)


def sweep(scale: str) -> ay.Sweep:
    length, sizes, count, restarts, budget = COLUMN[scale]
    trial = sample_complexity.sweep(scale).parts[0][0].replace(budget=budget)
    trial = trial.replace(record=trial.record.replace(steps=(budget,)))
    return ay.Sweep(trial, ay.axis("task.n", length), samples(*sizes), replicates(count, restarts))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    best = best_of_restarts(runs.frame.rename({"task.n": "T", "data.samples": "m"}), ["T", "m"])
    parts = {"cells": cells(best), "thresholds": thresholds(best, "m", "success", LEVEL[scale], by=["T"])}
    return pl.concat(
        [part.select(pl.lit(name).alias("part"), pl.all()) for name, part in parts.items()], how="diagonal_relaxed"
    )


def figure(table: pl.DataFrame) -> Display:
    rates = table.filter(part="cells")
    line = pl.format("best of {} restarts", "restarts")
    best = rates.select("m", "rate", "low", "high", line=line)
    one = rates.select("m", rate="with_one", line=pl.lit("one restart"))
    length = rates["T"][0]
    return Lines(
        pl.concat([best, one], how="diagonal_relaxed"),
        x="m", y="rate", line="line", bars=("low", "high"), x_label="samples m", y_label="fraction that succeeds",
        title=f"Conjunctions of 3 out of {length} bits",
        caption="Fraction of training sets from which a one-layer Transformer reaches 99 % validation accuracy, with "
        "95 % Wilson "
        "bars. Edelman, Goel, Kakade, Zhang 2022, figure 3 (caption).",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rates = dict(table.filter(part="cells").select("m", "rate").iter_rows())
    row = table.filter(part="thresholds").row(0, named=True)
    words = ", ".join(f"m = {m}: {rate:.2f}" for m, rate in rates.items())
    if scale == "paper":
        kept = row["kept"]
        interval = (row["isotonic_low"] or 0.0, row["isotonic_high"] or float("inf"))
        return [SEVENTY.judged(kept is not None and 60 <= kept <= 80, kept, interval, words)]
    low, high = rates[min(rates)], rates[max(rates)]
    return [SEVENTY.judged(high >= low and high >= 0.75, high, note=words)]


experiment = Experiment(
    name="column",
    title="The threshold at T = 300",
    source="figure 3, caption",
    claims=(SEVENTY,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs=sample_complexity.experiment.name,
)
