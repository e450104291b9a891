"""What Theorem 4 asks for: inputs n, width r, batch B, steps T, so that SGD learns parities of k bits to loss eps.

Barak et al. 2022, appendix B.1. With eps' = eps/(64 k^2 n), L = ln(2k/eps') = ln(128 k^3 n/eps), delta = eps/8 and a
gradient error of at most tau = |xi_{k-1}| / (16 k sqrt(2 n L)), the proof wants

    n   |h - hhat| <= 1/(8 k^2) in Claim 4, which gives f chi_S >= 1 since |u*|_1 = 8 k^2
    r   a neuron of each kind, but with probability delta: a pair of neurons is of a given kind with probability
        2^(1-k)/(2k-1)
    B   error at most tau in all entries, but with probability delta: B >= (2/tau^2) ln(4 n r/delta)
    T   eps/4 + 16 k^(3/2) sqrt(r) n / sqrt(T-1) <= eps/2

The printed constants do not give that: T wants 2^12 in place of 2^9; B wants 1/xi_{k-1}^2 in place of 1/|xi_{k-1}| and
inherits the misprint of Lemma 1; r and its probability are too small by 2; Claim 4 takes summands in [-D, D] to have
range D, so that its sum may be sqrt(n) D sqrt(2 L) and not half of it. `corrected` mends these and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from assay.errors import ConfigError
from assay.maths.subsets import log_binomial
from assay.theory.parity.majority import log_majority_coefficient

LOW, HIGH = math.sqrt(0.50), math.sqrt(0.65)
"""c1 and c2 of Lemma 1 in its corrected form: C(n, k) xi_k^2 k^(3/2) is in [c1^2, c2^2] for n >= 2 k^2."""


@dataclass(frozen=True, kw_only=True)
class Requirements:
    """The smallest odd n, then the smallest r (even), B and T at this n."""

    k: int
    eps: float
    n: int
    width: int
    batch: float
    steps: float

    @property
    def samples(self) -> float:
        """B T: all examples that are drawn."""
        return self.batch * self.steps


def printed_requirements(k: int, eps: float, n: int | None = None) -> Requirements:
    """n >= 2^11 k^4 (c2/c1)^2 L, r >= k 2^k ln(8k/eps), B >= 2^8 k^(7/6) n C(n, k-1) L ln(32 n r/eps) / c1,
    T >= 2^9 k^3 r n^2/eps^2."""
    _check(k, eps)
    n = n or _smallest(lambda n: n >= 2**11 * k**4 * (HIGH / LOW) ** 2 * log_term(n, k, eps), k)
    width = _even(k * 2**k * math.log(8 * k / eps))
    choices = math.exp(log_binomial(n, k - 1))
    batch = 2**8 * k ** (7 / 6) * n * choices * log_term(n, k, eps) * math.log(32 * n * width / eps) / LOW
    return Requirements(k=k, eps=eps, n=n, width=width, batch=batch, steps=2**9 * k**3 * width * n**2 / eps**2)


def corrected_requirements(k: int, eps: float, n: int | None = None) -> Requirements:
    """n >= about 2^7 k^2 (k-1)^2 L (`feature_error` <= 1/(8 k^2)), r >= 2k 2^k ln(8k/eps),
    B >= 2^10 k^2 n L ln(32 n r/eps) / xi_{k-1}^2, T >= 2^12 k^3 r n^2/eps^2."""
    _check(k, eps)
    n = n or _smallest(lambda n: feature_error(n, k, eps) <= 1 / (8 * k**2), k)
    width = _even(2 * k * 2**k * math.log(8 * k / eps))
    inverse = math.exp(-2 * log_majority_coefficient(n, k - 1)[1])
    batch = 2**10 * k**2 * n * log_term(n, k, eps) * math.log(32 * n * width / eps) * inverse
    return Requirements(k=k, eps=eps, n=n, width=width, batch=batch, steps=2**12 * k**3 * width * n**2 / eps**2)


def log_term(n: int, k: int, eps: float) -> float:
    """L = ln(128 k^3 n / eps)."""
    return math.log(128 * k**3 * n / eps)


def tolerance(n: int, k: int, eps: float) -> float:
    """tau / |xi_{k-1}|, the gradient error that the proof allows."""
    return 1 / (16 * k * math.sqrt(2 * n * log_term(n, k, eps)))


def feature_error(n: int, k: int, eps: float) -> float:
    """Claim 4's bound on |h - hhat| but with probability eps'/k, with summands of range 2 D:

    (k^2 + 1)/k a + D sqrt(2 n L),    a = tau/|xi_{k-1}|,    D = (rho + 2a)/(2k),    rho = |xi_{k+1}/xi_{k-1}|.
    """
    allowed = tolerance(n, k, eps)
    largest = (coefficient_ratio(n, k) + 2 * allowed) / (2 * k)
    return (k**2 + 1) / k * allowed + largest * math.sqrt(2 * n * log_term(n, k, eps))


def coefficient_ratio(n: int, k: int) -> float:
    """|xi_{k+1} / xi_{k-1}| = (k-1)/(n-k). Equation (6) bounds its square by 8 (c2/c1) k^2/n^2, which is true and
    does not follow from Lemma 1: that gives (c2/c1)^2."""
    return (k - 1) / (n - k)


def loss_bound(need: Requirements) -> float:
    """eps/4 + M rho/sqrt(T-1), M = 8 k^(3/2), rho = 2 sqrt(r) n: what the proof gets for the mean loss of steps 2..T;
    it needs eps/2."""
    return need.eps / 4 + 16 * need.k**1.5 * math.sqrt(need.width) * need.n / math.sqrt(need.steps - 1)


def needed_batch(need: Requirements) -> float:
    """(2/tau^2) ln(4 n r/delta) at the n and r of the requirements: what Lemma 5 needs of the first batch."""
    _, size = log_majority_coefficient(need.n, need.k - 1)
    tau = math.exp(size) * tolerance(need.n, need.k, need.eps)
    return 2 / tau**2 * math.log(32 * need.n * need.width / need.eps)


def neuron_probability(k: int) -> float:
    """P[w is constant on S, and b is a given one of 2k - 1] = 2^(1-k)/(2k-1), of a pair of neurons; the sign that
    matters is the right one in one of the two. Printed: `printed_neuron_probability`."""
    return 2.0 ** (1 - k) / (2 * k - 1)


def printed_neuron_probability(k: int) -> float:
    """1/(k 2^(k-1))."""
    return 1 / (k * 2 ** (k - 1))


def missing_probability(k: int, width: int, kinds: int) -> float:
    """Union bound on the probability that one of so many kinds has no neuron among r/2 pairs."""
    return kinds * (1 - neuron_probability(k)) ** (width // 2)


def _smallest(enough: Callable[[int], bool], k: int) -> int:
    """The smallest odd n >= 4k that is enough, for a condition that holds from some n on."""
    low, high = 4 * k + 1, 4 * k + 1
    while not enough(high):
        low, high = high, 2 * high + 1
    while high - low > 2:
        middle = (low + high) // 2 | 1
        if enough(middle):
            high = middle
        else:
            low = middle
    return low if enough(low) else high


def _even(least: float) -> int:
    return 2 * math.ceil(least / 2)


def _check(k: int, eps: float) -> None:
    if k < 2 or k % 2:
        raise ConfigError("k", k, "even and >= 2", "Theorem 4 is about even parities")
    if not 0 < eps < 0.5:
        raise ConfigError("eps", eps, "strictly between 0 and 0.5")
