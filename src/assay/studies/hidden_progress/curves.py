"""Panels of training curves, shared by the experiments that show some: what is drawn of them, and what is read off
each run: solve time, end of the plateau, and where it stood on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from scipy import stats

import assay as ay
from assay.analysis import bands
from assay.studies.hidden_progress.settings import labels

PLATEAU_ERROR = 0.45
"""Error above which a net is still guessing."""


def joined(sweeps: Mapping[str, ay.Sweep]) -> ay.Sweep:
    """The sweeps of all panels as one."""
    first, *rest = sweeps.values()
    return sum(rest, first)


def curves_and_trials(
    runs: ay.Runs, sweeps: Mapping[str, ay.Sweep], values: Sequence[str] = ("eval/error",), examples: int = 4
) -> pl.DataFrame:
    """Part `curves`: some single runs, median and band of each panel; part `trials`: one row a run, with
    `plateau_end`, the last step with held-out error > 0.45, and `plateau_fraction`, that step over the solve time."""
    names = labels("panel", sweeps)
    curves = runs.curves.join(names, on="trial")
    drawn = bands.examples_and_band(curves, values, by=["panel"], examples=examples)
    return pl.concat(
        [
            in_order(drawn, sweeps).with_columns(part=pl.lit("curves"), chance=pl.lit(0.5)),
            in_order(trials(runs.frame, curves), sweeps).with_columns(part=pl.lit("trials")),
        ],
        how="diagonal_relaxed",
    )


def trials(frame: pl.DataFrame, curves: pl.DataFrame) -> pl.DataFrame:
    """One row a run of the panels: its outcome and its plateau."""
    guessing = (
        curves.filter(pl.col("eval/error") > PLATEAU_ERROR).group_by("trial").agg(plateau_end=pl.col("step").max())
    )
    rows = curves.select("trial", "panel").unique().sort("trial")
    rows = rows.join(frame.select("trial", "outcome", "step"), on="trial").join(guessing, on="trial", how="left")
    return rows.with_columns(
        plateau_fraction=pl.when(outcome="solved").then(pl.col("plateau_end").fill_null(0) / pl.col("step"))
    )


def in_order(table: pl.DataFrame, panels: Mapping[str, object]) -> pl.DataFrame:
    """The rows by panel, in the order in which the panels are listed."""
    position = {name: i for i, name in enumerate(panels)}
    return table.sort(pl.col("panel").replace_strict(position, return_dtype=pl.Int64), maintain_order=True)


def first_step(curves: pl.DataFrame, reached: pl.Expr, name: str) -> pl.DataFrame:
    """The first recorded step of each run at which `reached` holds; runs that never get there have no row."""
    return curves.filter(reached).group_by("trial").agg(pl.col("step").min().alias(name)).sort("trial")


def wilson(count: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a fraction."""
    interval = stats.binomtest(count, total).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)
