"""How many neurons each frequency gets: all frequencies are used, about equally.

Claim   every frequency is there; in a max-margin network each has the same share of sum ||omega||^3.
Source  Morwani et al. 2023, figure D.1 and Theorem 7.7 (2). Equal shares are not in the paper; they follow from the
        Fourier coefficients of a max-margin network, which are all equal (appendix D.6.3).
Output  table `frequencies`, in parts: `counts` (neurons and share of each frequency in each run) and `bars` (mean
        count of the runs of each kind).
"""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import stats

import assay as ay
from assay.figures import Display, Histogram
from assay.maths.groups import named
from assay.studies import Claim, Experiment, Judgement
from assay.studies.feature_emergence import modular
from assay.studies.feature_emergence.checks import PAPER

_LARGE = (
    "Z_71: every frequency in every run; chi-square p-value of the counts > 1e-3; quadratic: shares within 35 % of "
)
_LARGE += "1/35, at least 70 % of them within 3 %; ReLU: within 35 %"
EVERY = Claim(
    id="C23",
    source=f"{PAPER}, Theorem 7.7 (2), figure D.1",
    statement="Every frequency is used, by about equally many neurons; with z^2 each has an equal share of the norm.",
    kind="experiment",
    criterion={
        "smoke": "Z_23: every frequency in every run; chi-square p-value of the counts > 1e-3; quadratic: shares "
        "within 1 % of 1/11",
        "desk": _LARGE,
        "paper": _LARGE,
    },
)

QUADRATIC = Claim(
    id="C23-quadratic",
    source=f"{PAPER}, Theorem 7.7 (2), figure D.1 (b)",
    statement="The same of quadratic nets alone, the only ones of which the theorem says something.",
    kind="experiment",
    criterion={
        "smoke": "Z_23, quadratic: every frequency in every run; chi-square p-value > 1e-3; shares within 1 % of 1/11",
        "desk": "Z_71, quadratic: every frequency in every run; chi-square p-value > 1e-3; shares within 35 % of 1/35, "
        "at least 70 % of them within 3 %",
        "paper": "Z_71, quadratic: every frequency in every run; chi-square p-value > 1e-3; shares within 35 % of "
        "1/35, at least 70 % of them within 3 %",
    },
)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    neurons = modular.neurons(runs, -1)
    neurons = neurons.filter(group=modular.largest(neurons))
    kind = pl.col("activation").replace({"power": "quadratic", "relu": "ReLU"})
    counts = modular.frequencies(neurons).with_columns(panel=kind)
    bars = counts.group_by("panel", "feature", maintain_order=True).agg(count=pl.mean("count")).sort("panel", "feature")
    ends = {"low": pl.col("feature") - 0.5, "high": pl.col("feature") + 0.5}
    bars = bars.with_columns(**ends, uniform=pl.mean("count").over("panel"))
    parts = {"counts": counts, "bars": bars}
    return pl.concat([part.with_columns(part=pl.lit(name)) for name, part in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    p = table["group"].drop_nulls()[0][1:]
    return Histogram(
        table.filter(part="bars"),
        panel="panel",
        columns=2,
        height="count",
        laws=("uniform",),
        x_label="frequency",
        y_label="neurons a run",
        labels={"count": "neurons", "uniform": "equal numbers"},
        title=f"Frequencies of trained neurons, p = {p}",
        caption="Neurons whose weights u have most power at each frequency, mean over runs. Morwani et al. 2023, "
        "figure D.1.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    counts = table.filter(part="counts")
    large = named(counts["group"][0]).order == 71
    holds, words, spread = {"quadratic": True, "ReLU": True}, [], 0.0
    for rows in counts.partition_by("trial", maintain_order=True):
        p_value = float(stats.chisquare(rows["count"].to_numpy()).pvalue)
        deviation = np.abs(rows["share"].to_numpy() * rows.height - 1)
        kind, tied = rows["panel"][0], float(np.corrcoef(rows["count"], rows["share"])[0, 1])
        quadratic = kind == "quadratic"
        holds[kind] &= bool((rows["count"] >= 1).all()) and p_value > 1e-3
        if quadratic and large:
            holds[kind] &= bool((deviation <= 0.03).mean() >= 0.7)
        if quadratic or large:
            holds[kind] &= bool(deviation.max() <= (0.35 if large else 0.01))
        spread = max(spread, float(deviation.max())) if quadratic else spread
        words.append(
            f"{kind} {rows['seed'][0]}: {rows['count'].min():.0f} to {rows['count'].max():.0f} neurons, p = "
            f"{p_value:.3f}, shares off by {deviation.max():.1%} at most, {(deviation <= 0.03).mean():.0%} within 3 %, "
            f"correlation with the number of neurons {tied:.2f}"
        )
    note = f"value: largest deviation of a quadratic share. {'; '.join(words)}"
    return [EVERY.judged(all(holds.values()), spread, None, note), QUADRATIC.judged(holds["quadratic"], spread)]


experiment = Experiment(
    name="frequencies",
    title="Frequencies of trained neurons",
    source="figure D.1",
    claims=(EVERY, QUADRATIC),
    sweep=modular.sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs=modular.PLACE,
)
