"""One layer is not enough, and the printed rate is too small: nets that stay at the unigrams.

Claim   a single layer gains nothing notable over counting symbols, whatever its positions, with or without an MLP.
Source  Edelman et al. 2024, figure E.8 of the dissertation: eight times the training. Beside it the rate 3e-5 of
        appendix E.2, which does not leave the plateau within the sequences that the figures show: 5e-4, the rate of the
        code, does.
Output  table `one-layer`, in parts: `curves` (loss over the unigram line) and `trials` (lowest and last loss, stages).
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.analysis import stages
from assay.figures import Display, Lines
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import (
    HEADS,
    LOSSES,
    MINGPT,
    STRATEGIES,
    THREE,
    TWO,
    claim,
    joined,
    labels,
    transformer,
)

BUDGET = {"smoke": 1500, "desk": 3000, "paper": 16_000}
SLOW = {"smoke": 400, "desk": 2000, "paper": 40_000}
SEEDS = {"smoke": 1, "desk": 2, "paper": 4}
ONE = ay.SequenceTransformer(preset="mingpt", layers=1)
VARIANTS = {
    "relative": ONE,
    "relative, MLP": ONE.replace(mlp=True),
    "absolute": ONE.replace(positions="absolute"),
    "absolute, MLP": ONE.replace(positions="absolute", mlp=True),
}
LITERAL = "two layers, rate 3e-5"

ONE_LAYER = claim(
    "A28",
    "figure E.8",
    "One layer of attention gains little over counting symbols, however long it is trained.",
    {
        "smoke": "two states, relative positions: loss >= 0.065 at all records from 400 on, never in the bigram stage",
        "desk": "two states, all 4 variants: loss >= 0.7 of the unigram line at all records, never in the bigram stage",
        "paper": "three states, all 4 variants, 16,000 steps: loss >= 0.7 of the unigram line at all records",
    },
)
SLOW_RATE = claim(
    "A29",
    "appendix E.2",
    "At the printed rate 3e-5 the loss falls within 128,000 sequences.",
    {
        "smoke": "two states, 400 steps: loss < 0.07 or weight of lag 1 > 0.025 at the end",
        "desk": "two states, 2000 steps: loss < 0.07 or weight of lag 1 > 0.025 at the end",
        "paper": "two states, within 2000 steps: loss < 0.07 or weight of lag 1 > 0.025",
    },
    kind="errata",
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    task = THREE if scale == "paper" else TWO
    chosen = {"relative": ONE} if scale == "smoke" else VARIANTS
    found = {}
    for name, net in chosen.items():
        trial = transformer(
            5e-4, task, net, budget=BUDGET[scale], every=BUDGET[scale] // 30, measures=LOSSES, sample=500
        )
        found[name] = ay.Sweep(trial, ay.seeds(SEEDS[scale]))
    measures = (*LOSSES, *HEADS[:1])
    slow = transformer(3e-5, TWO, MINGPT, budget=SLOW[scale], every=100, measures=measures, sample=500)
    return found | {LITERAL: ay.Sweep(slow, ay.seeds(SEEDS[scale]))}


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    rows = runs.curves.join(labels(sweeps(scale)), on="trial", maintain_order="left")
    rows = stages.labelled(rows, STRATEGIES).with_columns(
        sequences=64 * pl.col("step"), share=pl.col("markov/truth") / pl.col("markov/unigram_line")
    )
    late = pl.col("step") >= 400
    trials = rows.sort("step").group_by("trial", "runs", "seed", maintain_order=True).agg(
        lowest=pl.col("markov/truth").filter(late).min(), lowest_share=pl.col("share").min(),
        final_loss=pl.col("markov/truth").last(), bigram=(pl.col("stage") == "bigram").any(),
        loss_2000=pl.col("markov/truth").filter(pl.col("step") <= 2000).last(),
        previous=pl.col("attention/previous").filter(pl.col("step") <= 2000).last(),
    )  # fmt: skip
    curves = rows.filter(seed=0).select("runs", "sequences", "share")
    parts = {"curves": curves, "trials": trials}
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    return Lines(
        table.filter(pl.col("part") == "curves", pl.col("sequences") > 0),
        x="sequences",
        y="share",
        line="runs",
        markers=False,
        x_label="training sequences",
        y_label="loss over that of counting symbols",
        title="One layer stays at the unigrams",
        caption="KL(truth || net) at the last position over the loss of the unigram strategy, for one-layer nets with "
        "relative or absolute positions, with or without an MLP, and for two layers at the printed rate 3e-5. "
        "Edelman et "
        "al. 2024, figure E.8.",
        size=(5.0, 3.2),
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    trials = table.filter(part="trials")
    single, slow = trials.filter(pl.col("runs") != LITERAL), trials.filter(pl.col("runs") == LITERAL)
    if scale == "smoke":
        holds = bool((single["lowest"] >= 0.065).all())
    else:
        holds = bool((single["lowest_share"] >= 0.7).all())
    holds &= scale == "paper" or not single["bigram"].any()
    share = float(single["lowest_share"].min())  # type: ignore[arg-type]
    words = "; ".join(f"{row['runs']}: {row['final_loss']:.4f}" for row in single.rows(named=True))
    loss, lag = float(slow["loss_2000"].median()), float(slow["previous"].median())  # type: ignore[arg-type]
    return [
        ONE_LAYER.judged(holds, share, None, f"value: lowest loss over the unigram line. Last losses: {words}"),
        SLOW_RATE.judged(loss < 0.07 or lag > 0.025, loss, None, f"value: loss; weight of lag 1 {lag:.3f}"),
    ]


experiment = Experiment(
    name="one-layer",
    title="One layer is not enough",
    source="figure E.8, appendix E.2",
    claims=(ONE_LAYER, SLOW_RATE),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
