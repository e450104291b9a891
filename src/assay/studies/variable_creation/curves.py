"""Validation curves above and below the threshold: overfitting or success, and the training data fitted in either case.

Claim   with few samples the Transformer overfits more often; in all runs it interpolates the training data.
Source  Edelman, Goel, Kakade, Zhang 2022, figure 3 (left) and appendix A.3.1; Edelman 2024, figure 4.3 (left).
Output  table `curves`, in parts: `curves` (validation error of the best restart of each replicate) and `runs` (one row
        a run: best validation error, error and loss on the training set without dropout at the end).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import bands
from assay.figures import Display, TrainingCurves
from assay.studies import Claim, Experiment, Judgement
from assay.studies.variable_creation.settings import TRIAL, replicates, samples

GRID: Mapping[str, tuple[int, Sequence[int], int, int, int, int]] = {
    # T, m below and above, replicates, restarts, steps, validation sample
    "smoke": (64, (16, 64), 3, 1, 150, 2000),
    "desk": (100, (24, 100), 6, 1, 300, 2000),
    "paper": (300, (50, 200), 40, 5, 1000, 10_000),
}
SUCCESS = 0.01
"""Validation error below which a run succeeds."""

ABOVE_AND_BELOW = Claim(
    id="E2",
    source="Edelman, Goel, Kakade, Zhang 2022, figure 3 (left); Edelman 2024, figure 4.3 (left)",
    statement="Above the threshold the Transformer succeeds; below it overfits with higher probability, and "
    "overfitted models "
    "differ widely.",
    kind="experiment",
    criterion={
        "smoke": "T = 64: all 3 replicates at m = 64 reach > 0.99, and not all at m = 16",
        "desk": "T = 100: >= 5/6 of m = 100 reach > 0.99, <= 4/6 of m = 24 do; training accuracy 100 % everywhere",
        "paper": "T = 300: >= 36 of 40 replicates reach > 0.99 at m = 200, fewer than 32 at m = 50; standard "
        "deviation of the "
        "best validation accuracy at m = 50 >= 5 times that at m = 200",
    },
)
INTERPOLATES = Claim(
    id="E1c",
    source="Edelman, Goel, Kakade, Zhang 2022, appendix A.3.1",
    statement="Every run fits its training data: accuracy 100 %, and a loss that goes to zero.",
    kind="experiment",
    criterion={
        "smoke": "all runs, 150 steps: training accuracy 100 %, loss without dropout < 0.05",
        "desk": "all runs, 300 steps: training accuracy 100 %, loss without dropout < 5e-3",
        "paper": "all runs, within 1000 steps: training accuracy 100 % and loss without dropout < 1e-4 at the same "
        "step",
    },
)


def sweep(scale: str) -> ay.Sweep:
    length, sizes, count, restarts, budget, sample = GRID[scale]
    trial = TRIAL.replace(
        task=TRIAL.task.replace(n=length),
        budget=budget,
        solve=ay.Solve(sample=sample, every=budget),  # tested at the end alone: whole curves are wanted
        record=ay.Record(measures=("eval/error", "train/error", "train/loss"), every=10),
    )
    return ay.Sweep(trial, samples(*sizes), replicates(count, restarts))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    names = runs.frame.select("trial", "seed", "init.seed", m="data.samples")
    curves = runs.curves.join(names, on="trial")
    fits = pl.col("train/error") == 0
    ended = curves.sort("step").group_by("trial", "m", "seed", "init.seed").agg(
        lowest=pl.min("eval/error"), last=pl.last("eval/error"), train_error=pl.last("train/error"),
        train_loss=pl.last("train/loss"), lowest_loss=pl.col("train/loss").filter(fits).min(),
        fitted=pl.col("step").filter(fits).min(),
    ).sort("m", "seed", "init.seed")  # fmt: skip
    best = ended.sort("lowest", "init.seed").group_by("m", "seed", maintain_order=True).first()
    chosen = curves.join(best.select("trial"), on="trial").with_columns(panel=pl.format("m = {}", "m"))
    drawn = bands.examples_and_band(chosen, ["eval/error"], by=["panel", "m"], examples=40).sort(
        "m", maintain_order=True
    )
    return pl.concat(
        [
            drawn.with_columns(part=pl.lit("curves"), chance=pl.lit(0.5)),
            ended.with_columns(part=pl.lit("runs"), best=pl.col("trial").is_in(best["trial"].to_list())),
        ],
        how="diagonal_relaxed",
    )


def figure(table: pl.DataFrame) -> Display:
    return TrainingCurves(
        table.filter(part="curves"),
        panel="panel",
        y_label="validation error",
        labels={"eval/error": "validation error"},
        title="Below and above the threshold",
        caption="Validation error of the best restart of each replicate (thin), median and 10-90 % band, against "
        "full-batch "
        "steps: conjunctions of 3 bits. All runs fit their training data. Edelman, Goel, Kakade, Zhang 2022, figure "
        "3 (left).",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    _, (few, many), *_ = GRID[scale]
    ended = table.filter(part="runs")
    best = ended.filter("best")
    reached = {m: best.filter(m=m)["lowest"] < SUCCESS for m in (few, many)}
    above, below = int(reached[many].sum()), int(reached[few].sum())
    spread = {m: float(np.std(best.filter(m=m)["lowest"].to_numpy())) for m in (few, many)}
    count = len(reached[many])
    exact = bool((ended["train_error"] == 0).all())
    if scale == "paper":
        holds = above >= 36 and below < 32 and spread[few] >= 5 * spread[many]
    elif scale == "desk":
        holds = above >= 5 and below <= 4 and exact
    else:
        holds = above == count and below < count
    limit = {"smoke": 0.05, "desk": 5e-3, "paper": 1e-4}[scale]
    within = scale == "paper"  # at some step; at the other scales at the last one
    losses = ended["lowest_loss" if within else "train_loss"].fill_null(math.inf).to_numpy()
    loss = float(losses.max())
    late = ended.filter(pl.col("train_loss") >= limit).height
    above_limit = f"not below {limit:g}: {(losses >= limit).sum()} of {len(losses)} runs, {late} at the last step"
    note = f"m = {few}: {below} of {count}, spread {spread[few]:.4f}; m = {many}: {above}, spread {spread[many]:.4f}"
    return [
        ABOVE_AND_BELOW.judged(holds, below / count, note="value: success below the threshold; " + note),
        INTERPOLATES.judged(
            (exact or within) and loss < limit, loss, note=f"value: largest training loss; {above_limit}"
        ),
    ]


experiment = Experiment(
    name="curves",
    title="Above and below the threshold",
    source="figure 3 (left)",
    claims=(ABOVE_AND_BELOW, INTERPOLATES),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
