"""Quantile bands of training curves over the trials of a group.

At each step the band is made of quantiles over trials, never of mean and deviation: solve times are heavy-tailed and
losses are skewed. A trial that ended early (it was solved, or diverged) *keeps its last value*; dropping it would
show, late in training, only the trials that are not solved. Beside each band stand `n`, the trials that count at
this step, and `at_risk`, those that were still training.

A null in the curves frame means "not measured at this step" (the previous value holds); NaN and +inf count as +inf,
and a quantile that touches them is null.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from assay.analysis import frames
from assay.analysis.quantiles import check_quantiles, column_name, quantile_with_infinities
from assay.errors import ConfigError


def quantile_band(
    curves: pl.DataFrame, value: str, by: Sequence[str], quantiles: Sequence[float] = (0.1, 0.5, 0.9)
) -> pl.DataFrame:
    """For each group and step: n, at_risk and the quantiles (q10, q50, q90) of the column `value` over trials.

    Steps are all those at which some trial of the group was measured. A trial counts from its first measurement on.
    """
    check_quantiles(quantiles)
    names = [column_name(q) for q in quantiles]
    frames.check_names(by, ["step", "n", "at_risk", *names])
    keys, groups = frames.split(_measured(curves, value, by), by)
    return frames.stack(keys, [_band(group, value, quantiles, names) for group in groups])


def examples_and_band(
    curves: pl.DataFrame,
    values: Sequence[str],
    by: Sequence[str],
    quantiles: tuple[float, float, float] = (0.1, 0.5, 0.9),
    examples: int = 3,
) -> pl.DataFrame:
    """Some single trials and the band over all of them, in one long table: the one that `TrainingCurves` draws.

    Columns: by, measure, trial, step, value, low, high. A row with a trial is a measured value of it; a row without is
    the band at that step: value = middle quantile, low and high the outer ones. The examples are the first trials
    of each group in the order of their identity, which is a hash: a fixed choice that nobody made.
    """
    check_quantiles(quantiles)
    frames.check_names(by, ["measure", "trial", "step", "value", "low", "high"])
    low, middle, high = (column_name(q) for q in quantiles)
    null = pl.lit(None, pl.Float64)
    tables = []
    for value in values:
        keys, groups = frames.split(_measured(curves, value, by), by)
        for i, group in enumerate(groups):
            chosen = group["trial"].unique().sort().head(examples)
            single = group.filter(pl.col("trial").is_in(chosen.implode())).sort("trial", "step")
            band = _band(group, value, quantiles, [low, middle, high])
            rows = [
                single.select("trial", "step", value=value, low=null, high=null),
                band.select(trial=pl.lit(None, group.schema["trial"]), step="step", value=middle, low=low, high=high),
            ]
            long = pl.concat(rows).select(pl.lit(value).alias("measure"), pl.all())
            tables.append(frames.stack(keys[i : i + 1], [long]))
    return pl.concat(tables)


def _measured(curves: pl.DataFrame, value: str, by: Sequence[str]) -> pl.DataFrame:
    frames.require(curves, [*by, "trial", "step", value], "the curves frame")
    rows = curves.select(*by, "trial", pl.col("step").cast(pl.Int64), pl.col(value).cast(pl.Float64)).drop_nulls(value)
    if rows.is_empty():
        raise ConfigError("curves", f"no value in {value!r}", f"a frame with at least one measured {value!r}")
    if rows.select("trial", "step").is_duplicated().any():
        raise ConfigError("curves", "a step twice", "a frame with one row a trial and step", "is `trial` the identity?")
    return rows


def _band(rows: pl.DataFrame, value: str, quantiles: Sequence[float], names: Sequence[str]) -> pl.DataFrame:
    trials, trial = np.unique(rows["trial"].to_numpy(), return_inverse=True)
    steps, step = np.unique(rows["step"].to_numpy(), return_inverse=True)
    measured = np.full((len(trials), len(steps)), -1)  # the row of the measurement
    measured[trial, step] = np.arange(len(step))
    last_step = np.zeros(len(trials), dtype=np.int64)
    np.maximum.at(last_step, trial, steps[step])
    at = np.where(measured >= 0, np.arange(len(steps)), -1)
    at = np.maximum.accumulate(at, axis=1)  # the column whose value holds; -1 before the first
    values = np.nan_to_num(rows[value].to_numpy(), nan=np.inf, posinf=np.inf)
    held = values[np.take_along_axis(measured, np.maximum(at, 0), axis=1)]
    counts = (at >= 0).sum(axis=0)
    band = np.stack(
        [quantile_with_infinities(held[at[:, j] >= 0, j], quantiles) for j in range(len(steps))]
    )  # [steps, quantiles]
    columns = {name: np.where(np.isfinite(band[:, i]), band[:, i], np.nan) for i, name in enumerate(names)}
    at_risk = (last_step[:, None] >= steps).sum(axis=0)
    return pl.DataFrame({"step": steps, "n": counts, "at_risk": at_risk, **columns}).with_columns(
        pl.col("n", "at_risk").cast(pl.Int64), pl.col(names).fill_nan(None)
    )
