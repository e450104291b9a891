"""The features that step 1 makes, and the ramps they stand for: Daniely and Malach 2020, lemma 10.

After step 1 a good neuron computes sigma(alpha u z / n + b), z the sum of the signs of A, b = 1/(8k), alpha in [1/4,
1]. Times |r| / b it is the ramp phi_r(z) = relu(-sign(r) z + |r|) where u is u* = -sign(r) n b / (alpha |r|), and
within eps of it on [-k, k] where |u - u*| <= (eps / k) |u*|. Drawn uniformly on [-n/k, n/k], u does so with probability
eps b / (alpha |r|) = eps / (8 k alpha |r|) >= eps / (8 k^2), as stated.

Printed otherwise: u on [-r/k, r/k], on which the neuron is flat; and phi_r with ReLU6, which ends at 6 though the
neuron times |r| / b goes up to |r| + k.
"""

from __future__ import annotations

import math

import numpy as np

from assay.errors import ConfigError


def ideal_output_weight(n: int, k: int, r: int, alpha: float) -> float:
    """u*."""
    _check(k, r, alpha)
    return -math.copysign(n / (8 * k * alpha * abs(r)), r)


def ramp_probability(k: int, r: int, alpha: float, epsilon: float) -> float:
    """P[|u - u*| <= (eps/k) |u*|] for u uniform on [-n/k, n/k], eps <= k: eps / (8 k alpha |r|)."""
    _check(k, r, alpha)
    return epsilon / (8 * k * alpha * abs(r))


def ramp_error(n: int, k: int, r: int, alpha: float, u: float, cap: float = math.inf) -> float:
    """max over z in [-k, k] of | (|r|/b) sigma(alpha u z / n + b) - min(phi_r(z), cap) |; both are piecewise linear, so
    the ends and the kinks decide."""
    _check(k, r, alpha)
    b, slope = 1 / (8 * k), alpha * u / n
    sign = math.copysign(1, r)
    kinks = [-k, k, r, sign * (abs(r) - cap)] + [(level - b) / slope for level in (0, 6) if slope]
    z = np.array([kink for kink in kinks if -k <= kink <= k])
    neuron = abs(r) / b * np.clip(slope * z + b, 0, 6)
    return float(np.abs(neuron - np.clip(abs(r) - sign * z, 0, cap)).max())


def _check(k: int, r: int, alpha: float) -> None:
    if abs(r) > k or (k - r) % 2:
        raise ConfigError("r", r, f"one of -{k}, -{k - 2}, ..., {k}")
    if not 0.25 <= alpha <= 1:
        raise ConfigError("alpha", alpha, "between 1/4 and 1")
