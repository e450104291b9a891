"""Samples against a law that is known: the Kolmogorov-Smirnov distance, for times that are seen at checks only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from assay.errors import ConfigError

Array = np.ndarray


def kolmogorov(
    times: Float[Array, " N"], law: Callable[[Float[Array, " T"]], Float[Array, " T"]], every: int, horizon: int
) -> float:
    """sup |F_N(t) - F(t)| over the checks t = 0, every, 2 every, ... up to the horizon, where F_N(t) is the fraction
    of times at most t and F = `law` the distribution function.

    A time is known up to the next check, so that at checks, and only there, both functions can be compared. Times
    beyond the horizon, infinite ones included, count as not yet solved. F_N is constant between times and F increases:
    the supremum is reached at a time, at the check before one, or at the horizon.
    """
    times = np.asarray(times, dtype=np.float64)
    if not len(times) or every < 1 or horizon < 0 or (times[np.isfinite(times)] % every).any():
        raise ConfigError("times", len(times), f"at least one, finite ones multiples of every = {every}")
    ordered = np.sort(times)
    seen = np.unique(ordered[ordered <= horizon])
    places = np.unique(np.concatenate([seen, np.maximum(seen - every, 0), [0, horizon // every * every]]))
    empirical = np.searchsorted(ordered, places, side="right") / len(ordered)
    return float(np.abs(empirical - law(places)).max())
