"""Training passes through the strategies in order: uniform, unigram, bigram, with a plateau at the unigrams.

Claim   the net is closest first to the uniform guess, then to counting symbols, then to counting pairs; it stays near
        the loss of the unigrams for long, and falls abruptly.
Source  Edelman et al. 2024, figures 8.1, 8.3 and E.7 of the dissertation. Distances are KL(strategy || net) at the last
        position; the background has the colour of the lowest. Rates, steps and initialisation are not all printed: see
        `settings`. The plateau lies a little below the unigram line, also in the printed figures.
Output  table `phases`, in parts: `curves` (distances, loss and stage of one run of each kind) and `trials` (order of
        the stages, when each begins, when the loss falls, how long the plateau is, where it ends).
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.analysis import stages
from assay.figures import Display, StageCurves
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import BATCH, STRATEGIES, WORDS, claim, curves, drops, joined, transformers

ORDER = "uniform unigram bigram"

PHASES = claim(
    "A13",
    "figure 8.1",
    "Training passes through three phases in order: uniform, unigram, bigram.",
    {
        "smoke": "small: stages of all 4 seeds are uniform, unigram, bigram in this order; KL(unigram || net) < 0.03 "
        "at some checkpoint",
        "desk": "small, two, three: stages of all 8 seeds are uniform, unigram, bigram in this order; "
        "KL(unigram || net) < 0.03 at some checkpoint of each run",
        "paper": "small, two, three: stages of all 10 seeds are uniform, unigram, bigram in this order; "
        "KL(unigram || net) < 0.03 at some checkpoint of each run",
    },
)
_SMALL = "small: loss within 0.6 and 1.15 of the unigram line for >= 40 % of the steps before it falls, in every run; "
_SMALL += "at step 400 <= 0.022"
_THREE = "three: the same plateau, median loss at the end <= 0.05, median KL(bigram || net) <= 0.025"
PLATEAU = claim(
    "A14",
    "figures 8.3 and E.7",
    "The loss stays near that of the unigram strategy on a long plateau, then falls sharply to near that of bigrams.",
    {
        "smoke": _SMALL,
        "desk": f"{_SMALL}; {_THREE}, loss falls after 40,000 to 110,000 sequences in every run",
        "paper": f"{_SMALL}; {_THREE}; two and three: loss falls after 40,000 to 110,000 sequences in every run",
    },
)


def sweep(scale: str) -> ay.Sweep:
    return joined(transformers(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    rows = curves(runs, transformers(scale))
    shown = rows.filter(seed=0)
    lines = shown.unpivot(
        STRATEGIES, index=["runs", "step", "sequences", "stage"], variable_name="strategy"
    ).with_columns(pl.col("strategy").str.strip_prefix("markov/"), part=pl.lit("curves"))
    return pl.concat([lines, trials(rows).with_columns(part=pl.lit("trials"))], how="diagonal_relaxed")


def trials(rows: pl.DataFrame) -> pl.DataFrame:
    """One row a run."""
    near = pl.col("markov/truth").is_between(0.6 * pl.col("markov/unigram_line"), 1.15 * pl.col("markov/unigram_line"))
    with_drop = rows.join(drops(rows), on="trial", how="left", maintain_order="left")
    before = with_drop.filter(pl.col("step") < pl.col("drop").fill_null(1 << 30))
    plateau = before.group_by("trial").agg(plateau_fraction=near.mean())
    summary = with_drop.sort("step").group_by("trial", "runs", "seed", maintain_order=True).agg(
        pl.col("drop").first(),
        closest_unigram=pl.col("markov/unigram").min(),
        final_loss=pl.col("markov/truth").last(),
        final_bigram=pl.col("markov/bigram").last(),
        last_step=pl.col("step").max(),
        plateau_start=pl.col("step").filter(pl.col("markov/truth") <= 1.1 * pl.col("markov/unigram_line")).min(),
    )  # fmt: skip
    summary = summary.join(stages.order(rows), on="trial").join(plateau, on="trial", how="left")
    return summary.with_columns(plateau=pl.col("drop") - pl.col("plateau_start")).sort("runs", "seed")


def figure(table: pl.DataFrame) -> Display:
    return StageCurves(
        table.filter(part="curves"),
        panel="runs",
        y_label="KL(strategy || net)",
        top=0.35,
        labels=dict(WORDS),
        title="Training passes through the strategies in order",
        caption="Distance of the net from three strategies against the training sequences seen, one run each; the "
        "background has the colour of the closest. KL divergences in nats at the last of 100 positions, means over "
        "1,000 "
        "sequences. Edelman et al. 2024, figure 8.1.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="trials")
    ordered = rows.filter((pl.col("stages") == ORDER) & (pl.col("closest_unigram") < 0.03))
    others = rows.filter(pl.col("stages") != ORDER)["stages"].unique().to_list()
    note = f"value: fraction of runs. Other orders: {'; '.join(others) or 'none'}; " + _note(rows)
    small = rows.filter(runs="small")
    plateau = bool(((small["plateau_fraction"] >= 0.4) & (small["final_loss"] <= 0.022)).all())
    plateau &= not small["drop"].has_nulls()
    words = (
        f"small: plateau for {small['plateau_fraction'].min():.0%} or more of the steps before the fall, loss at the "
    )
    words += f"end {small['final_loss'].max():.4f} or less"
    if scale != "smoke":
        three = rows.filter(runs="three")
        plateau &= bool((three["plateau_fraction"] >= 0.4).all())
        plateau &= float(three["final_loss"].median()) <= 0.05 and float(three["final_bigram"].median()) <= 0.025  # type: ignore[arg-type]
        falls = {name: rows.filter(runs=name)["drop"] * BATCH for name in ("two", "three")}
        judged = falls.values() if scale == "paper" else [falls["three"]]
        plateau &= all(bool(fall.is_between(40_000, 110_000).fill_null(False).all()) for fall in judged)
        words += f"; three: plateau {three['plateau_fraction'].min():.0%}, median loss "
        words += f"{three['final_loss'].median():.4f}, KL from bigrams {three['final_bigram'].median():.4f}"
        for name, fall in falls.items():
            words += f"; {name} falls after {fall.min():,} to {fall.max():,} sequences, median {fall.median():,.0f}"
    return [
        PHASES.judged(ordered.height == rows.height, ordered.height / rows.height, None, note),
        PLATEAU.judged(plateau, float(small["plateau_fraction"].min()), None, f"value: smallest of small. {words}"),  # type: ignore[arg-type]
    ]


def _note(rows: pl.DataFrame) -> str:
    """When the bigram stage begins, by kind of run."""
    parts = [
        f"{name}: bigrams from step {part['bigram_step'].median():.0f}"
        for (name,), part in rows.group_by("runs", maintain_order=True)
        if "bigram_step" in part.columns and part["bigram_step"].drop_nulls().len()
    ]
    return ", ".join(parts)


experiment = Experiment(
    name="phases",
    title="Phases of learning",
    source="figures 8.1, 8.3 and E.7",
    claims=(PHASES, PLATEAU),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="transformers",
)
