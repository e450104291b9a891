"""Statistical queries against parities: why any learner of that kind needs about C(n, k) of them.

A query q(x, y) in [-1, 1] (of input and label; printed without the label) is answered within tau. Under labels chi_S

    E_S[q] - E_0[q] = E[q1 chi_S],    q1(x) = (q(x, +1) - q(x, -1))/2,

where E_0 has labels that are independent of x. The squares of these add up to at most 1 (Parseval), so that at most
1/tau^2 subsets can be told from no signal at all; an oracle that answers E_0 as long as it may leaves a learner with
tau^2 (C(n, k) - 1) queries to ask (Kearns 1998; Blum et al. 1994; Barak et al. 2022, appendix A.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from jaxtyping import Bool, Float64, Int64, Real

from assay.errors import ConfigError
from assay.maths.cube import linear_form
from assay.maths.fourier import character, fourier_coefficients
from assay.maths.subsets import count_subsets, subset_masks

Strategy = Callable[[Int64[np.ndarray, " left"], int, float], Float64[np.ndarray, " points"]]
"""From the masks of the subsets that are left, n and tau: q1 of the next query."""


def label_part(plus: Real[np.ndarray, " points"], minus: Real[np.ndarray, " points"]) -> Float64[np.ndarray, " points"]:
    """q1 from the values of q at y = +1 and y = -1."""
    largest = max(np.abs(plus).max(), np.abs(minus).max())
    if largest > 1:
        raise ConfigError("query", float(largest), "between -1 and 1 everywhere", "clip it")
    return (np.asarray(plus, np.float64) - minus) / 2


def visible(
    q1: Real[np.ndarray, " points"], masks: Int64[np.ndarray, " subsets"], tolerance: float
) -> Bool[np.ndarray, " subsets"]:
    """Which of the subsets the query tells from no signal: |E[q1 chi_S]| > tau."""
    return np.abs(fourier_coefficients(q1)[masks]) > tolerance


def most_visible(tolerance: float) -> int:
    """floor(1/tau^2): no query makes more subsets visible."""
    _check(tolerance)
    return math.floor(1 / tolerance**2 * (1 + 1e-12))


def least_queries(n: int, k: int, tolerance: float) -> float:
    """tau^2 (C(n, k) - 1): what the adversarial oracle makes any learner ask."""
    _check(tolerance)
    return tolerance**2 * (count_subsets(n, k) - 1)


def gradient_query(n: int, rng: np.random.Generator) -> Float64[np.ndarray, " points"]:
    """q1 of a coordinate of the gradient of a random ReLU neuron under the hinge loss, clipped to [-1, 1]."""
    form = linear_form(rng.normal(size=n), float(rng.normal()))
    output_weight, coordinate = rng.choice([-1.0, 1.0]), int(rng.integers(n))
    through = output_weight * character(n, 1 << coordinate) * (form > 0)
    output = output_weight * np.maximum(form, 0.0)
    plus, minus = (np.clip(-y * (y * output < 1) * through, -1, 1) for y in (1, -1))
    return label_part(plus, minus)


def bent_query(n: int) -> Float64[np.ndarray, " points"]:
    """q1 = prod over pairs of (1 + x_a + x_b - x_a x_b)/2: all 2^n correlations are +-2^(-n/2), n even. Just below that
    tolerance all are visible, and the bound 1/tau^2 is attained."""
    if n < 2 or n % 2:
        raise ConfigError("n", n, "even and >= 2", "a bent function needs pairs of coordinates")
    pairs = [(character(n, 1 << i).astype(np.float64), character(n, 2 << i)) for i in range(0, n, 2)]
    return np.prod([(1 + a + b - a * b) / 2 for a, b in pairs], axis=0)


def queries_needed(n: int, k: int, tolerance: float, strategy: Strategy) -> int:
    """Queries until one subset is left, when every answer is E_0[q] unless no subset left would allow it.

    Subsets that are visible are ruled out by such an answer. A query all of whose remaining subsets are visible is
    answered truly for the hardest to tell; the learner is then taken to know.
    """
    left, asked = subset_masks(n, k), 0
    while len(left) > 1:
        seen = visible(strategy(left, n, tolerance), left, tolerance)
        if not seen.any():
            raise ConfigError("strategy", asked, "one whose every query rules a subset out", "it would go on for ever")
        left, asked = left[~seen], asked + 1
    return asked


def one_by_one(left: Int64[np.ndarray, " left"], n: int, tolerance: float) -> Float64[np.ndarray, " points"]:
    """Asks whether it is the first that is left: q = y chi_S(x). C(n, k) - 1 queries at any tolerance below 1."""
    return character(n, int(left[0])).astype(np.float64)


def majority_of_many(left: Int64[np.ndarray, " left"], n: int, tolerance: float) -> Float64[np.ndarray, " points"]:
    """The sign of a sum of m parities has correlation about sqrt(2/(pi m)) with each: m = 2/(pi tau^2) are visible at a
    time, pi/2 times less than the bound. Of several m near it, the one that rules out most."""
    best, most = one_by_one(left, n, tolerance), 1
    for count in _sizes(len(left), tolerance):
        query = np.sign(np.sum([character(n, int(mask)) for mask in _spread(left, count)], axis=0, dtype=np.float64))
        ruled_out = int(visible(query, left, tolerance).sum())
        if ruled_out > most:
            best, most = query, ruled_out
    return best


def _sizes(available: int, tolerance: float) -> Iterator[int]:
    """Odd numbers about 2/(pi tau^2), so that the sum is never 0."""
    wanted = 2 / (math.pi * tolerance**2)
    factors: Sequence[float] = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1)
    return iter(sorted({min(available, int(factor * wanted)) - 1 | 1 for factor in factors if factor * wanted >= 3}))


def _spread(left: Int64[np.ndarray, " left"], count: int) -> Int64[np.ndarray, " count"]:
    """So many of them, far apart in the list: neighbours share members, and the correlations with their sum vary."""
    return left[np.linspace(0, len(left) - 1, count).round().astype(np.int64)]


def _check(tolerance: float) -> None:
    if not 0 < tolerance <= 1:
        raise ConfigError("tolerance", tolerance, "in (0, 1]")
