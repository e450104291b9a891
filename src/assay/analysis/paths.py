"""Paths of weights over the recorded steps, and curves read through a window."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Float

from assay.errors import ConfigError, UnknownName

NORMS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "l1": lambda change: np.abs(change).sum(axis=1),
    "l2": lambda change: np.sqrt((change**2).sum(axis=1)),
    "linf": lambda change: np.abs(change).max(axis=1),
}


def path_length(weights: Float[np.ndarray, " T *shape"], norm: str = "linf") -> Float[np.ndarray, " T"]:
    """sum_{s < t} |w_{s+1} - w_s| up to each record t: a lower bound of the path's own length, exact where every step
    is recorded. Along a straight way it is the distance from the start; a random walk's is sqrt(t) times as long."""
    if norm not in NORMS:
        raise UnknownName("norm", norm, NORMS)
    changes = np.diff(np.asarray(weights, np.float64).reshape(len(weights), -1), axis=0)
    return np.concatenate([[0.0], np.cumsum(NORMS[norm](changes))])


def moving_mean(values: Float[np.ndarray, " T"], window: int) -> Float[np.ndarray, " T"]:
    """The mean of each value and the up to `window` - 1 values before it."""
    if window < 1:
        raise ConfigError("window", window, ">= 1")
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    at = np.arange(1, len(values) + 1)
    first = np.maximum(at - window, 0)
    return (sums[at] - sums[first]) / (at - first)
