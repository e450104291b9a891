"""Gaps of gradients: how far the coordinates of the hidden subset stand out, and laws of weights to draw them from.

With g = E[y x h(x)], h = sigma'(w.x + b), which is `gradient.population_gradient` up to the sign,

    relaxed   Gamma = max_{i in S} |g_i| - max_{i not in S} |g_i|
    strict            min_{i in S} |g_i| - max_{i not in S} |g_i|, the gap of Definition 1 at S

Barak et al. 2022, section 4.1 and appendix C.1. Random weights: `threshold.random_gaps`, `sinusoid.random_gaps`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Real

from assay.errors import ConfigError, UnknownName
from assay.maths.subsets import indicator

Draw = Callable[[np.random.Generator, int], np.ndarray]

WEIGHTS: Mapping[str, Draw] = {
    "uniform": lambda rng, n: rng.uniform(-1, 1, size=n),
    "gaussian": lambda rng, n: rng.normal(size=n),
    "sign": lambda rng, n: rng.choice([-1.0, 1.0], size=n),
}
"""Laws of random weights."""


def draw_weights(init: str, n: int, draws: int, rng: np.random.Generator) -> Float64[np.ndarray, "draws n"]:
    """Weights of a law, one row a draw."""
    if init not in WEIGHTS:
        raise UnknownName("law of random weights", init, WEIGHTS)
    return np.stack([WEIGHTS[init](rng, n) for _ in range(draws)])


def relaxed_gap(gradients: Real[np.ndarray, "rows n"], subset: Collection[int]) -> Float64[np.ndarray, " rows"]:
    """Gamma of each row: where it is positive, the largest |g_i| belongs to the subset."""
    inside, size = _inside(gradients, subset), np.abs(gradients, dtype=np.float64)
    return np.max(size[:, inside], axis=1) - np.max(size[:, ~inside], axis=1)


def strict_gap(gradients: Real[np.ndarray, "rows n"], subset: Collection[int]) -> Float64[np.ndarray, " rows"]:
    """The gap of Definition 1 of each row: where it is positive, the k largest |g_i| are those of the subset."""
    inside, size = _inside(gradients, subset), np.abs(gradients, dtype=np.float64)
    return np.min(size[:, inside], axis=1) - np.max(size[:, ~inside], axis=1)


@dataclass(frozen=True, kw_only=True)
class RandomGaps:
    """Gaps of neurons with random weights, one entry for each draw."""

    strict: Float64[np.ndarray, " draws"]
    relaxed: Float64[np.ndarray, " draws"]

    @classmethod
    def of(cls, gradients: Real[np.ndarray, "draws n"], subset: Collection[int]) -> RandomGaps:
        """Of one gradient a row."""
        return cls(strict=strict_gap(gradients, subset), relaxed=relaxed_gap(gradients, subset))


def _inside(gradients: np.ndarray, subset: Collection[int]) -> Bool[np.ndarray, " n"]:
    n = gradients.shape[1]
    if not 0 < len(subset) < n:
        raise ConfigError("subset", tuple(subset), f"of 1 to {n - 1} coordinates")
    return indicator(subset, n)
