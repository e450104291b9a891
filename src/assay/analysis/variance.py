"""Where the variance of a number lies: between units (initialisations), or within them (streams of examples).

One-way random effects: value_ij = mean + a_i + e_ij for run j of unit i, with independent a_i and e_ij. The components
are the analysis-of-variance estimates for unequal numbers of runs (Searle, Casella, McCulloch 1992, section 3.6), and a
negative one is set to zero:

    within = MSW,   between = (MSB - MSW) / n0,   n0 = (N - sum n_i^2 / N) / (units - 1),

and the intraclass correlation is ICC = between / (between + within), the part of the variance that the unit decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from jaxtyping import Float, Int

from assay.analysis import frames
from assay.errors import ConfigError

Array = np.ndarray

SCHEMA = pl.Schema(
    dict.fromkeys(["n", "units"], pl.Int64)
    | dict.fromkeys(["mean", "between", "within", "icc", "icc_low", "icc_high"], pl.Float64)
)


def components(
    table: pl.DataFrame, value: str, unit: str, by: Sequence[str] = (), resamples: int = 999, seed: int = 0
) -> pl.DataFrame:
    """One row a group: n runs of so many units, the mean, both components, and the ICC with its 95 % percentile
    interval over resampled units, whose runs stay together (Davison and Hinkley 1997, section 3.8).

    Values must be finite: a run that was not solved has no place in a sum of squares. Null means undefined: fewer than
    three units, or no unit with two runs.
    """
    frames.check_resamples(resamples)
    frames.require(table, [*by, unit, value], "the table")
    frames.check_names(by, SCHEMA.names())
    missing = table.height - int(table[value].cast(pl.Float64).is_finite().sum())
    if missing:
        advice = "leave out the runs that have none, and say how many"
        raise ConfigError(f"column {value}", f"{missing} without a number", "finite numbers", advice)
    keys, groups = frames.split(table, by)
    return frames.join(keys, [_components(group, value, unit, resamples, seed) for group in groups], SCHEMA)


def _components(group: pl.DataFrame, value: str, unit: str, resamples: int, seed: int) -> Mapping[str, object]:
    number = pl.col(value).cast(pl.Float64)
    deviation = (number - number.mean()) ** 2
    units = group.group_by(unit).agg(n=pl.len(), mean=number.mean(), squares=deviation.sum()).sort(unit)
    count = units["n"].cast(pl.Int64).to_numpy()
    row: dict[str, object] = {"n": group.height, "units": units.height, "mean": group[value].cast(pl.Float64).mean()}
    if units.height < 3 or count.max() < 2:
        return row | dict.fromkeys(["between", "within", "icc", "icc_low", "icc_high"], np.nan)
    parts = count, units["mean"].to_numpy(), units["squares"].to_numpy()
    between, within, icc = (float(estimate) for estimate in _estimates(*parts))
    drawn = np.random.default_rng(seed).integers(units.height, size=(resamples, units.height))
    redrawn = _estimates(*(part[drawn] for part in parts))[2]
    low, high = np.nanquantile(redrawn, (0.025, 0.975))
    return row | {"between": between, "within": within, "icc": icc, "icc_low": low, "icc_high": high}


def _estimates(
    count: Int[Array, "*R U"], mean: Float[Array, "*R U"], squares: Float[Array, "*R U"]
) -> tuple[Float[Array, "*R"], Float[Array, "*R"], Float[Array, "*R"]]:
    """Between, within and ICC from the size, mean and sum of squared deviations of each unit, units along the last
    axis; the ICC is NaN where there is no variance at all."""
    units, whole = count.shape[-1], count.sum(axis=-1)
    grand = (count * mean).sum(axis=-1) / whole
    spare = np.maximum(whole - units, 1)  # zero only where every unit that was drawn has a single run
    within = squares.sum(axis=-1) / spare
    mean_square = (count * (mean - grand[..., None]) ** 2).sum(axis=-1) / (units - 1)
    size = (whole - (count**2).sum(axis=-1) / whole) / (units - 1)
    between = np.maximum((mean_square - within) / size, 0.0)
    total = between + within
    return between, within, np.divide(between, total, out=np.full(np.shape(total), np.nan), where=total > 0)
