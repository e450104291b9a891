"""Sparse parities learnt online by a Transformer: a plateau at chance, then an abrupt transition.

Claim   Transformers learn 3-sparse parities, after a plateau that ends abruptly.
Source  Edelman, Goel, Kakade, Zhang 2022, figure 4 and appendix A.3.1; Edelman 2024, figure 4.4. The number of steps
        is not given there; runs end when 99 % of 4,096 fresh examples are right. At smoke and desk scale shorter
        inputs, smaller batches and no dropout.
Output  table `parity`, in parts: `curves` (loss of the single runs) and `runs` (transition time, plateau, its end).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl

import assay as ay
from assay.figures import Display, TrainingCurves
from assay.studies import Claim, Experiment, Judgement
from assay.studies.variable_creation.settings import SOLVED, TRIAL

GRID: Mapping[str, tuple[Sequence[int], int, int, float, int]] = {
    # T, seeds, batch, dropout, budget
    "smoke": ((6,), 2, 256, 0.0, 20_000),
    "desk": ((6, 7, 8), 3, 256, 0.0, 20_000),
    "paper": ((10, 15), 10, 2048, 0.1, 300_000),
}

TRANSITION = Claim(
    id="E4",
    source="Edelman, Goel, Kakade, Zhang 2022, figure 4; Edelman 2024, figure 4.4",
    statement="Trained online, Transformers learn sparse parities: after a plateau at chance the loss falls abruptly "
    "to zero.",
    kind="experiment",
    criterion={
        "smoke": "T = 6, 2 seeds: both reach > 0.99 within 20,000 steps",
        "desk": "T = 6, 7, 8: at least 8 of 9 seeds reach > 0.99 within 20,000 steps; where that takes >= 500 steps, "
        "mean "
        "accuracy over the first half of the time within 0.5 +- 0.03",
        "paper": "T = 10, 15: at least 9 of 10 seeds each reach > 0.99; loss within 0.01 of ln 2 for >= 70 % of the "
        "time before, "
        "in the median run; where it takes >= 1000 steps, from 55 % to 95 % accuracy in <= 30 % of the time",
    },
)


def sweep(scale: str) -> ay.Sweep:
    lengths, count, batch, dropout, budget = GRID[scale]
    trial = TRIAL.replace(
        task=ay.SparseBoolean(n=lengths[0], function="xor"),
        net=ay.ClsTransformer(dropout=dropout),
        data=ay.Online(),
        batch=batch,
        budget=budget,
        solve=ay.Solve(accuracy=SOLVED, sample=4096, every=50),
        record=ay.Record(measures=("train/loss", "eval/error"), every=50),
    )
    return ay.Sweep(trial, ay.axis("task.n", *lengths), ay.seeds(count))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    names = runs.frame.select("trial", "seed", "outcome", ended="step", T="task.n")
    curves = runs.curves.join(names, on="trial")
    before = pl.col("step") < pl.col("ended")
    early = (pl.col("step") > 0) & (pl.col("step") <= pl.col("ended") / 2)
    rows = curves.sort("step").group_by("trial", "T", "seed", "outcome", "ended").agg(
        early_accuracy=1 - pl.col("eval/error").filter(early).mean(),
        plateau=((pl.col("train/loss").filter(before) - math.log(2)).abs() <= 0.01).mean(),
        at_55=pl.col("step").filter(pl.col("eval/error") <= 0.45).min(),
        at_95=pl.col("step").filter(pl.col("eval/error") <= 0.05).min(),
    ).sort("T", "seed")  # fmt: skip
    drawn = curves.select(
        "trial", "step", measure=pl.lit("train/loss"), value="train/loss", low=pl.lit(None, pl.Float64),
        high=pl.lit(None, pl.Float64), chance=pl.lit(math.log(2)), panel=pl.format("T = {}", "T"), T="T",
    ).sort("T", "trial", "step")  # fmt: skip
    return pl.concat(
        [drawn.with_columns(part=pl.lit("curves")), rows.with_columns(part=pl.lit("runs"))], how="diagonal_relaxed"
    )


def figure(table: pl.DataFrame) -> Display:
    return TrainingCurves(
        table.filter(part="curves"),
        panel="panel",
        y_label="loss",
        labels={"train/loss": "loss, dropout off", "chance": "ln 2"},
        title="Parities of 3 bits, learnt online",
        caption="Loss on the batch of each recorded step against the steps of Adam, one line a seed. Edelman, Goel, "
        "Kakade, Zhang "
        "2022, figure 4.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    lengths, *_ = GRID[scale]
    runs = table.filter(part="runs")
    solved = runs.filter(outcome="solved")
    medians = ", ".join(
        f"T = {n}: {solved.filter(T=n).height} of {runs.filter(T=n).height}, median "
        f"{solved.filter(T=n)['ended'].median():.0f}"
        for n in lengths
        if solved.filter(T=n).height
    )
    if scale == "paper":
        enough = all(solved.filter(T=n).height >= 9 for n in lengths)
        flat = float(solved["plateau"].median() or 0.0)  # type: ignore[arg-type]
        late = solved.filter(pl.col("ended") >= 1000)
        short = ((late["at_95"] - late["at_55"]) / late["ended"] <= 0.3).all()
        holds = enough and flat >= 0.7 and bool(short)
        value, note = flat, "value: share of the time at the plateau; "
    else:
        late = solved.filter(pl.col("ended") >= 500)
        flat = bool(((late["early_accuracy"] - 0.5).abs() <= 0.03).all())
        least = {"smoke": 2, "desk": 8}[scale]
        holds = solved.height >= least and (scale == "smoke" or flat)
        value, note = float(solved["ended"].median() or math.inf), "value: median steps; "  # type: ignore[arg-type]
    return [TRANSITION.judged(holds, value, note=note + medians)]


experiment = Experiment(
    name="parity",
    title="Parities learnt online",
    source="figure 4",
    claims=(TRANSITION,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
