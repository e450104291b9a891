"""Thresholds sign(w.x) of random weights: their Fourier coefficients for any n, and the gaps they have.

For sign weights the threshold is a majority and its gap known; for others Barak et al. 2022 (appendix C.1, figure 11)
find gaps by enumeration. Up to 24 coordinates that is what `threshold_gradient` does. Beyond it integrates: from
sign(z) = (2/pi) int_0^inf sin(t z) dt/t and the closed form of `sinusoid`, for |T| odd

    E[chi_T sign(w.x)] = (2/pi) (-1)^((|T|-1)/2) int_0^inf prod_{j in T} sin(t w_j) prod_{j not in T} cos(t w_j) dt/t.

The integrand dies out like a Gaussian and returns, about 2^(-n/2) high, for weights that are not near a lattice; the
integral is cut off long after that. Weights on a lattice, such as signs, have the closed form of `majority`.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from jaxtyping import Float64, Real

from assay.errors import ConfigError
from assay.maths.cube import MAX_BITS, linear_form
from assay.maths.fourier import character
from assay.maths.subsets import indicator, mask_of
from assay.theory.parity.gaps import RandomGaps, draw_weights
from assay.theory.parity.majority import majority_gap

LENGTH, POINTS = 60.0, 3000
"""Upper end of the integral in units of 1/|w|, and how many midpoints it takes."""


def threshold_gradient(weights: Real[np.ndarray, " n"], subset: Collection[int]) -> Float64[np.ndarray, " n"]:
    """E[y x_i sign(w.x)], y = chi_S(x), for every i; sign(0) = 0. A ReLU neuron without bias has half of it.

    By enumeration for n <= 24, by the integral for more. 0 for odd |S|, since sign is odd.
    """
    n, k = len(weights), len(subset)
    target = mask_of(subset, n)
    if k % 2:
        return np.zeros(n)
    if n <= MAX_BITS:
        return _degree_one(character(n, target) * np.sign(linear_form(weights)))
    return integrated_gradient(weights, subset)


def integrated_gradient(weights: Real[np.ndarray, " n"], subset: Collection[int]) -> Float64[np.ndarray, " n"]:
    """The same by the integral, for even |S| and weights off a lattice; error about 2^(-n/2) and less."""
    n, k = len(weights), len(subset)
    inside = indicator(subset, n)
    step = LENGTH / POINTS / float(np.linalg.norm(weights))
    at = (np.arange(POINTS) + 0.5) * step
    sines, cosines = np.sin(np.outer(at, weights)), np.cos(np.outer(at, weights))
    factors = np.where(inside, sines, cosines)
    product = _others(factors)  # of all factors but the i-th
    values = product * np.where(inside, cosines, sines)
    turned = np.where(inside, (-1.0) ** (k // 2 - 1), (-1.0) ** (k // 2))  # (|T|-1)/2 with |T| = k -+ 1
    return 2 / np.pi * turned * (values / at[:, None]).sum(axis=0) * step


def random_gaps(n: int, k: int, init: str, draws: int, rng: np.random.Generator) -> RandomGaps:
    """Gaps at a set of size k of sign(w.x) for weights of that law; those of sign weights are all the same."""
    if not 0 < k < n:
        raise ConfigError("k", k, f"between 1 and n - 1 = {n - 1}")
    if init == "sign" and n > MAX_BITS:
        gaps = np.full(draws, float(majority_gap(n, k)))
        return RandomGaps(strict=gaps, relaxed=gaps)
    subset = range(k)
    return RandomGaps.of(np.stack([threshold_gradient(w, subset) for w in draw_weights(init, n, draws, rng)]), subset)


def _degree_one(values: Float64[np.ndarray, " points"]) -> Float64[np.ndarray, " n"]:
    """The coefficients of single coordinates, in 2^(n+1) additions: a transform that keeps nothing else."""
    n = len(values).bit_length() - 1
    found = np.empty(n)
    for i in reversed(range(n)):
        plus, minus = np.split(values, 2)  # x_i = 1, x_i = -1
        found[i] = plus.sum() - minus.sum()
        values = plus + minus
    return found / (1 << n)


def _others(factors: Float64[np.ndarray, "points n"]) -> Float64[np.ndarray, "points n"]:
    """The product of each row without its i-th factor, from the products to the left and to the right."""
    left, right = np.ones_like(factors), np.ones_like(factors)
    np.cumprod(factors[:, :-1], axis=1, out=left[:, 1:])
    right[:, :-1] = np.cumprod(factors[:, :0:-1], axis=1)[:, ::-1]
    return left * right
