"""The Fourier spectrum of majority, Maj(x) = sign(x_1 + ... + x_n) for odd n, and its gap between degrees.

xi_d is the coefficient of any set of d coordinates. For even d it is 0, for odd d (Barak et al. 2022, Lemma 1;
Titsworth 1962; O'Donnell 2014, section 5.3)

    xi_d = (-1)^((d-1)/2) C((n-1)/2, (d-1)/2) / C(n-1, d-1) 2^-(n-1) C(n-1, (n-1)/2).

Exact rationals take milliseconds at n = 10^4 and a quarter of a second at 10^5; the logarithmic forms serve any n.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from jaxtyping import Float64, Int8

from assay.errors import ConfigError
from assay.maths.cube import check_bits
from assay.maths.fourier import degrees, fourier_coefficients
from assay.maths.subsets import log_binomial

SIZE_EXPONENT = 3 / 2
"""C(n, d) xi_d^2 falls like d^(-3/2); see `scaled_size`."""

PRINTED_SIZE_EXPONENT = 2 / 3
"""What Lemma 1 prints: d^(-2/3), a slip of the pen that the later constants inherit."""

SIZE_LIMIT = (2 / math.pi) ** 1.5
"""Limit 0.508 of C(n, d) xi_d^2 d^(3/2) for 1 << d << n."""

GAP_CONSTANT = 0.03
"""Constant of the bound in Lemma 2."""


def majority_values(n: int) -> Int8[np.ndarray, " points"]:
    """Maj at every row of the cube, for odd n that can be enumerated."""
    _check_odd(n)
    check_bits(n)
    minus_ones = degrees(n)
    return np.where(2 * minus_ones.astype(np.int32) < n, 1, -1).astype(np.int8)


def majority_spectrum(n: int) -> Float64[np.ndarray, " subsets"]:
    """Every Fourier coefficient of majority by enumeration, indexed by bitmask: what Lemma 1 is checked against."""
    return fourier_coefficients(majority_values(n))


def majority_coefficient(n: int, degree: int) -> Fraction:
    """xi_degree as an exact rational (Lemma 1)."""
    _check_degree(n, degree)
    if degree % 2 == 0:
        return Fraction(0)
    m, j = (n - 1) // 2, (degree - 1) // 2
    size = Fraction(math.comb(m, j) * math.comb(n - 1, m), math.comb(n - 1, degree - 1) << (n - 1))
    return -size if j % 2 else size


def log_majority_coefficient(n: int, degree: int) -> tuple[int, float]:
    """Sign of xi_degree (-1, 0, 1) and ln |xi_degree| (-inf for even degree), for any n.

    Sums two products free of cancellation: xi_1 = prod_{j=1}^{(n-1)/2} (1 - 1/(2j)), by Stirling's series where that
    is long, and |xi_{d+1}| = |xi_{d-1}| (d-1)/(n-d) for even d (proof of Lemma 2).
    """
    _check_degree(n, degree)
    if degree % 2 == 0:
        return 0, -math.inf
    steps = np.arange(2, degree, 2, dtype=np.float64)
    size = _log_first_coefficient((n - 1) // 2) + float(np.sum(np.log((steps - 1) / (n - steps))))
    return (1 if degree % 4 == 1 else -1), size


def majority_coefficient_float(n: int, degree: int) -> float:
    """xi_degree from its logarithm; 0.0 where it is below the smallest float."""
    sign, size = log_majority_coefficient(n, degree)
    return sign * math.exp(size)


def scaled_size(n: int, degree: int, exponent: float = SIZE_EXPONENT) -> float:
    """C(n, d) xi_d^2 d^exponent: the weight of majority at degree d, times the power that should make it constant.

    Lemma 1 puts it between two constants for odd d and n >= 2 d^2. With 3/2 that is so (0.50 to 0.65); with the
    printed 2/3 it falls to 0 like d^(-5/6). 0 for even d.
    """
    sign, size = log_majority_coefficient(n, degree)
    if sign == 0:
        return 0.0
    return math.exp(log_binomial(n, degree) + 2 * size + exponent * math.log(degree))


def majority_gap(n: int, k: int) -> Fraction:
    """|xi_{k-1}| - |xi_{k+1}| for even k, exactly: the Fourier gap of majority at every set of size k (Definition 1).

    A neuron that switches at a majority, 1/2 + Maj/2, has half this gap.
    """
    _check_gap(n, k)
    return abs(majority_coefficient(n, k - 1)) - abs(majority_coefficient(n, k + 1))


def gap_by_identity(n: int, k: int) -> Fraction:
    """(n-2k+1)/(k-1) |xi_{k+1}|: the same gap from |xi_{k-1}| = (n-k)/(k-1) |xi_{k+1}| (proof of Lemma 2)."""
    _check_gap(n, k)
    return Fraction(n - 2 * k + 1, k - 1) * abs(majority_coefficient(n, k + 1))


def log_majority_gap(n: int, k: int) -> tuple[int, float]:
    """Sign of the gap and ln |gap|, for any n, by the same identity; the sign is that of n - 2k + 1."""
    _check_gap(n, k)
    excess = n - 2 * k + 1
    if excess == 0:
        return 0, -math.inf
    return (1 if excess > 0 else -1), math.log(abs(excess) / (k - 1)) + log_majority_coefficient(n, k + 1)[1]


def majority_gap_bound(n: int, k: int) -> float:
    """0.03 (n-1)^(-(k-1)/2), which Lemma 2 puts below the gap when n >= 4k."""
    _check_gap(n, k)
    return GAP_CONSTANT * (n - 1) ** (-(k - 1) / 2)


def _log_first_coefficient(m: int) -> float:
    """ln xi_1 = ln C(2m, m) / 4^m for n = 2m + 1; the series is exact to the last bit from m = 1000 on."""
    if m < 1000:
        return float(np.sum(np.log1p(-0.5 / np.arange(1, m + 1, dtype=np.float64))))
    return -math.log(math.pi * m) / 2 - 1 / (8 * m) + 1 / (192 * m**3)


def _check_odd(n: int) -> None:
    if n < 1 or n % 2 == 0:
        raise ConfigError("n", n, "odd and >= 1", "an even number of votes can tie")


def _check_degree(n: int, degree: int) -> None:
    _check_odd(n)
    if not 0 <= degree <= n:
        raise ConfigError("degree", degree, f"between 0 and n = {n}")


def _check_gap(n: int, k: int) -> None:
    _check_odd(n)
    if k % 2 or not 2 <= k < n:
        raise ConfigError("k", k, f"even and between 2 and n - 1 = {n - 1}", "for odd k both coefficients are 0")
