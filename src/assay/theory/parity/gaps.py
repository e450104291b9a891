"""Gaps of gradients: how far the coordinates of the hidden subset stand out, for sinusoids in particular.

With g = E[y x h(x)], h = sigma'(w.x + b), which is `gradient.population_gradient` up to the sign,

    relaxed   Gamma = max_{i in S} |g_i| - max_{i not in S} |g_i|
    strict            min_{i in S} |g_i| - max_{i not in S} |g_i|, the gap of Definition 1 at S

Barak et al. 2022, appendix C.1. For a sinusoid of a.x, g_i over its prod_{j in S} sin a_j prod_{j not in S} cos a_j is
1 / tan a_i inside of S and tan a_i outside: Gamma is positive exactly where min_S |tan a_i| max_{S^c} |tan a_i| < 1, so
wherever no angle reaches pi/4.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from jaxtyping import Bool, Float64, Real

from assay.errors import ConfigError, UnknownName
from assay.maths.subsets import mask_of
from assay.theory.parity.sinusoid import QUARTER, sinusoid_gradient
from assay.theory.parity.threshold import WEIGHTS, RandomGaps


def relaxed_gap(gradients: Real[np.ndarray, "rows n"], subset: Collection[int]) -> Float64[np.ndarray, " rows"]:
    """Gamma of each row: where it is positive, the largest |g_i| belongs to the subset."""
    inside, size = _inside(gradients, subset), np.abs(gradients, dtype=np.float64)
    return np.max(size[:, inside], axis=1) - np.max(size[:, ~inside], axis=1)


def strict_gap(gradients: Real[np.ndarray, "rows n"], subset: Collection[int]) -> Float64[np.ndarray, " rows"]:
    """The gap of Definition 1 of each row: where it is positive, the k largest |g_i| are those of the subset."""
    inside, size = _inside(gradients, subset), np.abs(gradients, dtype=np.float64)
    return np.min(size[:, inside], axis=1) - np.max(size[:, ~inside], axis=1)


def random_sinusoid_gaps(n: int, k: int, init: str, draws: int, rng: np.random.Generator) -> RandomGaps:
    """Gaps at a set of size k of sin(w.x / sqrt n), for odd k of cos(w.x / sqrt n), for weights of that law.

    The other of the two has no gap: its coefficients at sets of k - 1 and k + 1 coordinates are 0.
    """
    if init not in WEIGHTS:
        raise UnknownName("law of random weights", init, WEIGHTS)
    subset, angles = range(k), [WEIGHTS[init](rng, n) / math.sqrt(n) for _ in range(draws)]
    # the neuron cos(z - k pi/2) has sigma'(z) = -+ sin z for even and -+ cos z for odd k
    gradients = np.stack([sinusoid_gradient(a, 0.0, subset, scale=1 / QUARTER)[0] for a in angles])
    return RandomGaps(strict=strict_gap(gradients, subset), relaxed=relaxed_gap(gradients, subset))


def _inside(gradients: np.ndarray, subset: Collection[int]) -> Bool[np.ndarray, " n"]:
    n = gradients.shape[1]
    mask_of(subset, n)
    if not 0 < len(subset) < n:
        raise ConfigError("subset", tuple(subset), f"of 1 to {n - 1} coordinates")
    return np.isin(np.arange(n), list(subset))
