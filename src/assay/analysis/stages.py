"""Stages of training: which of several reference curves is the lowest, and when a curve falls for good.

Edelman, Edelman, Goel, Malach and Tsilivis 2024, figure 8.1: a checkpoint is in the stage of the strategy that the
model is closest to.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.analysis import frames


def labelled(curves: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The curves with a column `stage`: which of the columns is the smallest, the first of equals; its last part."""
    frames.require(curves, columns, "the curves frame")
    lowest = pl.concat_list(columns).list.arg_min()
    names = {i: name.rsplit("/", 1)[-1] for i, name in enumerate(columns)}
    return curves.with_columns(stage=lowest.replace_strict(names, return_dtype=pl.String))


def order(curves: pl.DataFrame) -> pl.DataFrame:
    """For each trial its stages in the order in which they first appear: `stages` as text, joined by spaces, and the
    step at which each begins."""
    firsts = curves.sort("step").group_by("trial", "stage", maintain_order=True).agg(pl.col("step").min())
    text = pl.col("stage").sort_by("step").str.join(" ")
    rows = firsts.group_by("trial", maintain_order=True).agg(stages=text).sort("trial")
    steps = firsts.pivot("stage", index="trial", values="step")
    names = [name for name in steps.columns if name != "trial"]
    return rows.join(steps.rename({name: f"{name}_step" for name in names}), on="trial", maintain_order="left")


def falls(curves: pl.DataFrame, value: str, below: str, streak: int = 3) -> pl.DataFrame:
    """For each trial the first step at which `value` is under the column `below` and stays so for `streak` records, or
    to the end of the records: column `step`; null where it never does."""
    frames.require(curves, ["trial", "step", value, below], "the curves frame")
    under = (pl.col(value) < pl.col(below)).cast(pl.Int8)
    ahead = pl.min_horizontal(*(under.shift(-i, fill_value=1).over("trial") for i in range(streak)))
    marked = curves.sort("trial", "step").with_columns(stays=ahead)
    return marked.group_by("trial", maintain_order=True).agg(step=pl.col("step").filter(pl.col("stays") == 1).min())
