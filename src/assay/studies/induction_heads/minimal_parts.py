"""What a minimal model that is trained on all chains knows of their extremes.

Claim   the minimal model, too, predicts independent symbols long before doubly stochastic chains.
Source  Edelman et al. 2024, figure E.6 (bottom) of the dissertation. Its logits grow with the counts and are not
        normalised, so the losses rise again between the stages; judged is when each loss first is half of guessing.
Output  table `minimal-parts`, in parts: `curves` (loss on all chains, independent symbols and doubly stochastic chains)
        and `trials` (the step at which each loss first is at most half of what it is at the start).
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.analysis import bands
from assay.figures import Display, TrainingCurves
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.parts import SETS
from assay.studies.induction_heads.settings import claim, joined, labels, minimals

HALVED = {"markov/truth_iid": "independent", "markov/truth_balanced": "balanced"}
KNOWN = {"smoke": ("two",), "desk": ("two", "three"), "paper": ("two", "three")}
WORDS = {"two": "two states", "three": "three states"}

PARTS = claim(
    "A27-minimal",
    "figure E.6 (bottom)",
    "The minimal model predicts independent symbols before doubly stochastic chains.",
    {
        "smoke": "two states, every run: loss on independent symbols is 1/2 of guessing at an earlier record than on "
        "doubly stochastic chains",
        "desk": "two and three states, every run: loss on independent symbols is 1/2 of guessing at an earlier record "
        "than on doubly stochastic chains",
        "paper": "two and three states, every run: loss on independent symbols is 1/2 of guessing at an earlier "
        "record than on doubly stochastic chains",
    },
)


def sweep(scale: str) -> ay.Sweep:
    return joined(minimals(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    rows = runs.curves.join(labels(minimals(scale)), on="trial", maintain_order="left")
    rows = rows.filter(pl.col("runs").is_in(KNOWN[scale])).sort("runs", "seed", "step", descending=[True, False, False])
    drawn = bands.examples_and_band(rows, list(SETS), by=["runs"], examples=0)
    halved = [
        pl.col("step").filter(pl.col(name) <= pl.col(name).first() / 2).min().alias(short)
        for name, short in HALVED.items()
    ]
    trials = rows.group_by("trial", "runs", "seed", maintain_order=True).agg(halved)
    parts = {"curves": drawn, "trials": trials}
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    return TrainingCurves(
        table.filter(part="curves"),
        panel="runs",
        y_label="test loss",
        labels=WORDS | SETS,
        title="The minimal model: independent symbols first",
        caption="KL(truth || model) at the last position on three sets of chains, for minimal models trained on all "
        "chains: median and 10-90 % band over seeds. Edelman et al. 2024, figure E.6.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    trials = table.filter(part="trials")
    first = trials["independent"].fill_null(1 << 30) < trials["balanced"].fill_null(1 << 30)
    words = "; ".join(
        f"{WORDS[name]}: steps {part['independent'].median()}, {part['balanced'].median()}"
        for (name,), part in trials.group_by("runs", maintain_order=True)
    )
    return [
        PARTS.judged(
            bool(first.all()), float(first.mean()), None,  # type: ignore[arg-type]
            f"value: fraction of runs. Medians for independent symbols and doubly stochastic chains, {words}",
        )
    ]  # fmt: skip


experiment = Experiment(
    name="minimal-parts",
    title="Parts of the distribution, minimal model",
    source="figure E.6",
    claims=(PARTS,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="minimal",
)
