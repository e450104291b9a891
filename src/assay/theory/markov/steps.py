"""Two steps of gradient descent on the minimal model, in closed form for chains of two states.

Edelman et al. 2024, lemma 8.4 and appendix E. Leading orders in t of means over a, b ~ U(0, 1), with pi the stationary
law and lambda = a + b - 1; `quadrature` has each constant as the mean that it is, beside its closed form. What is wrong
as printed stands beside what is right.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from jaxtyping import Float

from assay.maths.markov import stationary
from assay.theory.markov.gradient import Prior, Weights, balanced, correlations, full

LOG2 = math.log(2)
SAME = (math.log(256) - 5) / 12
"""K_mm: -dL/dW[m, m] = v K_mm t^2/6 + O(t) from constant v (equation E.24)."""
OTHER = (7 - 10 * LOG2) / 6
"""K_ml for l != m (E.25)."""
FIRST_LAGS = 1.5 - math.log(4)
"""-dL/dv_d = w FIRST_LAGS n(n+1)/(2t) + O(1) from constant W, n = t - d: falls with d, and d = 1 is nothing special."""
LAG_0 = (1 - LOG2) / 3
"""Q of lag 0 (E.42)."""
LAG_1 = (8 - 11 * LOG2) / 3
"""Q of lag 1, with the sign of the second numerator of E.43 put right."""
LAG_1_PRINTED = (7 - 10 * LOG2) / 2 + (5 - 8 * LOG2) / 6
"""Q of lag 1 as E.43 is printed."""
LIMIT_RATIO = SAME / OTHER


@dataclasses.dataclass(frozen=True)
class Constant:
    """A constant as a closed form and as an integral."""

    name: str
    closed: float
    integral: float


def constants(prior: Prior | None = None) -> list[Constant]:
    """Those of the first step, and of lags 0 and 1 in the second."""
    prior = prior or full(400)
    pi = stationary(prior.chains)
    gain = np.einsum("nmi,ni->nm", prior.chains - 0.5, pi)  # sum_i (P_mi - 1/2) pi_i
    match = prior.mean(np.einsum("nm,nl,nm->nml", pi, pi, gain))
    lags = lag_gains(prior, 2)
    return [
        Constant("K, same symbol (E.24)", SAME, float(match[0, 0])),
        Constant("K, other symbol (E.25)", OTHER, float(match[0, 1])),
        Constant("first lags", FIRST_LAGS, float(prior.mean((pi**2).sum(axis=1)) - 0.5)),
        Constant("Q, lag 0 (E.42)", LAG_0, float(lags[0])),
        Constant("Q, lag 1 (E.43 corrected)", LAG_1, float(lags[1])),
    ]


def lag_gains(prior: Prior, count: int) -> Float[np.ndarray, " count"]:
    """Q of lags 0, 1, ...: E[sum_{l, i} pi_l^2 (P_li - 1/2) (P^d)_li]. With W = (rho - c') I, -dL/dv_d is (rho - c')
    Q n(n+1)/(2t) to leading order: odd lags are raised, lag 1 the most."""
    weight = stationary(prior.chains)[:, :, None] ** 2 * (prior.chains - 0.5)
    power = np.broadcast_to(np.eye(2), prior.chains.shape)
    found = np.empty(count)
    for d in range(count):
        found[d] = prior.mean((weight * power).sum(axis=(1, 2)))
        power = power @ prior.chains
    return found


def printed_match_gradient(a: float, b: float, length: int) -> Float[np.ndarray, "2 2"]:
    """-dL/dW of one chain (a, b) from v = 1, by the triple sums over s <= t' <= p of E.17: with P^n = (beta lambda^n +
    gamma)/(lambda - 1), sums of lambda^(p-s), lambda^(p-t'), lambda^(t'-s) and 1 are (I) to (IV)."""
    lam, t = a + b - 1, length
    one = (lam - (t + 1) * lam ** (t + 1) + t * lam ** (t + 2)) / (1 - lam) ** 2
    one += -(1 - lam**t) / ((1 - 1 / lam) * (1 - lam)) + t / (lam - 1)
    two = lam**2 * (1 - lam**t) / (1 - lam) - lam * t * (t + 3) / 2 + t * (t + 1) / 2
    three = t * lam / (1 - lam) - (lam**2 - lam ** (t + 2)) / (1 - lam) ** 2 - t * (t + 1) / 2
    four = t * (t + 1) * (t + 2) / 6
    sums = {(1, 1): one / (lam - 1), (0, 1): two / (lam - 1) ** 2, (1, 0): three / (lam - 1), (0, 0): four}
    chain = np.array([[a, 1 - a], [1 - b, b]])
    pi = stationary(chain)
    terms = (np.array([[b - 1, a - 1]] * 2), np.array([[a - 1, 1 - a], [1 - b, b - 1]]))  # gamma, beta
    found = np.zeros((2, 2))
    for (lags, ahead), total in sums.items():
        # (P^(t'-s))_li carries lambda^(t'-s), (P^(p-t'))_im carries lambda^(p-t')
        found += total * np.einsum("l,mi,li,im->ml", pi, chain - 0.5, terms[lags], terms[ahead]) / (lam - 1) ** 2
    return found / length


@dataclasses.dataclass(frozen=True)
class TwoSteps:
    """The weights after no, one and two steps, and the part of -dL/dv in the second step that the diagonal makes."""

    start: Weights
    first: Weights
    second: Weights
    diagonal_part: Float[np.ndarray, " t"]


def two_steps(length: int, start: float, rate: float, prior: Prior | None = None) -> TwoSteps:
    """Two steps at one rate from W = start 11^T, v = start 1 (figures E.1 and E.2)."""
    x = correlations(prior or full(), length)
    zero = Weights.constant(start, start, length)
    first = zero.stepped(x, rate)
    more = first.match[0, 0] - first.match[0, 1]
    return TwoSteps(zero, first, first.stepped(x, rate), rate * more * np.trace(x, axis1=1, axis2=2))


def threshold_rate(length: int, prior: Prior | None = None) -> float:
    """The rate from which on lag 1 beats lag 0 after two steps: about 3500/t^3; the start does not matter."""
    x = correlations(prior or full(), length)
    zero = Weights.constant(1.0, 1.0, length)
    low, high = 1.0 / length**3, 1e5 / length**3
    for _ in range(60):
        middle = math.sqrt(low * high)
        lags = zero.stepped(x, middle).stepped(x, middle).lags
        low, high = (low, middle) if lags[1] > lags[0] else (middle, high)
    return math.sqrt(low * high)


def curriculum(
    length: int, eps: float, alpha: float, beta: float, match: float, lags: float
) -> tuple[Weights, Weights]:
    """Proposition 8.5: a step at rate alpha/t^2 on all chains, then one at beta/t with weight decay 1 on chains with
    a = b within eps of 1/2."""
    first = Weights.constant(match, lags, length).stepped(correlations(full(40), length), alpha / length**2)
    return first, first.stepped(correlations(balanced(eps), length), beta / length, decay=1.0)
