"""What the figures of S_3, S_4 and S_5 have in common: the margin, the irreps of the neurons, their purity before "
"and after."""

from __future__ import annotations

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import features, histogram
from assay.figures import Bars, Board, Histogram, TrainingCurves, board
from assay.maths.groups import irreps, named
from assay.studies import Claim, Judgement
from assay.studies.feature_emergence import modular
from assay.theory.margins import certificate

EDGES = histogram.equal_bins(0.0, 1.0, 40)


def table(runs: ay.Runs) -> pl.DataFrame:
    """Parts `curves` (margin over gamma*), `irreps` (neurons and mass of each irrep, a row a run), `bars` (their
    means), `bins` (purity at the start and at the end), `neurons` and `ends`."""
    group = named(runs.frame["task.group"][0])
    gamma = certificate(group).gamma
    seeds = runs.frame.select("trial", "seed")
    null = pl.lit(None, pl.Float64)
    curves = runs.curves.join(seeds, on="trial").sort("seed", "step").select(
        "trial", "seed", "step", measure=pl.lit("ratio"), low=null, high=null, chance=pl.lit(1.0),
        value=pl.col("margin/normalised") / gamma, error=pl.col("train/error"),
    )  # fmt: skip
    neurons = modular.neurons(runs, -1).with_columns(start=modular.neurons(runs, 0)["purity"])
    names = dict(enumerate(r.name for r in irreps(group)))
    dimensions = dict(enumerate(r.dimension for r in irreps(group)))
    counts = _counts(neurons, len(names)).with_columns(
        irrep=pl.col("feature").replace_strict(names, return_dtype=pl.String),
        dimension=pl.col("feature").replace_strict(dimensions, return_dtype=pl.Int64),
    )
    bars = counts.group_by("feature", "irrep").agg(count=pl.mean("count"), share=pl.mean("share")).sort("feature")
    moments = [
        neurons.select(moment=pl.lit(name), value=column) for name, column in (("start", "start"), ("end", "purity"))
    ]
    bins = histogram.counts(pl.concat(moments), "value", by=["moment"], edges=EDGES)
    parts = {
        "curves": curves,
        "irreps": counts,
        "bars": bars,
        "bins": bins,
        "neurons": neurons,
        "ends": modular.ends(runs),
    }
    return pl.concat([part.with_columns(part=pl.lit(name)) for name, part in parts.items()], how="diagonal_relaxed")


def _counts(neurons: pl.DataFrame, count: int) -> pl.DataFrame:
    """Neurons and share of the mass of each irrep in each run, the trivial one included."""
    rows = []
    for run in neurons.partition_by("trial", maintain_order=True):
        found, mass = run["feature"].to_numpy(), run["mass"].to_numpy()
        shares = np.bincount(found, mass, minlength=count) / mass.sum()
        for feature, number in enumerate(np.bincount(found, minlength=count)):
            rows.append(
                {
                    "trial": run["trial"][0],
                    "seed": run["seed"][0],
                    "feature": feature,
                    "count": int(number),
                    "share": shares[feature],
                }
            )
    return pl.DataFrame(rows)


def figure(table: pl.DataFrame, group: str, about: str) -> Board:
    """Four panels, as in the paper: margin, irreps, purity at the start and at the end."""
    caption = (
        "Normalised margin over the maximum, one line a run; mean number of neurons whose weights u have most power in "
    )
    caption += f"each irrep; the largest part of that power in one irrep, before and after. {about}"
    curves = TrainingCurves(
        table.filter(part="curves").select(
            "measure", "trial", "step", "low", "high", "chance", value=pl.col("value").clip(lower_bound=-0.2)
        ),
        y_label="margin / maximum margin",
        labels={"ratio": "normalised margin", "chance": "maximum margin"},
        title="Margin",
    )
    bars = Bars(
        table.filter(part="bars").select("count", irrep=pl.format("${}$", "irrep")),
        x="irrep", y="count", x_label="irrep", y_label="neurons a run", title="Neurons of each irrep",
    )  # fmt: skip
    before, after = (
        Histogram(
            table.filter(part="bins", moment=moment).select("low", "high", "fraction"),
            x_label="largest part of the power in one irrep", y_label="fraction", labels={"fraction": "neurons"},
            title=title,
        )
        for moment, title in (("start", "Purity at the start"), ("end", "Purity at the end"))
    )  # fmt: skip
    return board(
        curves, bars, before, after, columns=2, title=f"A quadratic net that multiplies in ${group}$", caption=caption
    )


# -- the claims that the groups share ---------------------------------------------------------------------------------


def single(claim: Claim, table: pl.DataFrame, *, above: float, purity: float) -> Judgement:
    """At least 95 % of the neurons above a part of the largest norm have more than this purity."""
    strong = table.filter(pl.col("part") == "neurons", pl.col("relative") > above)["purity"].to_numpy()
    part = float((strong > purity).mean())
    note = f"value: part of {len(strong)} neurons above {purity:g}; lowest purity {strong.min():.4f}"
    return claim.judged(part >= 0.95, part, None, note)


def start(claim: Claim, table: pl.DataFrame, group: str, within: float) -> Judgement:
    """Mean purity at the start as of Gaussian vectors."""
    expected, low, high = features.expected_purity(irreps(named(group)))
    mean = float(table.filter(part="neurons")["start"].to_numpy().mean())
    note = f"Gaussian vectors: {expected:.4f} ({low:.3f} to {high:.3f}); value / that = {mean / expected:.3f}"
    return claim.judged(abs(mean / expected - 1) <= within, mean, None, note)


def every(claim: Claim, table: pl.DataFrame) -> Judgement:
    """Each non-trivial irrep has a neuron in every run."""
    counts = table.filter(pl.col("part") == "irreps", pl.col("feature") > 0)
    least = int(counts.select(pl.col("count").min()).item())
    return claim.judged(least >= 1, least, None, spelt(table))


def counted(table: pl.DataFrame) -> dict[str, float]:
    """Mean number of neurons of each irrep."""
    return dict(table.filter(part="bars").select("irrep", "count").rows())


def spelt(table: pl.DataFrame) -> str:
    rows = table.filter(part="bars").select("irrep", "count", "share").rows()
    return "neurons a run (share of the mass): " + ", ".join(
        f"{name} {count:.1f} ({share:.4f})" for name, count, share in rows
    )


def ratios(table: pl.DataFrame) -> list[float]:
    """Of the normalised margin to the maximum at the end of each run, sorted."""
    return table.filter(part="ends")["ratio"].sort().to_list()
