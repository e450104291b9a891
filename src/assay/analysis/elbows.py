"""Elbows: whether the exponent of a power law grows along x.

`change` compares the exponents of two windows of x; `local` follows the exponent through windows of a few points. Both
rest on quantiles of solve times, and get their intervals from the runs, resampled within each x. A point whose quantile
is infinite is in no fit; `halted` counts such points.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from jaxtyping import Float

from assay.analysis import frames, powerlaw, survival
from assay.analysis.quantiles import bootstrap_quantiles, check_quantiles, quantile_with_infinities
from assay.errors import ConfigError

Array = np.ndarray
Window = tuple[float, float]

CHANGE = pl.Schema(
    dict.fromkeys(["below", "above", "change", "change_low", "change_high"], pl.Float64)
    | dict.fromkeys(["points_below", "points_above", "halted"], pl.Int64)
)
LOCAL = ("x", "exponent", "exponent_low", "exponent_high")


def change(
    runs: pl.DataFrame,
    x: str,
    by: Sequence[str],
    below: Window,
    above: Window,
    quantile: float = 0.5,
    resamples: int = 999,
    seed: int = 0,
) -> pl.DataFrame:
    """One row a group: the exponents in the windows `below` and `above` of x (ends included), and their difference
    above - below with its 95 % bootstrap interval. Null where a window has fewer than two finite points."""
    if not below[0] < below[1] <= above[0] < above[1]:
        raise ConfigError("windows", (below, above), "two windows of which the second lies above the first")
    keys, groups = _groups(runs, x, by, CHANGE.names(), quantile, resamples)
    rows = [_change(*_points(group, x, quantile, resamples, seed), below, above) for group in groups]
    return frames.join(keys, rows, CHANGE)


def local(
    runs: pl.DataFrame,
    x: str,
    by: Sequence[str],
    points: int = 3,
    quantile: float = 0.5,
    resamples: int = 999,
    seed: int = 0,
) -> pl.DataFrame:
    """For each group and each `points` neighbouring x with finite quantiles: their geometric mean `x` and the exponent
    through them, with its 95 % bootstrap interval."""
    if points < 2:
        raise ConfigError("points", points, ">= 2")
    keys, groups = _groups(runs, x, by, LOCAL, quantile, resamples)
    return frames.stack(keys, [_local(*_points(group, x, quantile, resamples, seed), points) for group in groups])


def _groups(
    runs: pl.DataFrame, x: str, by: Sequence[str], made: Sequence[str], quantile: float, resamples: int
) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    check_quantiles([quantile])
    frames.check_resamples(resamples)
    frames.require(runs, [*by, x, "outcome", "step"], "the runs frame")
    frames.check_names(by, made)
    return frames.split(runs.select(*by, x, survival.solve_time()), by)


def _points(
    group: pl.DataFrame, x: str, quantile: float, resamples: int, seed: int
) -> tuple[Float[Array, " P"], Float[Array, "R+1 P"]]:
    """The places, and the quantile there: first that of the runs, then those of the resamples."""
    at, parts = frames.split(group, [x])
    samples = [part["solve_time"].to_numpy() for part in parts]
    rng = np.random.default_rng(seed)
    middle = np.array([quantile_with_infinities(times, [quantile]) for times in samples])  # [P, 1]
    redrawn = np.stack([bootstrap_quantiles(times, [quantile], resamples, rng)[:, 0] for times in samples], axis=1)
    return at[x].cast(pl.Float64).to_numpy(), np.concatenate([middle.T, redrawn])


def _change(places: Array, times: Array, below: Window, above: Window) -> Mapping[str, object]:
    finite = np.isfinite(times[0])
    inside = [(places >= low) & (places <= high) for low, high in (below, above)]
    first, second = (_exponents(places, times, window & finite) for window in inside)
    difference = second - first
    low, high = _interval(difference[1:])
    return {
        "below": first[0], "above": second[0], "change": difference[0], "change_low": low, "change_high": high,
        "points_below": int((inside[0] & finite).sum()), "points_above": int((inside[1] & finite).sum()),
        "halted": int(((inside[0] | inside[1]) & ~finite).sum()),
    }  # fmt: skip


def _local(places: Array, times: Array, points: int) -> pl.DataFrame:
    finite = np.flatnonzero(np.isfinite(times[0]))
    rows = []
    for start in range(len(finite) - points + 1):
        window = np.isin(np.arange(len(places)), finite[start : start + points])
        exponents = _exponents(places, times, window)
        middle = math.exp(np.log(places[window]).mean())
        rows.append((middle, exponents[0], *_interval(exponents[1:])))
    table = pl.DataFrame(rows, schema=dict.fromkeys(LOCAL, pl.Float64), orient="row")
    return table.fill_nan(None)


def _exponents(places: Array, times: Array, window: Array) -> Float[Array, " R"]:
    """The slope of log time on log place in each row, over the points in the window; NaN with fewer than two."""
    if window.sum() < 2:
        return np.full(len(times), math.nan)
    return powerlaw.lines(np.log(places[window]), times[:, window])[0]


def _interval(exponents: Float[Array, " R"]) -> tuple[float, float]:
    """The central 95 % of those that are defined; NaN where fewer than half are."""
    defined = exponents[np.isfinite(exponents)]
    if 2 * len(defined) < len(exponents) or not len(defined):
        return math.nan, math.nan
    low, high = np.quantile(defined, (0.025, 0.975))
    return float(low), float(high)
