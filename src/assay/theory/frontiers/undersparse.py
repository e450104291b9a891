"""Theorem 5: initial weights with s < k ones a row, the rest eps; one truncated step finds the rest of the subset.

k and s even, n - s odd, 0 < eps < 1/(n-s). A neuron is good if its s ones lie in S; call them S'. At sum_{S'} x = 0 the
small weights decide, elsewhere the ones do, so that E[y x_i 1(w.x > 0)] is made of Half(x) = 1[sum x = 0] on S' and of
majority on the others (Lemmas 18 to 20; subscripts are numbers of bits, arguments degrees):

    xi_rel = Half_s(s) Maj_{n-s}(k-s-1) / 2  on S minus S',   xi_irr = Half_s(s) Maj_{n-s}(k-s+1) / 2  outside S,   0 on
    S'.

|xi_rel| / |xi_irr| = (n-k) / (k-s-1); printed with n-s. One step with decay 1 - eps/2k, rate eps/(2k |xi_rel|) and all
entries below a threshold between the two zeroed: weights eps/2k on S', eps/2k + eps^2/2k on S minus S', eps^2/2k
elsewhere, for the copy with u = sign(xi_rel). Edelman et al. 2023, appendix B.3.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

from assay.errors import ConfigError
from assay.maths.cube import cube, linear_form
from assay.maths.fourier import character, fourier_coefficients
from assay.maths.subsets import mask_of
from assay.theory.parity.majority import majority_coefficient_float


def half_coefficient(bits: int, degree: int) -> float:
    """Of Half at any set of that many of an even number of bits: Maj_{bits+1}(degree+1), 0 for odd degrees."""
    return majority_coefficient_float(bits + 1, degree + 1) if degree % 2 == 0 else 0.0


def gradients(n: int, k: int, s: int) -> tuple[float, float]:
    """(xi_rel, xi_irr)."""
    _check(n, k, s)
    half = half_coefficient(s, s) / 2
    return half * majority_coefficient_float(n - s, k - s - 1), half * majority_coefficient_float(n - s, k - s + 1)


def ratio(n: int, k: int, s: int) -> float:
    """|xi_rel| / |xi_irr|."""
    return (n - k) / (k - s - 1)


def printed_ratio(n: int, k: int, s: int) -> float:
    """As printed, with n - s."""
    return (n - s) / (k - s - 1)


def start(n: int, s: int, eps: float, ones: Sequence[int]) -> Float64[np.ndarray, " n"]:
    """The initial weights of a neuron."""
    weights = np.full(n, eps)
    weights[list(ones)] = 1.0
    return weights


def gradient_by_enumeration(n: int, k: int, ones: Sequence[int], eps: float, bias: float) -> Float64[np.ndarray, " n"]:
    """E[chi_S(x) x_i 1(w.x + b > 0)] over the whole cube, S the first k coordinates."""
    active = (linear_form(start(n, len(ones), eps, ones), bias) > 0).astype(np.float64)
    return fourier_coefficients(active * character(n, mask_of(range(k), n)))[1 << np.arange(n)]


def bias_grid(k: int, eps: float) -> list[float]:
    """eps j / 2k for odd j from -(k-1) to k-1."""
    return [eps * j / (2 * k) for j in range(-(k - 1), k, 2)]


def threshold(n: int, k: int, s: int) -> float:
    """Midway between the two sizes; printed |xi_irr|, which no sample of the claimed size keeps to."""
    relevant, irrelevant = gradients(n, k, s)
    return (abs(relevant) + abs(irrelevant)) / 2


def one_step(
    n: int, k: int, s: int, eps: float, gradient: Float64[np.ndarray, " n"], sign: float = 0.0
) -> Float64[np.ndarray, " n"]:
    """Weights of a neuron with ones on the first s coordinates after the step; u is `sign`, that of xi_rel if 0."""
    relevant, _ = gradients(n, k, s)
    kept = np.where(np.abs(gradient) > threshold(n, k, s), gradient, 0.0)
    rate = eps / (2 * k * abs(relevant))
    u = sign or math.copysign(1.0, relevant)
    return eps / (2 * k) * start(n, s, eps, range(s)) + rate * u * kept


def correlation_after(n: int, k: int, s: int, eps: float) -> float:
    """Correlation with the parity of the best output on the k good neurons (one a bias) and a constant, after a step on
    the population; by least squares over the whole cube."""
    x, label = cube(n).astype(np.float64), character(n, mask_of(range(k), n)).astype(np.float64)
    columns = [np.ones(len(x))]
    for bias in bias_grid(k, eps):
        weights = one_step(n, k, s, eps, gradient_by_enumeration(n, k, range(s), eps, bias))
        columns.append(np.maximum(x @ weights + bias, 0.0) / eps)
    features = np.column_stack(columns)
    fitted = features @ np.linalg.lstsq(features, label, rcond=None)[0]
    return float(fitted @ label / (np.linalg.norm(fitted) * np.linalg.norm(label)))


def sample_finds_rest(n: int, k: int, s: int, samples: int, rng: np.random.Generator) -> bool:
    """Whether on m examples the k - s largest entries of the gradient outside S' are S minus S'."""
    _check(n, k, s)
    words = rng.integers(0, 256, size=(n, -(-samples // 8)), dtype=np.uint8)  # bit 1: x = -1
    bits = np.unpackbits(words, axis=1, count=samples)
    ones = s - 2 * bits[:s].sum(axis=0, dtype=np.int32)
    rest = (n - s) - 2 * bits[s:].sum(axis=0, dtype=np.int32)
    active = (ones > 0) | ((ones == 0) & (rest > 0))
    label = np.bitwise_xor.reduce(words[:k], axis=0)
    opposed = np.bitwise_count((words ^ label) & np.packbits(active)).sum(axis=1, dtype=np.int64)
    gradient = (int(active.sum()) - 2 * opposed) / samples
    return set((np.argsort(-np.abs(gradient[s:]))[: k - s] + s).tolist()) == set(range(s, k))


def good_probability(n: int, k: int, s: int) -> float:
    """C(k, s) / C(n, s): that the ones of a neuron lie in S."""
    return math.comb(k, s) / math.comb(n, s)


def _check(n: int, k: int, s: int) -> None:
    if k % 2 or s % 2 or not 0 < s < k:
        raise ConfigError("s", s, f"even, and below the even k = {k}", "Theorem 5 is about even sizes")
    if (n - s) % 2 == 0 or n < k:
        raise ConfigError("n", n, "odd and at least k", "an even number of small votes can tie")
