"""What the diagonal of W adds to the gradient in v, summed in closed form for one chain of two states: equations E.36
to E.38 of Edelman 2024 (dissertation), as they are printed and as they are right.

With P = [[a, 1-a], [1-b, b]], lambda = a + b - 1, P^n = (beta lambda^n + gamma)/(lambda - 1), and j = d + 1 for lag d:
-dL/dv_j from W = I, whose exact value is tr X_d (`gradient.correlations`). Right is

    E.36  the factor pi_l, where pi_i is printed
    E.37  (a-1)(b-1) lambda/(lambda-1)^3 and t(t+1)/2, where (a-1)(b-1)/(lambda-1)^2 and t(t-1)/2 are printed
    E.38  the denominator 1 - lambda below lambda - lambda^(t-j+2), where lambda - 1 is printed
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from assay.maths.markov import stationary

Square = Float[np.ndarray, "2 2"]


def pair_probability(a: float, b: float, position: int, j: int, printed: bool) -> float:
    """E.36: the sum over t' = j, ..., p of P[x_t' = x_(p+1), x_(t'-j+1) = x_p] at position p."""
    beta, gamma, lam, chain, pi = _parts(a, b)
    p = position
    total = beta * beta.T * (lam**p - lam ** (j - 1)) / (lam - 1)
    total = total + beta * gamma.T * (lam ** (p - j + 1) - 1) / (lam - 1)
    total = total + (p - j + 1) * (gamma * beta.T * lam ** (j - 1) + gamma * gamma.T)  # [i, l]
    weight = pi[:, None] if printed else pi[None, :]
    return float((weight * chain.T * total).sum() / (lam - 1) ** 2)


def pair_probability_exact(a: float, b: float, position: int, j: int) -> float:
    """The same by powers of the matrix."""
    _, _, _, chain, pi = _parts(a, b)
    power = np.linalg.matrix_power
    from_l = pi[:, None] * power(chain, j - 1)  # [l, i]
    return float(sum((from_l * chain * power(chain, position - s).T).sum() for s in range(j, position + 1)))


def diagonal_gain(a: float, b: float, length: int, j: int, printed: bool) -> float:
    """What stands behind (rho - c') in E.37 (j = 1) and in E.38, for one chain."""
    beta, gamma, lam, chain, pi = _parts(a, b)
    t = length
    if j == 1:
        sides = (b - 1) ** 2 * (a - 0.5) + (a - 1) ** 2 * (b - 0.5)
        first = (a - 1) * (b - 1) / (lam - 1) ** 2 if printed else (a - 1) * (b - 1) * lam / (lam - 1) ** 3
        sums = t * (t - 1) / 2 if printed else t * (t + 1) / 2
        return float(first * ((lam - lam ** (t + 1)) / (1 - lam) - t) + sides / (lam - 1) ** 2 * sums) / t
    below = lam - 1 if printed else 1 - lam
    n = t - j + 1
    total = beta * beta.T / (lam - 1) * ((lam**j - lam ** (t + 1)) / (1 - lam) - n * lam ** (j - 1))
    total = total + beta * gamma.T / (lam - 1) * ((lam - lam ** (n + 1)) / below - n)
    total = total + n * (n + 1) / 2 * (gamma * beta.T * lam ** (j - 1) + gamma * gamma.T)  # [i, l]
    return float((pi[None, :] * (chain.T - 0.5) * total).sum() / (lam - 1) ** 2) / t


def _parts(a: float, b: float) -> tuple[Square, Square, float, Square, Float[np.ndarray, "2"]]:
    """beta, gamma, lambda, P and pi."""
    chain = np.array([[a, 1 - a], [1 - b, b]])
    beta, gamma = np.array([[a - 1, 1 - a], [1 - b, b - 1]]), np.array([[b - 1, a - 1]] * 2)
    return beta, gamma, a + b - 1, chain, stationary(chain)
