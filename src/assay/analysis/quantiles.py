"""Quantiles of samples that may hold infinities, and their bootstrap distribution.

A trial that was not solved has the solve time +infinity. The q-quantile of N sorted values is their linear
interpolation at position h = (N - 1) q (Hyndman and Fan 1996, type 7, the default of numpy); where the
interpolation touches an infinite value with positive weight, the quantile is infinite. It is never computed
from the solved trials alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from assay.errors import ConfigError

Array = np.ndarray


def check_quantiles(quantiles: Sequence[float]) -> None:
    if not quantiles:
        raise ConfigError("quantiles", tuple(quantiles), "at least one number between 0 and 1")
    for q in quantiles:
        if not 0.0 < q < 1.0:
            raise ConfigError("quantiles", q, "between 0 and 1, both excluded")


def column_name(q: float) -> str:
    """The column of a quantile: q10 for 0.1, q2.5 for 0.025."""
    return f"q{100 * q:g}"


def positions(count: int, quantiles: Sequence[float]) -> tuple[Array, Array, Array]:
    """Lower rank, upper rank (from 0) and the weight of the upper one, for each quantile of `count` values."""
    # (N - 1) q must not miss an integer by a rounding error: the neighbour's weight has to be exactly zero there
    h = np.round((count - 1) * np.asarray(quantiles, dtype=np.float64), 9)
    lower = np.floor(h).astype(np.int64)
    weight = h - lower
    return lower, lower + (weight > 0), weight


def interpolate(lower: Array, upper: Array, weight: Array) -> Array:
    """(1 - weight) * lower + weight * upper; infinite as soon as `upper` is."""
    finite = np.isfinite(upper)
    step = np.where(finite, upper, 0.0) - np.where(finite, lower, 0.0)
    return np.where(finite, lower + weight * step, np.inf)


def quantile_with_infinities(values: Float[Array, "*batch N"], quantiles: Sequence[float]) -> Float[Array, "*batch Q"]:
    """Quantiles along the last axis; +inf where the interpolation touches +inf. Values must not be NaN or -inf."""
    values = np.asarray(values, dtype=np.float64)
    if values.shape[-1] == 0 or np.isnan(values).any() or np.isneginf(values).any():
        raise ConfigError("values", values.shape, "a sample of at least one number, without NaN and -inf")
    ordered = np.sort(values, axis=-1)
    lower, upper, weight = positions(values.shape[-1], quantiles)
    return interpolate(ordered[..., lower], ordered[..., upper], weight)


def bootstrap_quantiles(
    values: Float[Array, " N"], quantiles: Sequence[float], resamples: int, rng: np.random.Generator
) -> Float[Array, "resamples Q"]:
    """Quantiles of `resamples` bootstrap samples (N draws with replacement), without drawing the samples.

    A bootstrap sample is sorted_values[floor(N U)] for N uniform U, and floor is monotone, so its order statistics
    are sorted_values[floor(N U_(r))]. The U_(r) of a few ranks come straight from their joint law: partial sums of
    N + 1 exponential gaps over the whole sum (Devroye 1986, V.2.3), that is, of gamma variables. The result
    has exactly the law of the usual bootstrap, at a cost that does not grow with N.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    count = len(ordered)
    lower, upper, weight = positions(count, quantiles)
    ranks = np.unique(np.concatenate([lower, upper]))
    gaps = np.diff(np.concatenate([[0], ranks + 1, [count + 1]]))
    sums = np.cumsum(rng.standard_gamma(gaps, size=(resamples, len(gaps))), axis=1)
    drawn = np.minimum((count * sums[:, :-1] / sums[:, -1:]).astype(np.int64), count - 1)
    at = ordered[drawn]  # [resamples, ranks]
    return interpolate(at[:, np.searchsorted(ranks, lower)], at[:, np.searchsorted(ranks, upper)], weight)


def percentile_interval(samples: Float[Array, "resamples Q"]) -> tuple[Float[Array, " Q"], Float[Array, " Q"]]:
    """The central 95 % of each column (Efron's percentile interval)."""
    ends = quantile_with_infinities(samples.T, (0.025, 0.975))
    return ends[:, 0], ends[:, 1]
