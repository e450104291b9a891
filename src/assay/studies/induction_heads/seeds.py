"""Every seed tells the same story; when the loss falls varies.

Claim   ten seeds have the same dynamics; the time of the transition varies.
Source  Edelman et al. 2024, figure E.3 of the dissertation; seeds decide initial weights and data.
Output  table `seeds`, in parts: `curves` (test loss of every run, and the two lines) and `trials` (when it falls, where
        it ends).
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.figures import Display, Lines
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.phases import trials
from assay.studies.induction_heads.settings import WORDS, claim, curves, joined, transformers

_SMALL = (
    "small: every run falls within steps 120 to 350, ends at a loss <= 0.022, and their last losses spread <= 0.006"
)
CONSISTENT = claim(
    "A25",
    "figure E.3",
    "Runs from different seeds have the same dynamics, with some variation in the time of the transition.",
    {
        "smoke": _SMALL,
        "desk": f"{_SMALL}; two and three: every run falls, coefficient of variation of that step <= 0.25",
        "paper": f"{_SMALL}; two and three: every run falls, coefficient of variation of that step <= 0.25",
    },
)


def sweep(scale: str) -> ay.Sweep:
    return joined(transformers(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    rows = curves(runs, transformers(scale))
    losses = rows.select("runs", "sequences", line="seed", value="markov/truth").with_columns(
        pl.lit("curves").alias("part"), pl.format("seed {}", "line").alias("line")
    )
    levels = rows.filter(seed=0).select("runs", "sequences", "markov/unigram_line", "markov/bigram_line")
    lines = levels.unpivot(index=["runs", "sequences"], variable_name="line").with_columns(
        pl.col("line").str.extract(r"markov/(\w+)_line"), part=pl.lit("curves")
    )
    return pl.concat([losses, lines, trials(rows).with_columns(part=pl.lit("trials"))], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    return Lines(
        table.filter(part="curves"),
        panel="runs",
        x="sequences",
        y="value",
        x_label="training sequences",
        y_label="test loss",
        line="line",
        markers=False,
        labels=dict(WORDS),
        title="The same story from every seed",
        caption="KL(truth || net) at the last position against the training sequences seen, one line a seed, beside "
        "the "
        "losses of counting symbols and of counting pairs. Edelman et al. 2024, figure E.3.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="trials")
    small = rows.filter(runs="small")
    spread = float(small["final_loss"].max() - small["final_loss"].min())  # type: ignore[operator]
    holds = bool((small["drop"].is_between(120, 350).fill_null(False) & (small["final_loss"] <= 0.022)).all())
    holds &= spread <= 0.006
    words = [f"small: falls at {small['drop'].min()} to {small['drop'].max()}, spread {spread:.4f}"]
    for name in ("two", "three") if scale != "smoke" else ():
        fall = rows.filter(runs=name)["drop"]
        variation = float(fall.std() / fall.mean()) if not fall.has_nulls() else float("inf")  # type: ignore[operator]
        holds &= variation <= 0.25
        words.append(f"{name}: falls at {fall.min()} to {fall.max()}, coefficient of variation {variation:.2f}")
    return [CONSISTENT.judged(holds, spread, None, f"value: spread of the last losses. {'; '.join(words)}")]


experiment = Experiment(
    name="seeds",
    title="Every seed tells the same story",
    source="figure E.3",
    claims=(CONSISTENT,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="transformers",
)
