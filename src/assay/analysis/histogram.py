"""Histograms as tables: a row a bin, however many values were counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from jaxtyping import Float

from assay.analysis import frames
from assay.errors import ConfigError

Array = np.ndarray
MADE = ("low", "high", "count", "fraction", "density")


def counts(table: pl.DataFrame, value: str, by: Sequence[str], edges: Float[Array, " E"]) -> pl.DataFrame:
    """For each group and bin: low, high, the `count` of values in (low, high], which `fraction` of *all* values of the
    group that is, and the `density`, fraction / (high - low). A value at the first edge is in the first bin.

    Infinite values (a run that was not solved) and those outside of the edges are in no bin but count in the whole:
    fractions add up to what the bins hold. Bins open below make P[value <= high] exact for whole numbers.
    """
    frames.require(table, [*by, value], "the table")
    frames.check_names(by, MADE)
    edges = np.asarray(edges, dtype=np.float64)
    if len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise ConfigError("edges", edges.tolist(), "two or more increasing numbers")
    column = table[value].cast(pl.Float64)
    if column.is_empty() or column.fill_nan(None).null_count():
        raise ConfigError(f"column {value}", "no row, null or NaN", "numbers, infinite ones included")
    keys, groups = frames.split(table.select(*by, pl.col(value).cast(pl.Float64)), by)
    return frames.stack(keys, [_bins(group[value].to_numpy(), edges) for group in groups])


def equal_bins(low: float, high: float, count: int, log: bool = False) -> Float[Array, " E"]:
    """The edges of `count` bins of equal width, or of equal ratio, from `low` to `high`."""
    if not low < high or (log and low <= 0) or count < 1:
        raise ConfigError("(low, high, count)", (low, high, count), "low < high, at least one bin, low > 0 with log")
    return np.geomspace(low, high, count + 1) if log else np.linspace(low, high, count + 1)


def _bins(values: Float[Array, " N"], edges: Float[Array, " E"]) -> pl.DataFrame:
    at = np.searchsorted(edges, values, side="left") - 1  # edges[at] < value <= edges[at + 1]
    at[values == edges[0]] = 0
    inside = at[(at >= 0) & (at < len(edges) - 1)]
    count = np.bincount(inside, minlength=len(edges) - 1)
    fraction = count / len(values)
    columns = {"low": edges[:-1], "high": edges[1:], "count": count.astype(np.int64)}
    return pl.DataFrame(columns | {"fraction": fraction, "density": fraction / np.diff(edges)})
