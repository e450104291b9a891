"""Where a rate of success reaches a level as samples grow, and by which law that threshold grows.

A rate estimated cell by cell is not monotone; the threshold is therefore read off three ways: the first size at which
the level is reached, the first from which it is kept, and the crossing of the isotonic fit (Barlow, Bartholomew,
Bremner, Brunk 1972), which interpolates between sizes and comes with a bootstrap interval over replicates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from scipy.optimize import isotonic_regression

from assay.analysis import frames

SCHEMA = pl.Schema(dict.fromkeys(["first", "kept", "isotonic", "isotonic_low", "isotonic_high"], pl.Float64))
LAWS = ("logarithmic", "linear", "power")
LAW_SCHEMA = pl.Schema({"law": pl.String} | dict.fromkeys(["a", "b", "r2", "sse", "weight"], pl.Float64))


def thresholds(
    table: pl.DataFrame, size: str, success: str, level: float, by: Sequence[str] = (), resamples: int = 1000
) -> pl.DataFrame:
    """One row a group: the thresholds of the rate of `success` over `size`, and a 95 % interval of the isotonic one.
    Null where the level is not reached (or kept) on the grid; an end of the interval beyond the grid is null."""
    frames.require(table, [*by, size, success], "the table of replicates")
    frames.check_names(by, SCHEMA.names())
    frames.check_resamples(resamples)
    keys, groups = frames.split(table, by)
    return frames.join(keys, [_thresholds(group, size, success, level, resamples) for group in groups], SCHEMA)


def crossing(sizes: np.ndarray, rates: np.ndarray, counts: np.ndarray, level: float) -> float:
    """Where the isotonic fit of the rates reaches the level, linear between sizes; the smallest size if it starts
    above, infinite if it never does."""
    fit = isotonic_regression(rates, weights=counts).x
    above = np.flatnonzero(fit >= level - 1e-12)
    if not len(above):
        return math.inf
    i = int(above[0])
    if i == 0 or fit[i] == fit[i - 1]:
        return float(sizes[i])
    return float(sizes[i - 1] + (sizes[i] - sizes[i - 1]) * (level - fit[i - 1]) / (fit[i] - fit[i - 1]))


def _thresholds(group: pl.DataFrame, size: str, success: str, level: float, resamples: int) -> Mapping[str, object]:
    cells = group.group_by(size).agg(k=pl.col(success).sum(), n=pl.len()).sort(size)
    sizes, solved, counts = (cells[name].to_numpy().astype(float) for name in (size, "k", "n"))
    reached = solved / counts >= level - 1e-12
    kept = np.logical_and.accumulate(reached[::-1])[::-1]
    drawn = np.random.default_rng(0).binomial(counts.astype(int), solved / counts, (resamples, len(sizes)))
    again = np.sort([crossing(sizes, rates, counts, level) for rates in drawn / counts])
    ends = [float(again[round(q * (resamples - 1))]) for q in (0.025, 0.975)]
    return {
        "first": float(sizes[reached][0]) if reached.any() else math.nan,
        "kept": float(sizes[kept][0]) if kept.any() else math.nan,
        "isotonic": crossing(sizes, solved / counts, counts, level),
        "isotonic_low": ends[0],
        "isotonic_high": ends[1],
    }


def laws(x: np.ndarray, y: np.ndarray) -> pl.DataFrame:
    """Three laws with two numbers each, by least squares: y = a ln x + b, y = a x + b, and y = b x^a (fitted to ln y;
    r2 and sse are those of y). `weight` is Akaike's, exp(-AIC/2) normalised: how far the data speak for each law."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    rows: list[dict[str, Any]] = []
    for law in LAWS:
        at = x if law == "linear" else np.log(x)
        a, b = np.polyfit(at, np.log(y) if law == "power" else y, 1)
        fitted = np.exp(a * at + b) if law == "power" else a * at + b
        sse = float(((y - fitted) ** 2).sum())
        spread = float(((y - y.mean()) ** 2).sum())
        rows.append(
            {"law": law, "a": float(a), "b": float(math.exp(b) if law == "power" else b), "sse": sse,
             "r2": 1 - sse / spread if spread else math.nan}
        )  # fmt: skip
    logs = np.array([len(x) / 2 * math.log(max(row["sse"], 1e-12)) for row in rows])
    weights = np.exp(logs.min() - logs)
    for row, weight in zip(rows, weights / weights.sum(), strict=True):
        row["weight"] = float(weight)
    return pl.DataFrame(rows, schema=LAW_SCHEMA)
