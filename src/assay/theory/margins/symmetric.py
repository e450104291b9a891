"""Large symmetric groups by their characters alone: beyond S_5 the closed form of Theorem 7.9 is not the maximum.

All irreps are of real type, so that both sides of the linear program of `groups` need no more than the character table.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from assay.maths.groups.characters import symmetric_characters

Array = np.ndarray


def symmetric_conditions(n: int) -> Float[Array, " classes"]:
    """sum_R d^{3/2} chi_R(C) for each class of S_n but that of the identity."""
    _, _, table = symmetric_characters(n)
    return table[1:, -1] ** 1.5 @ table[1:, :-1]


def symmetric_gain(n: int) -> tuple[float, float]:
    """Maximum margin of S_n over the formula of Theorem 7.9, from below (a network's coefficients) and from above
    (weights of the classes)."""
    from scipy.optimize import linprog

    _, _, table = symmetric_characters(n)
    d = table[1:, -1].astype(float)
    scaled = (d[:, None] - table[1:, :-1]).T / d**1.5
    found = linprog(
        np.append(np.zeros(len(d)), -1.0),
        A_ub=np.hstack([-scaled, np.ones((len(scaled), 1))]), b_ub=np.zeros(len(scaled)),
        A_eq=np.append(np.ones(len(d)), 0.0)[None], b_eq=[1.0],
        bounds=[(0, None)] * len(d) + [(None, None)], method="highs-ds",
    )  # fmt: skip
    shares, weights = found.x[:-1] / found.x[:-1].sum(), found.ineqlin.marginals / found.ineqlin.marginals.sum()
    formula = math.factorial(n) / float((d**2.5).sum())
    return float((scaled @ shares).min()) / formula, float((weights @ scaled).max()) / formula
