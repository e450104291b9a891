"""Grokking: on a fixed training set the error on it falls early, and that on new examples much later, or never.

Claim   with many examples there is no gap, with few the net only memorises, in between weight decay makes the net
        generalise long after it has memorised; too much weight decay and nothing is learnt.
Source  Barak et al. 2022, figures 4 (right) and 15; (50,3), which only the caption of the submitted version says.
        ReLU net of width 100, batch 32, learning rate 0.1. The paper gives neither the sizes of the training set nor
        the weight decays: those here were found to show what it describes. Epochs are reshuffled; weight decay is
        PyTorch's, on all parameters.
Output  table `grokking`, in two parts: `curves` (single runs, median and band of training and held-out error) and
        `trials` (the steps at which a run first answers 99 % of the training set and 98 % of the held-out sample).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import bands
from assay.figures import CurveGrid, Display, TrainingCurves, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.curves import first_step, wilson
from assay.studies.hidden_progress.settings import NETS, WHOLE_SAMPLE

LEARNT, GENERALISED = 0.01, 0.02
"""Errors on the training set and on the held-out sample below which it is learnt."""
SLICE = 0.003
"""Weight decay of the panels that differ in the size of the training set alone."""

GRID: Mapping[str, tuple[Sequence[int], Sequence[float], int, int]] = {
    # training examples, weight decays, runs a cell, budget
    "smoke": ((5000, 2000, 300), (0.0, 0.003, 0.1), 3, 20_000),
    "desk": ((5000, 2000, 1000, 700, 500, 300), (0.0, 0.001, 0.003, 0.01, 0.03, 0.1), 5, 60_000),
    "paper": ((5000, 2000, 1000, 700, 500, 300), (0.0, 0.001, 0.003, 0.01, 0.03, 0.1), 10, 100_000),
}
GROKKING = {"smoke": (0.003,), "desk": (0.001, 0.003), "paper": (0.001, 0.003)}
"""Weight decays at which m = 2000 has to generalise late."""
SHORT = 20_000

_CRITERION = (
    "t_train and t_test: first records with training accuracy >= 99 % and held-out accuracy >= 98 %. m = 5000, decay "
    "0.003: t_test / t_train <= 1.5 in every run; m = 2000, decay {}: t_test >= 2 t_train in >= 2/3 of the runs; "
    "m = 300, decay 0.003: t_train <= 20,000 and held-out accuracy <= 60 % at 20,000 in every run; m = 2000, decay "
    "0.1: neither in any run; m = 2000, decay 0: no t_test <= 20,000 in any run"
)
GROKS = Claim(
    id="E15",
    source="Barak et al. 2022, figures 4 (right) and 15",
    statement="Large training sets leave no gap, small ones are memorised; in between nets generalise long after they "
    "have memorised, given weight decay; too much of it prevents learning.",
    kind="experiment",
    criterion={scale: _CRITERION.format(" and ".join(map(str, decays))) for scale, decays in GROKKING.items()},
)


def sweep(scale: str) -> ay.Sweep:
    sizes, decays, runs, budget = GRID[scale]
    trial = ay.Trial(
        task=ay.Parity(n=50, k=3),
        net=NETS["ii"],
        optimiser=ay.SGD(learning_rate=0.1),
        data=ay.Offline(samples=sizes[0]),
        batch=32,
        budget=budget,
        solve=WHOLE_SAMPLE,
        record=ay.Record(measures=("train/error", "eval/error"), points=100, steps=(SHORT,)),
    )
    return ay.Sweep(trial, ay.axis("data.samples", *sizes), ay.axis("optimiser.weight_decay", *decays), ay.seeds(runs))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    cells = runs.frame.select("trial", "outcome", "step", samples="data.samples", decay="optimiser.weight_decay").sort(
        "decay", -pl.col("samples"), maintain_order=True
    )
    curves = runs.curves.join(cells.select("trial", "samples", "decay"), on="trial")
    drawn = bands.examples_and_band(curves, ["train/error", "eval/error"], by=["decay", "samples"], examples=3)
    early = curves.filter(pl.col("step") <= SHORT).sort("step").group_by("trial").agg(early_error=pl.last("eval/error"))
    trials = (
        cells.join(first_step(curves, pl.col("train/error") <= LEARNT, "train_step"), on="trial", how="left")
        .join(first_step(curves, pl.col("eval/error") <= GENERALISED, "test_step"), on="trial", how="left")
        .join(early, on="trial", how="left", maintain_order="left")
    )
    return pl.concat(
        [
            drawn.sort("decay", -pl.col("samples"), maintain_order=True).with_columns(part=pl.lit("curves")),
            trials.with_columns(part=pl.lit("trials")),
        ],
        how="diagonal_relaxed",
    )


def figure(table: pl.DataFrame) -> Display:
    curves = table.filter(part="curves").drop("part").with_columns(chance=pl.lit(0.5))
    words = {str(m): f"m = {m:,}" for m in curves["samples"].unique()}
    words |= {str(decay): rf"$\lambda$ = {decay:g}" for decay in curves["decay"].unique()}
    words |= {"train/error": "training error", "eval/error": "held-out error"}
    rows = curves["decay"].n_unique()
    slices = TrainingCurves(
        curves.filter(decay=SLICE),
        panel="samples",
        columns=curves["samples"].n_unique(),
        x_scale="log",
        y_label="error",
        labels=words,
        title=f"Weight decay {SLICE:g}, from large to small training sets",
    )
    grid = CurveGrid(
        curves,
        row="decay",
        column="samples",
        x_scale="log",
        y_label="error",
        labels=words,
        title="All weight decays",
    )
    heights = slices.default_size()[1], grid.default_size()[1]
    return board(
        slices,
        grid,
        columns=1,
        heights=heights,
        size=(slices.default_size()[0], 0.3 + sum(heights)),
        title="Grokking: parities of 3 out of 50 bits learnt from m examples",
        caption="Error on the training set and on 8,192 held-out examples: single runs (thin), median and 10-90 % band "
        f"against the steps of SGD, in {rows} rows of weight decay. ReLU net of width 100, batch 32, learning rate "
        "0.1. Runs end when all held-out examples are right. Barak et al. 2022, figures 4 (right) and 15.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    def cell(samples: int, decay: float) -> Mapping[str, np.ndarray]:
        rows = table.filter(pl.col("part") == "trials", pl.col("samples") == samples, pl.col("decay") == decay)
        times = rows.select(pl.col("train_step", "test_step").cast(pl.Float64).fill_null(math.inf))
        return {name: times[name].to_numpy() for name in times.columns} | {"early": rows["early_error"].to_numpy()}

    many, few, much, none = cell(5000, SLICE), cell(300, SLICE), cell(2000, 0.1), cell(2000, 0.0)
    late = [cell(2000, decay) for decay in GROKKING[scale]]
    delayed = [np.isfinite(c["test_step"]) & (c["test_step"] >= 2 * c["train_step"]) for c in late]
    fewest = min(delayed, key=lambda runs: runs.mean())
    parts = {
        "no gap at m = 5000": bool(
            np.all(np.isfinite(many["test_step"]) & (many["test_step"] <= 1.5 * many["train_step"]))
        ),
        "late at m = 2000": bool(fewest.mean() >= 2 / 3),
        "memorised at m = 300": bool(np.all(few["train_step"] <= SHORT) and np.all(few["early"] >= 0.4)),
        "not learnt at decay 0.1": bool(np.isinf([much["train_step"], much["test_step"]]).all()),
        "not generalised without decay": bool(np.all(none["test_step"] > SHORT)),
    }
    ratios = [
        ratio for c, runs in zip(late, delayed, strict=True) for ratio in c["test_step"][runs] / c["train_step"][runs]
    ]
    note = "value: smallest fraction of runs that generalise late at m = 2000"
    note += f", by a factor {np.median(ratios):.1f} (median); " if ratios else "; "
    note += ", ".join(f"{name}: {'yes' if met else 'no'}" for name, met in parts.items())
    return [GROKS.judged(all(parts.values()), float(fewest.mean()), wilson(int(fewest.sum()), len(fewest)), note)]


experiment = Experiment(
    name="grokking",
    title="Grokking on finite training sets",
    source="figures 4 (right) and 15",
    claims=(GROKS,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
