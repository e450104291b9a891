"""Fourier analysis on the cube: f(x) = sum_S fhat(S) chi_S(x) with fhat(S) = E[f(x) chi_S(x)].

A function is the array of its 2^n values in the order of `cube.cube`; its coefficients are an array of the same
size indexed by the bitmask of S (bit i set: i in S). All is float64, on the last axis, other axes being a batch.
Reference: O'Donnell 2014, "Analysis of Boolean functions", chapter 1.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Int8, Real, UInt8

from assay.errors import ConfigError
from assay.maths.cube import MAX_BITS, check_bits


def walsh_hadamard(values: Real[np.ndarray, "*batch points"]) -> Float64[np.ndarray, "*batch points"]:
    """The unnormalised transform F(S) = sum_r f(r) (-1)^popcount(r & S), in n 2^n additions; F(F(f)) = 2^n f.

    Every pass sums and subtracts neighbours, which transforms bit 0, and puts sums before differences, which
    rotates the bits of the index by one: after n passes all bits are transformed and back in place. Unlike the
    textbook's butterflies, all passes read and write long runs of memory.
    """
    size = values.shape[-1]
    bits = max(size, 1).bit_length() - 1
    if size != 1 << bits or bits > MAX_BITS:
        raise ConfigError("number of values", size, f"2^n with n at most {MAX_BITS}, one for each point of the cube")
    source = np.array(values, dtype=np.float64)
    target = np.empty_like(source)
    for _ in range(bits):
        even, odd = source[..., 0::2], source[..., 1::2]
        np.add(even, odd, out=target[..., : size // 2])
        np.subtract(even, odd, out=target[..., size // 2 :])
        source, target = target, source
    return source


def fourier_coefficients(values: Real[np.ndarray, "*batch points"]) -> Float64[np.ndarray, "*batch subsets"]:
    """fhat(S) for every subset, by bitmask."""
    return walsh_hadamard(values) / values.shape[-1]


def from_fourier(coefficients: Real[np.ndarray, "*batch subsets"]) -> Float64[np.ndarray, "*batch points"]:
    """The values of sum_S fhat(S) chi_S: the inverse of `fourier_coefficients`."""
    return walsh_hadamard(coefficients)


def character(n: int, mask: int) -> Int8[np.ndarray, " points"]:
    """chi_S(x) = prod_{i in S} x_i at every row of the cube."""
    check_bits(n)
    if not 0 <= mask < 1 << n:
        raise ConfigError("mask", mask, f"between 0 and {(1 << n) - 1}, a subset of {n} coordinates")
    odd = np.bitwise_count(np.arange(1 << n, dtype=np.uint32) & np.uint32(mask)) & 1
    return 1 - 2 * odd.view(np.int8)


def degrees(n: int) -> UInt8[np.ndarray, " subsets"]:
    """|S| for every bitmask."""
    check_bits(n)
    return np.bitwise_count(np.arange(1 << n, dtype=np.uint32))


def coefficients_of_degree(
    coefficients: Float64[np.ndarray, "*batch subsets"], degree: int
) -> Float64[np.ndarray, "*batch chosen"]:
    """fhat(S) for the subsets with |S| = degree, in the order of `subsets.subset_masks`."""
    return coefficients[..., degrees(coefficients.shape[-1].bit_length() - 1) == degree]


def weight_by_degree(coefficients: Float64[np.ndarray, " subsets"]) -> Float64[np.ndarray, " degrees"]:
    """W_d = sum over |S| = d of fhat(S)^2, for d = 0..n; Parseval: their sum is E[f^2]."""
    n = len(coefficients).bit_length() - 1
    return np.bincount(degrees(n), weights=coefficients**2, minlength=n + 1)


def parseval_defect(values: Real[np.ndarray, " points"], coefficients: Float64[np.ndarray, " points"]) -> float:
    """|E[f^2] - sum_S fhat(S)^2|: zero up to rounding exactly when no weight is missing."""
    return float(abs(np.mean(np.square(values, dtype=np.float64)) - np.sum(coefficients**2)))
