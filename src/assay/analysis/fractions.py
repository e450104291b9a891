"""Fractions of a count, with an interval that is right near 0 and 1 too."""

from __future__ import annotations

import functools

from scipy import stats


@functools.lru_cache(maxsize=4096)
def wilson(count: int, total: int) -> tuple[float, float]:
    """The 95 % score interval of count / total (Wilson 1927); all of [0, 1] where nothing was counted."""
    if not total:
        return 0.0, 1.0
    interval = stats.binomtest(count, total).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)
