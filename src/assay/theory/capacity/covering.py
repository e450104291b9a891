"""Covering numbers of linear classes, and how an error is best shared out among the parts of a composition.

N_inf(F; eps; z_1..z_N) is the size of the smallest C within F such that each f in F has an f' in C with max_i |f(z_i)
- f'(z_i)| <= eps. Edelman, Goel, Kakade, Zhang 2022, definition 4.1, lemmas 4.10, A.8 and A.10. Logarithms are
natural; constants are those of the proofs.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from assay.errors import ConfigError


def linear_cover(norm: float, radius: float, eps: float, points: float) -> float:
    """Bound on log N_inf of {x -> v.x, |v| <= B_1} on N points with |x| <= B_2 (Zhang 2002, theorem 4; lemma A.10):

    36 (B_1 B_2 / eps)^2 log(2 ceil(4 B_1 B_2 / eps + 2) N + 1).
    """
    _check(eps)
    product = norm * radius
    return 36 * (product / eps) ** 2 * math.log(2 * math.ceil(4 * product / eps + 2) * points + 1)


def matrix_cover(norm: float, radius: float, eps: float, rows: int, points: float, share: float | None = None) -> float:
    """Bound on log N_inf of {x -> W x} with row norms adding up to at most B_W, d_1 rows, N points |x| <= B_X (lemma
    4.10, constants of its proof): a Maurey cover of the row norms at eps_1, then each row by `linear_cover` at eps_2,

    (B_W / eps_1)^2 log(2 d_1 + 1) + 36 (B_W B_X / eps_2)^2 log(2 ceil(4 B_W B_X / eps_2 + 2) N + 1),

    eps_2 + B_X eps_1 = eps. `share` is that of the row norms, B_X eps_1 / eps; the best one if none.
    """
    _check(eps)

    def total(part: float) -> float:
        first, second = part * eps / radius, (1 - part) * eps
        return (norm / first) ** 2 * math.log(2 * rows + 1) + linear_cover(norm, radius, second, points)

    return total(share) if share is not None else _smallest(total)


def best_split(
    costs: Float[np.ndarray, " n"], weights: Float[np.ndarray, " n"], budget: float
) -> tuple[Float[np.ndarray, " n"], float]:
    """The x that minimises sum alpha_i / x_i^2 subject to sum beta_i x_i = C, and the minimum gamma^3 / C^2 (lemma
    A.8):

    x_i = C / gamma (alpha_i / beta_i)^(1/3),  gamma = sum alpha_i^(1/3) beta_i^(2/3).
    """
    gamma = float(np.sum(costs ** (1 / 3) * weights ** (2 / 3)))
    return budget / gamma * (costs / weights) ** (1 / 3), gamma**3 / budget**2


def maurey(
    vector: Float[np.ndarray, " d"], bound: float, terms: int, rng: np.random.Generator
) -> Float[np.ndarray, " d"]:
    """An average of `terms` vectors +-B e_i or 0 whose mean is `vector`, |vector|_1 <= B: the sparse points of Maurey's
    cover. Its expected squared distance from the vector is at most B^2 / terms."""
    weights = np.append(np.abs(vector) / bound, 0.0)
    weights[-1] = max(0.0, 1 - weights.sum())
    counts = rng.multinomial(terms, weights / weights.sum())[:-1]
    return bound * np.sign(vector) * counts / terms


def greedy_cover(values: Float[np.ndarray, "functions points"], eps: float) -> int:
    """Size of a cover found greedily among functions given by their values: an upper bound on the smallest one."""
    left = np.ones(len(values), bool)
    size = 0
    while left.any():
        centre = values[left.argmax()]
        left &= np.abs(values - centre).max(axis=1) > eps
        size += 1
    return size


def _smallest(total: object) -> float:
    """Minimum over a share in (0, 1): on a grid, then refined."""
    from scipy.optimize import minimize_scalar

    grid = np.linspace(0.005, 0.995, 199)
    values = [total(float(part)) for part in grid]  # type: ignore[operator]
    best = int(np.argmin(values))
    bounds = (float(grid[max(best - 1, 0)]), float(grid[min(best + 1, 198)]))
    found = minimize_scalar(total, bounds=bounds, method="bounded")
    return min(float(found.fun), values[best])


def _check(eps: float) -> None:
    if not eps > 0:
        raise ConfigError("eps", eps, "> 0")
