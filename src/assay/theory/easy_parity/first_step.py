"""The first gradient step in closed form, at any n: Daniely and Malach 2020, lemmas 5 to 9.

At output 0 the hinge gradient is the correlation with the label: after step 1, w_j = u E[y x_j G] with the gate
G = 1[0 < w.x + b < 6]. Signs of the bits s = sqrt(n) x enter G through sums alone. Let T be A with j added or taken
out: f x_j = prod_T s / sqrt n, and on uniform inputs

    E[prod_T s_i G] = prod_T w_i  E[prod_(i in T) s_i 1[0 < S / sqrt n + b < 6]],    S a sum of |w|_1 signs,

or 0 if w vanishes somewhere in T. That law of S, "signed" by |T| of its signs, is a convolution. On hinted inputs A is
one sign c, f = c, and S = c sum_A w + (signs outside).
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float64, Int64

Weights = Int64[np.ndarray, " n"]


def signed_law(signed: int, plain: int) -> Float64[np.ndarray, " sums"]:
    """E[product of `signed` signs; S = s] for s = -m, -m + 2, ..., m, S the sum of all m = signed + plain signs."""
    from scipy import stats

    law = stats.binom.pmf(np.arange(plain + 1), plain, 0.5)
    for _ in range(signed):
        law = np.convolve(law, [-0.5, 0.5])
    return law


def gated(law: Float64[np.ndarray, " sums"], offset: float, n: int, b: float) -> float:
    """The part of a law with 0 < (S + offset) / sqrt n + b < 6."""
    m = len(law) - 1
    form = (2 * np.arange(m + 1) - m + offset) / math.sqrt(n) + b
    return float(law[(form > 0) & (form < 6)].sum())


def uniform_correlation(w: Weights, subset: tuple[int, ...], b: float) -> float:
    """E[prod_T s_i G] on uniform inputs, for T = subset."""
    chosen = w[list(subset)]
    if not chosen.all():
        return 0.0
    return float(np.prod(chosen)) * gated(signed_law(len(subset), int(np.abs(w).sum()) - len(subset)), 0, len(w), b)


def told_correlation(w: Weights, k: int, j: int | None, b: float) -> float:
    """E[f s_j G] on hinted inputs, A the first k; E[f G] if j is None."""
    n, inner = len(w), int(w[:k].sum())
    outside = int(np.abs(w[k:]).sum())
    if j is not None and j < k:  # f s_j = 1
        law = signed_law(0, outside)
        return (gated(law, inner, n, b) + gated(law, -inner, n, b)) / 2
    if j is None:
        law, sign = signed_law(0, outside), 1
    elif w[j] == 0:
        return 0.0
    else:
        law, sign = signed_law(1, outside - 1), int(w[j])
    return sign * (gated(law, inner, n, b) - gated(law, -inner, n, b)) / 2


def slopes(w: Weights, k: int) -> Float64[np.ndarray, " n"]:
    """w^(1)_j / u for each j, at bias 1/(8k)."""
    n, b = len(w), 1 / (8 * k)
    found = np.zeros(n)
    for coordinates, inside in ((np.arange(k), True), (np.arange(k, n), False)):
        for value in (-1, 0, 1):  # equal for coordinates of equal weight
            same = coordinates[w[coordinates] == value]
            if len(same):
                j = int(same[0])
                subset = tuple(i for i in range(k) if i != j) if inside else (*range(k), j)
                found[same] = uniform_correlation(w, subset, b) + told_correlation(w, k, j, b)
    return found / 2 / math.sqrt(n)


def bias_slope(w: Weights, k: int) -> float:
    """(b^(1) - b^(0)) / u."""
    b = 1 / (8 * k)
    return (uniform_correlation(w, tuple(range(k)), b) + told_correlation(w, k, None, b)) / 2


def relevance(n: int, k: int, neurons: int, seed: int = 0) -> tuple[float, float]:
    """Mean |w^(1)_j / u| on A and off A, over random initial weights."""
    rng = np.random.default_rng(seed)
    found = np.abs([slopes(rng.integers(-1, 2, size=n), k) for _ in range(neurons)])
    return float(found[:, :k].mean()), float(found[:, k:].mean())


def mean_square_correlation(n: int, k: int) -> float:
    """Lemma 5: the mean over w of E[s_j f G]^2 on uniform inputs, j outside A. All k + 1 weights of A and j have to be
    nonzero; m of the others are, binomially."""
    from scipy import stats

    others = stats.binom.pmf(np.arange(n - k), n - k - 1, 2 / 3)
    gates = [gated(signed_law(k + 1, m), 0, n, 1 / (8 * k)) for m in range(n - k)]
    return float((2 / 3) ** (k + 1) * (others @ np.square(gates)))


def gate_deviation(w: Weights, k: int, size: int) -> float:
    """Lemma 8 for h = the product of `size` signs of A: |E[h G] - E[h] phi| sqrt|J| / k on an easy parity, where J are
    the nonzero weights outside A and phi = P[k/sqrt n < sum_J w_j x_j + b < 6 - k/sqrt n]."""
    n, b = len(w), 1 / (8 * k)
    inner, outside = int(w[:k].sum()), int(np.abs(w[k:]).sum())
    law = signed_law(0, outside)
    sides = gated(law, inner, n, b), gated(law, -inner, n, b)
    told = (sides[0] + (-1) ** size * sides[1]) / 2
    gate = (uniform_correlation(w, tuple(range(size)), b) + told) / 2
    mean = 1.0 if size == 0 else 0.5 * (size % 2 == 0)
    form = (2 * np.arange(outside + 1) - outside) / math.sqrt(n) + b
    phi = law[(form > k / math.sqrt(n)) & (form < 6 - k / math.sqrt(n))].sum()
    return float(abs(gate - mean * phi) * math.sqrt(outside) / k)


def balanced_probability(k: int) -> float:
    """P[sum_A w = 0]: the central trinomial coefficient over 3^k."""
    law = np.ones(1)
    for _ in range(k):
        law = np.convolve(law, [1 / 3, 1 / 3, 1 / 3])
    return float(law[k])
