"""Fourier coefficients of sinusoids of a linear form, and with them the population gradient of a sinusoid neuron.

Under the uniform law on {-1,+1}^n the coordinates are independent, and e^{i a x} has mean cos a and E[x e^{i a x}] is
i sin a; so for any n, in n products (checked against enumeration; not in the papers)

    E[chi_T(x) e^{i (a.x + phi)}] = e^{i phi} i^|T| prod_{j in T} sin a_j prod_{j not in T} cos a_j.

The neuron of Barak et al. 2022 (appendix C.1) is cos(pi/2 (s (w.x + b) - k)). Its gradient's entry i, over its
prod_{j in S} sin a_j prod_{j not in S} cos a_j, is 1 / tan a_i inside of S and tan a_i outside: the relaxed gap is
positive exactly where min_S |tan a_i| max_{S^c} |tan a_i| < 1, so wherever no angle reaches pi/4.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from jaxtyping import Bool, Float64, Real

from assay.maths.subsets import indicator
from assay.theory.parity.gaps import RandomGaps, draw_weights

QUARTER = np.pi / 2


def sine_coefficient(angles: Real[np.ndarray, " n"], phase: float, subset: Collection[int]) -> float:
    """E[chi_T(x) sin(a.x + phi)]: the imaginary part."""
    return float(_sines(angles, phase, indicator(subset, len(angles))[None])[0])


def cosine_coefficient(angles: Real[np.ndarray, " n"], phase: float, subset: Collection[int]) -> float:
    """E[chi_T(x) cos(a.x + phi)]: the real part."""
    return sine_coefficient(angles, phase + QUARTER, subset)


def sinusoid_gradient(
    weights: Real[np.ndarray, " n"], bias: float, subset: Collection[int], scale: float = 1.0
) -> tuple[Float64[np.ndarray, " n"], float]:
    """Gradient in w and in b of E[-y f], y = chi_S(x), for f = cos(pi/2 (s (w.x + b) - k)), k = |S|, for any n.

    With c = s pi/2 and a = c w it is c E[chi_T sin(a.x + c b - k pi/2)], where T = S ^ {i} for w_i and T = S for b.
    """
    n, rate = len(weights), QUARTER * scale
    inside = indicator(subset, n)
    sets = np.concatenate([inside ^ np.eye(n, dtype=bool), inside[None]])
    found = rate * _sines(rate * weights, rate * bias - QUARTER * len(subset), sets)
    return found[:-1], float(found[-1])


def random_gaps(n: int, k: int, init: str, draws: int, rng: np.random.Generator) -> RandomGaps:
    """Gaps at a set of size k of sin(w.x / sqrt n), for odd k of cos(w.x / sqrt n), for weights of that law.

    The other of the two has no gap: its coefficients at sets of k - 1 and k + 1 coordinates are 0.
    """
    subset, angles = range(k), draw_weights(init, n, draws, rng) / math.sqrt(n)
    # the neuron cos(z - k pi/2) has sigma'(z) = -+ sin z for even and -+ cos z for odd k
    return RandomGaps.of(np.stack([sinusoid_gradient(a, 0.0, subset, scale=1 / QUARTER)[0] for a in angles]), subset)


def _sines(
    angles: Real[np.ndarray, " n"], phase: float, sets: Bool[np.ndarray, "sets n"]
) -> Float64[np.ndarray, " sets"]:
    turned = np.sin(phase + QUARTER * sets.sum(axis=1))  # Im e^{i phi} i^|T|
    return turned * np.prod(np.where(sets, np.sin(angles), np.cos(angles)), axis=1)
