"""A quadratic net cannot learn the parity of 4 bits, as the paper's appendix prints that it did.

Claim   with activation x^2 the cross-entropy on the whole population never falls below log 2, and some margin stays at
        or below 0: the output has degree 2, so that its correlation with a character of degree 4 is 0 (and Jensen).
Source  Morwani et al. 2023, appendix D.2.2, which says "quadratic network" where figure 7.5 says x^4.
Output  table `obstruction`: curves of loss and margin, by activation.
"""

from __future__ import annotations

import math

import polars as pl

import assay as ay
from assay.figures import Display, TrainingCurves
from assay.studies import Claim, Experiment, Judgement
from assay.studies.feature_emergence import settings
from assay.studies.feature_emergence.checks import PAPER

SEEDS = {"smoke": 1, "desk": 3, "paper": 5}

DEGREE = Claim(
    id="C40",
    source=f"{PAPER}, appendix D.2.2, corrected",
    statement="No quadratic net gets the cross-entropy of a 4-parity below log 2.",
    kind="theorem",
    criterion="cross-entropy >= log 2 - 1e-9 at every record, least margin <= 0 after 6000 steps, in every run",
)
PRINTED = Claim(
    id="C40-printed",
    source=f"{PAPER}, appendix D.2.2, as printed",
    statement="A quadratic network of 40 neurons learns the (10,4)-parity.",
    kind="errata",
    criterion="least margin > 0 after 6000 steps",
)


def sweep(scale: str) -> ay.Sweep:
    trial = settings.E3.replace(
        net=settings.E3.net.replace(degree=2),
        penalty=ay.Penalty(weight=1e-3, b=3.0),
        budget=6000,
        record=ay.Record(measures=("train/loss", "train/error", "margin/least"), every=200),
        precision="float64",
    )
    return ay.Sweep(trial, ay.seeds(SEEDS[scale]))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    null = pl.lit(None, pl.Float64)
    return runs.curves.join(runs.frame.select("trial", "seed"), on="trial").sort("seed", "step").select(
        "trial", "seed", "step", value=pl.col("train/loss"), measure=pl.lit("loss"), low=null, high=null,
        chance=pl.lit(math.log(2)), margin=pl.col("margin/least"), error=pl.col("train/error"),
    )  # fmt: skip


def figure(table: pl.DataFrame) -> Display:
    return TrainingCurves(
        table,
        y_label="cross-entropy",
        labels={"loss": "quadratic net", "chance": "log 2"},
        title="A quadratic net does not learn a parity of 4 bits",
        caption="Cross-entropy on all 1,024 inputs against steps, one line a run; log 2 is that of guessing. Morwani "
        "et al. 2023, appendix D.2.2.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    lowest = float(table["value"].to_numpy().min()) - math.log(2)
    last = table.sort("step").group_by("trial").last()
    margin, error = float(last["margin"].to_numpy().max()), float(last["error"].to_numpy().min())
    note = f"value: lowest cross-entropy - log 2; least margin {margin:.4f}, error {error:.3f}"
    return [
        DEGREE.judged(lowest >= -1e-9 and margin <= 0, lowest, None, note),
        PRINTED.judged(margin > 0, margin, None, "value: largest of the least margins of the runs"),
    ]


experiment = Experiment(
    name="obstruction",
    title="A quadratic net on a parity of four bits",
    source="appendix D.2.2",
    claims=(DEGREE, PRINTED),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
