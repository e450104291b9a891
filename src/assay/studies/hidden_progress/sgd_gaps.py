"""Fourier gaps along the path of SGD: there from the start, and amplified by training.

Claim   the gap of the gradient of the population is positive at the initial weights, and grows while the loss is flat.
Source  Barak et al. 2022, figure 12 (right) and appendix C.1: a sinusoid neuron (xiv), batch 128, learning rate 0.01.
        The paper gives no (n,k) but (50,3) of its other figures: (51,2) and (51,4) beside it, where majority has a gap,
        which it has at odd n and even k alone. Gaps are exact, by the closed form for any n (measure `gradient/gap`).
Output  table `sgd-gaps`, in parts: `curves` (gaps of some runs, median and band) and `trials` (one row a run: the gap
        at the start and when the accuracy first exceeds 55 %).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from scipy import stats

import assay as ay
from assay.analysis import bands
from assay.figures import Display, TrainingCurves
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.curves import in_order, joined
from assay.studies.hidden_progress.settings import NETS, WHOLE_SAMPLE, labels
from assay.theory.parity import majority_gap

GAP = "gradient/gap"
JUDGED = "(50, 3)"
GRID: Mapping[str, tuple[Sequence[tuple[int, int]], int]] = {
    # (n, k), runs
    "smoke": (((51, 2), (50, 3)), 20),
    "desk": (((51, 2), (50, 3), (51, 4)), 100),
    "paper": (((51, 2), (50, 3), (51, 4)), 1000),
}
BUDGET = 20_000

AMPLIFIED = Claim(
    id="E13",
    source="Barak et al. 2022, figure 12 (right)",
    statement="The Fourier gap of a sinusoid neuron is positive at the initial weights, and SGD amplifies it before "
    "the accuracy moves.",
    kind="experiment",
    criterion="(50,3): gap at the initial weights > 0 in >= 95 % of the runs; gap when the accuracy first exceeds 55 % "
    "at least 3 x that at the start in >= 80 % of those that get there",
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    cells, runs = GRID[scale]
    return {
        f"({n}, {k})": ay.Sweep(
            ay.Trial(
                task=ay.Parity(n=n, k=k),
                net=NETS["xiv"],
                optimiser=ay.SGD(learning_rate=0.01),
                batch=128,
                budget=BUDGET,
                solve=WHOLE_SAMPLE,
                record=ay.Record(measures=("eval/error", GAP), every=10),
            ),
            ay.seeds(runs),
        )
        for n, k in cells
    }


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    named = sweeps(scale)
    curves = runs.curves.join(labels("panel", named), on="trial")
    references = {f"({n}, {k})": _majority(n, k) for n, k in GRID[scale][0]}
    drawn = bands.examples_and_band(curves, [GAP], by=["panel"], examples=10)
    trials = [_trial(run.sort("step")) for run in curves.partition_by("trial", maintain_order=True)]
    return pl.concat(
        [
            in_order(drawn, named).with_columns(
                part=pl.lit("curves"),
                chance=pl.col("panel").replace_strict(references, return_dtype=pl.Float64),
            ),
            in_order(pl.DataFrame(trials).sort("trial"), named).with_columns(part=pl.lit("trials")),
        ],
        how="diagonal_relaxed",
    )


def _majority(n: int, k: int) -> float | None:
    """The gap of majority, where it has one."""
    return float(majority_gap(n, k)) if n % 2 and k % 2 == 0 else None


def _trial(run: pl.DataFrame) -> dict[str, object]:
    """The gap at the start, and at the first record with accuracy > 55 %."""
    moved = run.filter(pl.col("eval/error") < 0.45)
    start = run[GAP][0]
    row: dict[str, object] = {"panel": run["panel"][0], "trial": run["trial"][0], "start": start}
    row |= {"moved_step": moved["step"][0] if moved.height else None, "moved": moved[GAP][0] if moved.height else None}
    return row | {"growth": moved[GAP][0] / start if moved.height and start > 0 else None}


def figure(table: pl.DataFrame) -> Display:
    curves = table.filter(part="curves")
    return TrainingCurves(
        curves,
        panel="panel",
        columns=curves["panel"].n_unique(),
        y_scale="log",
        y_label="Fourier gap",
        labels={GAP: "gap of the neuron", "chance": "gap of majority"},
        title="Fourier gaps along the path of SGD",
        caption="Relaxed gap of the gradient of the population at the weights of a sinusoid neuron: ten runs (thin), "
        "median and 10-90 % band over all, for parities of k out of n bits, (n, k) above each panel. Batch 128, "
        "learning rate 0.01. Runs end when the parity is solved. Barak et al. 2022, figure 12 (right).",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    trials = table.filter(part="trials", panel=JUDGED)
    positive = float((trials["start"] > 0).to_numpy().mean())
    grown = trials.drop_nulls("moved")
    count = int((grown["moved"] >= 3 * grown["start"]).sum())
    interval = stats.binomtest(count, grown.height).proportion_ci(method="wilson")
    quantiles = np.quantile(grown["growth"].drop_nulls().to_numpy(), (0, 0.1, 0.5, 0.9)).tolist()
    least, low, middle, high = (f"{quantile:.1f}" for quantile in quantiles)
    note = (
        f"value: fraction of {grown.height} runs with a gap three times as large; growth: smallest {least}, quantiles "
        f"10 % {low}, 50 % {middle}, 90 % {high}; positive at the start in {positive:.0%}"
    )
    holds = positive >= 0.95 and count >= 0.8 * grown.height
    return [AMPLIFIED.judged(holds, count / grown.height, (interval.low, interval.high), note)]


experiment = Experiment(
    name="sgd-gaps",
    title="Fourier gaps along the path of SGD",
    source="figure 12 (right)",
    claims=(AMPLIFIED,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
