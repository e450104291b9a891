"""Power laws y = prefactor * x ** exponent: least squares of log y on log x.

The interval of the exponent is that of the regression slope (Student t, points - 2 degrees of freedom); with two
points there is a slope but no interval. Where y is the median of solve times, `fit_solve_times` gets its interval
from the runs: it resamples them within each x and fits the medians again.

A point whose y is infinite (null, NaN or +inf: more than half of the runs were not solved) cannot enter the fit.
It is left out and counted in `halted`, so that a fit over the easy part of a grid can be told from a whole one.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from jaxtyping import Float
from scipy import stats

from assay.analysis import frames, survival
from assay.analysis.quantiles import bootstrap_quantiles, check_quantiles, quantile_with_infinities
from assay.errors import ConfigError

Array = np.ndarray

NUMBERS = ("exponent", "exponent_low", "exponent_high", "prefactor", "prefactor_low", "prefactor_high", "r2")
SCHEMA = pl.Schema(dict.fromkeys(NUMBERS, pl.Float64) | dict.fromkeys(["points", "halted"], pl.Int64))


@dataclasses.dataclass(frozen=True, kw_only=True)
class PowerLaw:
    """The law, its 95 % intervals (NaN where undefined), the points it rests on and those it had to leave out."""

    exponent: float = math.nan
    exponent_low: float = math.nan
    exponent_high: float = math.nan
    prefactor: float = math.nan
    prefactor_low: float = math.nan
    prefactor_high: float = math.nan
    r2: float = math.nan
    points: int
    halted: int

    def __call__(self, x: Float[Array, " N"]) -> Float[Array, " N"]:
        return self.prefactor * np.asarray(x, dtype=np.float64) ** self.exponent


def fit(x: Float[Array, " N"], y: Float[Array, " N"], confidence: float = 0.95) -> PowerLaw:
    """The least-squares law through (log x, log y); needs two different x with finite y, otherwise it is undefined."""
    if not 0.0 < confidence < 1.0:
        raise ConfigError("confidence", confidence, "between 0 and 1, both excluded")
    x, y = _positive("x", x), np.asarray(y, dtype=np.float64)
    kept = np.isfinite(y)
    points, halted = int(kept.sum()), int((~kept).sum())
    if len(np.unique(x[kept])) < 2:
        return PowerLaw(points=points, halted=halted)
    line = stats.linregress(np.log(x[kept]), np.log(_positive("y", y[kept])))
    half = stats.t.ppf(0.5 + confidence / 2, points - 2) if points > 2 else math.nan
    # scipy leaves the errors undefined where y is constant; the residuals are zero there
    slope_error, intercept_error = half * np.nan_to_num([line.stderr, line.intercept_stderr])
    with np.errstate(over="ignore"):  # of three points close together the upper end may be beyond all floats
        prefactors = np.exp(line.intercept + intercept_error * np.array([0.0, -1.0, 1.0])).tolist()
    return PowerLaw(
        exponent=float(line.slope),
        exponent_low=float(line.slope - slope_error),
        exponent_high=float(line.slope + slope_error),
        prefactor=prefactors[0],
        prefactor_low=prefactors[1],
        prefactor_high=prefactors[2],
        r2=float(line.rvalue**2),
        points=points,
        halted=halted,
    )


def fit_groups(table: pl.DataFrame, x: str, y: str, by: Sequence[str]) -> pl.DataFrame:
    """One fitted law a group; `y` is for example the q50 of `survival.summary`, null where infinite."""
    frames.require(table, [*by, x, y], "the table")
    frames.check_names(by, SCHEMA.names())
    keys, groups = frames.split(table, by)
    laws = [fit(_floats(group[x]), _floats(group[y])) for group in groups]
    return frames.join(keys, [dataclasses.asdict(law) for law in laws], SCHEMA)


def fit_solve_times(
    runs: pl.DataFrame, x: str, by: Sequence[str], quantile: float = 0.5, resamples: int = 200, seed: int = 0
) -> pl.DataFrame:
    """One law a group through the solve-time quantiles at each x, with 95 % bootstrap intervals over the runs.

    Every refit uses the points of the original fit; one that comes out infinite in a resample is left out of that
    refit. Intervals are null when fewer than two points remain in more than half of the resamples.
    """
    check_quantiles([quantile])
    frames.check_resamples(resamples)
    frames.require(runs, [*by, x, "outcome", "step"], "the runs frame")
    frames.check_names(by, SCHEMA.names())
    keys, groups = frames.split(runs.select(*by, x, survival.solve_time()), by)
    return frames.join(keys, [_bootstrapped(group, x, quantile, resamples, seed) for group in groups], SCHEMA)


def _bootstrapped(group: pl.DataFrame, x: str, quantile: float, resamples: int, seed: int) -> Mapping[str, object]:
    at, parts = frames.split(group, [x])
    places = _positive(x, at[x].to_numpy())
    samples = [part["solve_time"].to_numpy() for part in parts]
    middle = np.array([quantile_with_infinities(times, [quantile])[0] for times in samples])
    law = fit(places, middle)
    kept = np.flatnonzero(np.isfinite(middle))
    row = dataclasses.asdict(law) | dict.fromkeys(
        ["exponent_low", "exponent_high", "prefactor_low", "prefactor_high"], math.nan
    )
    if math.isnan(law.exponent):
        return row
    rng = np.random.default_rng(seed)
    redrawn = np.stack([bootstrap_quantiles(samples[i], [quantile], resamples, rng)[:, 0] for i in kept], axis=1)
    slopes, intercepts = lines(np.log(places[kept]), redrawn)
    defined = np.isfinite(slopes)
    if 2 * defined.sum() < resamples:
        return row
    exponents = np.quantile(slopes[defined], (0.025, 0.975))
    prefactors = np.exp(np.quantile(intercepts[defined], (0.025, 0.975)))
    row |= {"exponent_low": float(exponents[0]), "exponent_high": float(exponents[1])}
    return row | {"prefactor_low": float(prefactors[0]), "prefactor_high": float(prefactors[1])}


def lines(u: Float[Array, " P"], y: Float[Array, "R P"]) -> tuple[Float[Array, " R"], Float[Array, " R"]]:
    """Slope and intercept of log y on u in each row, over its finite points; NaN with fewer than two."""
    kept = np.isfinite(y)
    count = kept.sum(axis=1)
    v = np.log(np.where(kept, y, 1.0))
    scale = np.maximum(count, 1)
    mean_u, mean_v = (kept * u).sum(axis=1) / scale, v.sum(axis=1) / scale
    du = kept * (u - mean_u[:, None])
    slopes = np.full(len(y), math.nan)
    np.divide((du * v).sum(axis=1), (du**2).sum(axis=1), out=slopes, where=count >= 2)
    return slopes, mean_v - slopes * mean_u


def _positive(name: str, values: Array) -> Array:
    values = np.asarray(values, dtype=np.float64)
    if not (np.isfinite(values) & (values > 0)).all():
        raise ConfigError(name, values[~(np.isfinite(values) & (values > 0))][0].item(), "> 0 on logarithmic axes")
    return values


def _floats(column: pl.Series) -> Array:
    """Null becomes NaN."""
    return column.cast(pl.Float64).fill_null(math.nan).to_numpy()
