"""How many frequencies a neuron has: from anything at the start to one, exactly with z^2, nearly with a ReLU.

Claim   quadratic neurons end with all their power at one frequency, ReLU neurons with about nine tenths of it.
Source  Morwani et al. 2023, figure 7.4. The power of +j and -j is one; the constant part counts in the whole.
Output  table `purity`, in parts: `bins` (histograms of the purity of u) and `neurons` (one row a neuron at the end, its
        purity at the start beside it).
"""

from __future__ import annotations

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import features, histogram
from assay.figures import Display, Histogram
from assay.maths.groups import irreps, named
from assay.studies import Claim, Experiment, Judgement
from assay.studies.feature_emergence import modular
from assay.studies.feature_emergence.checks import PAPER

EDGES = histogram.equal_bins(0.0, 1.0, 50)
PANELS = ("start", "ReLU", "quadratic")

ONE_FREQUENCY = Claim(
    id="C20",
    source=f"{PAPER}, figure 7.4 (c)",
    statement="Quadratic neurons end with a single frequency.",
    kind="experiment",
    criterion={
        "smoke": "Z_23, neurons above 1 % of the largest norm: >= 98 % have purity > 0.99; median > 0.9999",
        "desk": "Z_71, neurons above 1 % of the largest norm: >= 98 % have purity > 0.99; of all >= 95 %; median > "
        "0.999",
        "paper": "Z_71, neurons above 1 % of the largest norm: >= 98 % have purity > 0.99; of all >= 95 %; median > "
        "0.999",
    },
)
START = Claim(
    id="C21",
    source=f"{PAPER}, figure 7.4 (a)",
    statement="At initialisation the power is spread as of a random vector.",
    kind="experiment",
    criterion="mean purity within 10 % of that of Gaussian vectors (p = 71: 0.117; p = 23: 0.264)",
)
RELU = Claim(
    id="C24",
    source=f"{PAPER}, figures 7.1 (a), 7.4 (b)",
    statement="ReLU neurons end nearly, but not exactly, with a single frequency, with a purity of about 0.9.",
    kind="experiment",
    criterion={
        "smoke": "Z_23: median purity in [0.88, 0.97], < 5 % of neurons above 0.99, all 11 frequencies used",
        "desk": "Z_71: median purity in [0.85, 0.96], mode (of bins of 0.02) in [0.85, 0.95], < 5 % of neurons above "
        "0.99, all 35 frequencies used",
        "paper": "Z_71: median purity in [0.85, 0.96], mode (of bins of 0.02) in [0.85, 0.95], < 5 % of neurons above "
        "0.99, all 35 frequencies used",
    },
)
CONTRAST = Claim(
    id="C25",
    source=f"{PAPER}, figure 7.4",
    statement="Quadratic neurons are purer than ReLU neurons.",
    kind="experiment",
    criterion="median purity of quadratic neurons - of ReLU neurons > 0.03",
)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    end, start = modular.neurons(runs, -1), modular.neurons(runs, 0)
    group = modular.largest(end)
    end = end.with_columns(
        start=start["purity"], panel=pl.col("activation").replace({"power": "quadratic", "relu": "ReLU"})
    )
    end = end.filter(group=group)
    shown = pl.concat(
        [
            end.filter(activation="power").select(pl.lit("start").alias("panel"), value="start"),
            end.select("panel", value="purity"),
        ]
    )
    bins = histogram.counts(shown, "value", by=["panel"], edges=EDGES)
    bins = bins.sort(pl.col("panel").replace_strict({name: i for i, name in enumerate(PANELS)}), "low")
    return pl.concat(
        [bins.with_columns(part=pl.lit("bins")), end.with_columns(part=pl.lit("neurons"))], how="diagonal_relaxed"
    )


def figure(table: pl.DataFrame) -> Display:
    p = table["group"].drop_nulls()[0][1:]
    return Histogram(
        table.filter(part="bins"),
        panel="panel",
        columns=3,
        height="fraction",
        x_label="largest part of power",
        y_label="fraction of neurons",
        labels={"start": "quadratic, at the start", "ReLU": "ReLU, at the end", "quadratic": "quadratic, at the end"}
        | {"fraction": "neurons"},
        title=f"From many frequencies to one, p = {p}",
        caption="Distribution over the neurons of all runs of the largest fraction of the power of u that one "
        "frequency has. Morwani et al. 2023, figure 7.4.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    neurons = table.filter(part="neurons")
    group = named(neurons["group"][0])
    quadratic, relu = (neurons.filter(activation=name) for name in ("power", "relu"))
    return [_one(quadratic, scale), _start(quadratic, group.name), _relu(relu, group.order), _contrast(quadratic, relu)]


def _one(rows: pl.DataFrame, scale: str) -> Judgement:
    strong = rows.filter(pl.col("relative") > 0.01)["purity"].to_numpy()
    part, everyone, middle = (
        float((strong > 0.99).mean()),
        float((rows["purity"].to_numpy() > 0.99).mean()),
        np.median(strong),
    )
    holds = part >= 0.98 and middle > (0.9999 if scale == "smoke" else 0.999)
    holds &= scale == "smoke" or everyone >= 0.95
    return ONE_FREQUENCY.judged(holds, part, None, f"of all neurons {everyone:.4f}; median {middle:.6f}")


def _start(rows: pl.DataFrame, group: str) -> Judgement:
    expected, low, high = features.expected_purity(irreps(named(group)))
    mean = float(rows["start"].to_numpy().mean())
    note = f"Gaussian vectors: {expected:.4f} ({low:.3f} to {high:.3f}); value / that = {mean / expected:.3f}"
    return START.judged(abs(mean / expected - 1) <= 0.1, mean, None, note)


def _relu(rows: pl.DataFrame, p: int) -> Judgement:
    purity = rows["purity"].to_numpy()
    middle, above = float(np.median(purity)), float((purity > 0.99).mean())
    used = min(part["feature"].n_unique() - (0 in part["feature"]) for part in rows.partition_by("trial"))
    smallest, largest = (0.88, 0.97) if p == 23 else (0.85, 0.96)
    fullest = int(np.histogram(purity, EDGES)[0].argmax())
    mode = float(EDGES[fullest : fullest + 2].mean())
    holds = smallest <= middle <= largest and above < 0.05 and used == (p - 1) // 2
    holds &= p == 23 or 0.85 <= mode <= 0.95
    low, high = np.quantile(purity, (0.25, 0.75))
    note = f"{above:.1%} above 0.99; quartiles {low:.3f}, {high:.3f}; mode {mode:.2f}; {used} frequencies"
    return RELU.judged(holds, middle, None, note)


def _contrast(quadratic: pl.DataFrame, relu: pl.DataFrame) -> Judgement:
    difference = float(np.median(quadratic["purity"]) - np.median(relu["purity"]))
    return CONTRAST.judged(difference > 0.03, difference)


experiment = Experiment(
    name="purity",
    title="From many frequencies to one",
    source="figure 7.4",
    claims=(ONE_FREQUENCY, START, RELU, CONTRAST),
    sweep=modular.sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs=modular.PLACE,
)
