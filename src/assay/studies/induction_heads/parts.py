"""What a net that is trained on all chains knows of their extremes: independent symbols, and balanced chains.

Claim   independent symbols are predicted as soon as symbols are counted; chains with a uniform stationary law stay at
        the loss of guessing until pairs are counted.
Source  Edelman et al. 2024, figure E.6 of the dissertation; its caption has "stationary distribution is identity" for
        uniform. Shown for the Transformers.
Output  table `parts`: loss on all chains, on independent symbols and on doubly stochastic chains, by step and run.
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.analysis import bands
from assay.figures import Display, TrainingCurves
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import WORDS, claim, joined, labels, transformers

SETS = {
    "markov/truth": "all chains",
    "markov/truth_iid": "independent symbols",
    "markov/truth_balanced": "doubly stochastic",
}
PARTS = claim(
    "A27",
    "figure E.6",
    "Independent symbols are predicted as soon as symbols are counted; doubly stochastic chains only once pairs are.",
    "small, median run: at step 40 loss <= 0.03 on independent symbols and >= 0.17 on doubly stochastic chains; at "
    "step "
    "400 <= 0.025 on all three sets",
)


def sweep(scale: str) -> ay.Sweep:
    return joined(transformers(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    rows = runs.curves.join(labels(transformers(scale)), on="trial", maintain_order="left")
    drawn = bands.examples_and_band(rows, list(SETS), by=["runs"], examples=0)
    return drawn.with_columns(part=pl.lit("curves"))


def figure(table: pl.DataFrame) -> Display:
    return TrainingCurves(
        table,
        panel="runs",
        y_label="test loss",
        labels=dict(WORDS) | SETS,
        title="Independent symbols first, balanced chains last",
        caption="KL(truth || net) at the last position on three sets of chains, for nets trained on all chains: "
        "median and "
        "10-90 % band over seeds. Edelman et al. 2024, figure E.6.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    small = table.filter(runs="small")

    def loss(name: str, step: int) -> float:
        return small.filter(pl.col("measure") == name, pl.col("step") == step)["value"].item()

    early = {name: loss(name, 40) for name in SETS}
    final = {name: loss(name, 400) for name in SETS}
    holds = (
        early["markov/truth_iid"] <= 0.03 and early["markov/truth_balanced"] >= 0.17 and max(final.values()) <= 0.025
    )
    words = "; ".join(f"{SETS[name]}: {early[name]:.3f}, then {final[name]:.3f}" for name in SETS)
    return [PARTS.judged(holds, early["markov/truth_balanced"], None, f"value: balanced chains at step 40. {words}")]


experiment = Experiment(
    name="parts",
    title="Parts of the distribution",
    source="figure E.6",
    claims=(PARTS,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="transformers",
)
