"""Runs to displays: solve times, survival curves and training curves of any sweep.

Which axis becomes what is decided here; the numbers are those of `assay.analysis`, the drawing that of `assay.figures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

from assay.analysis import bands, survival
from assay.errors import ConfigError, UnknownName
from assay.figures import Display, SolveTimes, SurvivalCurves, TrainingCurves

NONE = "none"
"""Word for a field that a component does not have."""

RESULTS = ("trial", "seed", "step", "seconds", "engine", "version", "message", "quantity")
"""Columns that are no axis of a sweep."""

RECORDED = ("trial", "step")


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Last part of each path, or all of it where two paths end alike; a kind is called by its component."""
    last = {path: path.removesuffix(".kind").rpartition(".")[2] for path in paths}
    return {path: name if list(last.values()).count(name) == 1 else path for path, name in last.items()}


def summary(runs: pl.DataFrame, varied: Sequence[str]) -> pl.DataFrame:
    """One row a point: runs, solved fraction, quantiles of the solve time with their intervals."""
    return survival.summary(runs, by=list(varied), quantiles=(0.1, 0.5, 0.9))


def display(runs: pl.DataFrame, varied: Sequence[str], caption: str = "") -> Display:
    """Median solve times against the first axis of positive numbers, the other axes as lines and panels; without such
    an axis survival curves."""
    x = next((path for path in varied if is_scale(runs[path])), None)
    runs, line, panel = arranged(runs, [path for path in varied if path != x])
    if x is None:
        return survival_display(runs, line, panel, caption)
    return times_display(runs, x, line, panel, caption)


def times_display(
    runs: pl.DataFrame, x: str, line: str | None = None, panel: str | None = None, caption: str = ""
) -> Display:
    """Median solve times against a column."""
    if not is_scale(runs[x]) and not (runs[x].dtype.is_numeric() and (runs[x].drop_nulls() > 0).all()):
        raise ConfigError("x", x, "a column of positive numbers", "or use survival curves, with this column as lines")
    runs = filled(runs.drop_nulls(x), [line, panel])
    names = short_names([name for name in (x, line, panel) if name])
    said = "Median over runs with 95 % bootstrap bars; an open triangle: less than half were solved."
    return SolveTimes(
        summary(runs, [name for name in (panel, line, x) if name]),
        x=x,
        line=line,
        panel=panel,
        labels=names,
        title=f"Steps until solved, against {names[x]}",
        caption=f"{said} {caption}".strip(),
    )


def survival_display(
    runs: pl.DataFrame, line: str | None = None, panel: str | None = None, caption: str = ""
) -> Display:
    """Kaplan-Meier curves."""
    by = [name for name in (panel, line) if name]
    said = "Fraction of runs not solved yet, with 95 % bands; a tick across the line is a run that was censored."
    return SurvivalCurves(
        survival.curve(filled(runs, by), by=by),
        line=line,
        panel=panel,
        labels=short_names(by),
        title="Not yet solved",
        caption=f"{said} {caption}".strip(),
    )


def curves_display(
    curves: pl.DataFrame,
    runs: pl.DataFrame,
    panel: str | None,
    measures: Sequence[str],
    x_scale: Literal["linear", "log"] = "log",
    y_scale: Literal["linear", "log"] = "linear",
) -> Display:
    """Some single runs and the band over all, one panel for each value of a column."""
    recorded = [name for name in curves.columns if name not in RECORDED]
    if not recorded:
        advice = "train with measures=eval/error,eval/loss points=50"
        raise ConfigError("curves", "nothing", "recorded when the runs were trained", advice)
    for name in measures:
        if name not in recorded:
            raise UnknownName("recorded measure", name, recorded)
    by = [panel] if panel else []
    joined = curves.join(filled(runs, by).select("trial", *by), on="trial")
    return TrainingCurves(
        bands.examples_and_band(joined, list(measures) or recorded, by=by),
        panel=panel,
        labels=short_names(by),
        x_scale=x_scale,
        y_scale=y_scale,
        title="Training curves",
        caption="Light: three single runs. Strong: median over runs, and the band from 10th to 90th percentile.",
    )


def is_scale(column: pl.Series) -> bool:
    """Whether a column can be an axis: different positive numbers."""
    return column.dtype.is_numeric() and column.n_unique() > 1 and bool((column.drop_nulls() > 0).all())


def first_scale(runs: pl.DataFrame) -> str:
    """The first column that a sweep varied and that can be an axis."""
    found = [name for name in runs.columns if name not in RESULTS and "final." not in name and is_scale(runs[name])]
    if not found:
        raise ConfigError(
            "x", None, "given: no column of these runs has different positive numbers", "try --kind survival"
        )
    return found[0]


def filled(runs: pl.DataFrame, columns: Sequence[str | None]) -> pl.DataFrame:
    """Lines and panels have a name everywhere, also where a component lacks the field."""
    lacking = [name for name in columns if name and runs[name].null_count()]
    return runs.with_columns(pl.col(name).cast(pl.String).fill_null(NONE) for name in lacking)


def arranged(runs: pl.DataFrame, others: Sequence[str]) -> tuple[pl.DataFrame, str | None, str | None]:
    """The runs, the column of the lines, and that of the panels, which stands for all axes beyond two."""
    line = others[0] if others else None
    if len(others) < 3:
        return runs, line, others[1] if len(others) > 1 else None
    names = short_names(others)
    words = [pl.format(f"{names[path]} = {{}}", pl.col(path)) for path in others[1:]]
    together = filled(runs, others[1:]).with_columns(pl.concat_str(words, separator=", ").alias("setting"))
    return together, line, "setting"
