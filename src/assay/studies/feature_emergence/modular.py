"""The runs on addition modulo p that several figures share, and what is read off each: margins and neurons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import features
from assay.maths.groups import irreps, named
from assay.studies.feature_emergence import settings
from assay.theory.margins import Optimum, PairNetwork, certificate, regularised_optimum

PLACE = "modular"
"""Folder of the runs."""
SEEDS = {"smoke": (3, 1, 0, 0), "desk": (3, 1, 5, 2), "paper": (3, 1, 5, 5)}
"""Of the small groups Z_7 and Z_13, of Z_23, of Z_71 with quadratic nets (E1), of Z_71 with ReLU nets (E2)."""


def sweep(scale: str) -> ay.Sweep:
    small, middle, quadratic, relu = SEEDS[scale]
    parts = [(settings.Z7, small), (settings.Z13, small), (settings.Z23, middle), (settings.Z23_RELU, middle)]
    parts += [(settings.E1, quadratic), (settings.E2, relu)]
    first, *rest = (ay.Sweep(trial, ay.seeds(seeds)) for trial, seeds in parts if seeds)
    return sum(rest, first)


def largest(frame: pl.DataFrame) -> str:
    """The group of the largest runs: Z71, or Z23 where that is not run."""
    return max(frame["group"].unique(), key=lambda name: named(name).order)


def runs_of(runs: ay.Runs) -> pl.DataFrame:
    """One row a run: trial, group, activation, seed, whether it went to its end."""
    return runs.frame.select(
        "trial", "seed", "outcome", group="task.group", activation=pl.col("net.activation"), penalty="penalty.weight"
    ).sort("group", "activation", "seed")


def network(runs: ay.Runs, trial: str, at: int) -> PairNetwork:
    """The weights of a run at its beginning (0) or its end (-1), in float64."""
    parts = [runs.arrays(f"weights/snapshot.{layer}.weight")[trial][at] for layer in ("left", "right", "output")]
    u, v, w = (np.asarray(part, np.float64) for part in parts)
    return PairNetwork(u.T, v.T, w)


def sigma(activation: str) -> Callable[[np.ndarray], np.ndarray]:
    return np.square if activation == "power" else lambda z: np.maximum(z, 0.0)


def neurons(runs: ay.Runs, at: int) -> pl.DataFrame:
    """One row a neuron of every run, with its feature, its purity and its phase defect where it is a frequency."""
    found = []
    for row in runs_of(runs).rows(named=True):
        group, net = named(row["group"]), network(runs, row["trial"], at)
        nu = 3 if row["activation"] == "power" else 2
        table = features.neurons(net.u, net.v, net.w, irreps(group), nu)
        if row["group"].startswith("Z"):
            defects = features.phase_defects(net.u, net.v, net.w, table["feature"].to_numpy())
            table = table.with_columns(phase_defect=pl.Series(defects))
        names = {name: pl.lit(row[name]) for name in ("trial", "seed", "group", "activation")}
        found.append(table.with_columns(relative=pl.col("norm") / pl.col("norm").max(), **names))
    return pl.concat(found, how="diagonal_relaxed")


def ends(runs: ay.Runs) -> pl.DataFrame:
    """One row a run at its end, all numbers from its weights in float64: `ratio` of the normalised margin to gamma*,
    `weighted` (E g' under the dual weights over gamma* rho), `mean` (E g likewise), mass and loss beside those of the
    regularised optimum, accuracy, spreads."""
    found = []
    for row in runs_of(runs).rows(named=True):
        group, net = named(row["group"]), network(runs, row["trial"], -1)
        answers = net.answers(group, sigma(row["activation"]))
        numbers: dict[str, object] = {"accuracy": answers.accuracy, "loss": answers.loss, "margin": answers.margin}
        if row["activation"] == "power":
            best, optimum = certificate(group), optimum_of(row["group"], row["penalty"])
            unit = best.gamma * net.mass
            numbers |= {
                "ratio": answers.margin / unit,
                "mean": float(answers.margins.mean()) / unit,
                "weighted": answers.weighted(best.tau) / unit,
                "mass": net.mass,
                "mass_error": net.mass / optimum.mass - 1,
                "total_error": (answers.loss + row["penalty"] * net.mass) / optimum.total(row["penalty"]) - 1,
                "spread": answers.spread,
                "wrong_spread": answers.wrong_spread,
            }
        found.append(row | numbers)
    return pl.DataFrame(found, infer_schema_length=None)


def optimum_of(group: str, penalty: float) -> Optimum:
    return regularised_optimum(named(group), penalty)


def frequencies(table: pl.DataFrame) -> pl.DataFrame:
    """Neurons and share of the mass of each irrep but the trivial one, in each run; those without neurons included."""
    runs = table.select("trial", "seed", "group", "activation").unique(maintain_order=True)
    every = pl.concat(
        [
            pl.DataFrame([row]).join(
                pl.DataFrame({"feature": np.arange(1, len(irreps(named(row["group"]))))}), how="cross"
            )
            for row in runs.rows(named=True)
        ]
    )
    counted = table.group_by("trial", "feature").agg(count=pl.len(), mass=pl.sum("mass"))
    joined = every.join(counted, on=["trial", "feature"], how="left").with_columns(pl.col("count", "mass").fill_null(0))
    return joined.with_columns(share=pl.col("mass") / pl.col("mass").sum().over("trial"))
