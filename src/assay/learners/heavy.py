"""List decoding of parities: which Fourier coefficients of a function are large, from its values at chosen points.

Goldreich and Levin 1989; Kushilevitz and Mansour 1993; O'Donnell 2014, section 3.5. In the form with pairwise
independent points (Goldreich 2001, "Foundations of cryptography", volume 1, section 2.5.2), all guesses of it at once:
on the points s + J R, J in {0,1}^t, for a random t x n matrix R and a random s, one Walsh-Hadamard transform gives

    F(b) = 2^-t sum_J f(s + J R) (-1)^(b.J) = sum of fhat(T) chi_T(s) over the T with R T = b:

R throws the coefficients into 2^t buckets. The same with coordinate i of all points flipped gives F_i(b), in which the
T that contain i have changed their sign. Where one T outweighs all others of its bucket, F_i(b) F(b) < 0 says i in T.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int8, UInt8

from assay.errors import ConfigError
from assay.maths.fourier import walsh_hadamard

Function = Callable[[Int8[np.ndarray, "points n"]], Any]
"""Takes rows of -1 and +1, gives a number in [-1, 1] for each."""

ROWS = 1 << 14
"""Points that a function is asked at a time."""


def heavy_coefficients(
    function: Function, n: int, threshold: float, generator: np.random.Generator, confidence: float = 0.99
) -> dict[tuple[int, ...], float]:
    """Subsets with their estimated coefficients: with the given probability all of |fhat| >= threshold are among them
    and none of |fhat| < threshold / 2. Largest first."""
    delta = 1 - confidence
    rounds = math.ceil(math.log2(2 / (threshold**2 * delta)))  # at most threshold^-2 to find, 2^-rounds missed of each
    bits = np.concatenate([decode(function, n, threshold, generator) for _ in range(rounds)])
    bits = np.unique(bits, axis=0)
    # each estimate within threshold / 4, by Hoeffding's inequality
    count = math.ceil(32 * math.log(4 * max(len(bits), 1) / delta) / threshold**2)
    points = generator.integers(2, size=(count, n), dtype=np.uint8)
    characters = 1.0 - 2.0 * ((bits @ points.T) & 1)  # sums modulo 256 have the right parity
    estimates = characters @ _values(function, _signs(points)) / count
    kept = sorted(np.flatnonzero(np.abs(estimates) >= 0.75 * threshold), key=lambda i: -abs(estimates[i]))
    return {tuple(np.flatnonzero(bits[i]).tolist()): float(estimates[i]) for i in kept}


def decode(
    function: Function, n: int, threshold: float, generator: np.random.Generator
) -> UInt8[np.ndarray, "subsets n"]:
    """One round: at most 4 / threshold^2 subsets as rows of bits. Each T with |fhat(T)| >= threshold is among them with
    probability at least 1/2.

    What lies beside T in its bucket has mean square at most 2^-t, in each of the n + 1 transforms. By Chebyshev's
    inequality it stays below threshold / 2 in all of them with probability 1/2 if 2^t >= 8 (n + 1) / threshold^2.
    """
    size = 1 << log_points(n, threshold)
    points = generator.integers(2, size=(1, n), dtype=np.uint8)
    while len(points) < size:
        points = np.concatenate([points, points ^ generator.integers(2, size=n, dtype=np.uint8)])
    signs = _signs(points)
    spectrum = _transform(function, signs)
    heavy = np.flatnonzero(np.abs(spectrum) > threshold / 2)
    members: Bool[np.ndarray, "n subsets"] = np.zeros((n, len(heavy)), bool)
    for i in range(n):
        signs[:, i] *= -1
        members[i] = _transform(function, signs)[heavy] * spectrum[heavy] < 0
        signs[:, i] *= -1
    return members.T.astype(np.uint8)


def log_points(n: int, threshold: float) -> int:
    """t."""
    if not 0 < threshold <= 1:
        raise ConfigError("threshold", threshold, "above 0 and at most 1")
    return math.ceil(math.log2(8 * (n + 1) / threshold**2))


def round_queries(n: int, threshold: float) -> int:
    """How often one round asks for a value: (n + 1) 2^t."""
    return (n + 1) << log_points(n, threshold)


def _signs(bits: UInt8[np.ndarray, "points n"]) -> Int8[np.ndarray, "points n"]:
    return 1 - 2 * bits.view(np.int8)


def _values(function: Function, signs: Int8[np.ndarray, "points n"]) -> Float64[np.ndarray, " points"]:
    blocks = [signs[start : start + ROWS] for start in range(0, len(signs), ROWS)]
    return np.concatenate([np.asarray(function(block), dtype=np.float64) for block in blocks])


def _transform(function: Function, signs: Int8[np.ndarray, "points n"]) -> Float64[np.ndarray, " points"]:
    return walsh_hadamard(_values(function, signs)) / len(signs)
