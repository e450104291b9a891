"""The parity as a linear function of the features after step 1: Daniely and Malach 2020, lemma 12.

The output weights of least length with y g(x) >= 1 on the whole cube. A least-distance problem: with z >= 0 the
solution of || [G^T; 1^T] z - [0; 1] || -> min, rows of G being y Phi(x), and residual (v, s) = target - matrix z, it is
u = -v / s, and there is none where the residual is 0 (Lawson and Hanson 1974, chapter 23). Only the points that bind
matter: they are added as needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from assay.theory.easy_parity.population import Net, Population

MARGIN = 1e-6
"""By which the margin may be missed."""


@dataclass(frozen=True, kw_only=True)
class Separator:
    """The output weights, or None where no margin can be had."""

    u: Float64[np.ndarray, " neurons"] | None
    margin: float  # min over the cube of y g(x)
    errors: int  # on the cube

    @property
    def norm(self) -> float:
        return float("inf") if self.u is None else float(np.linalg.norm(self.u))


def separator(net: Net, on: Population, first: int = 200, most: int = 60) -> Separator:
    """Output weights of margin 1 on the features of a net."""
    rows = net.hidden(on.x) * on.y[:, None]
    size = len(rows)
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.choice(size, min(first, size), replace=False))
    u, margins = None, np.full(size, -np.inf)
    for _ in range(most):
        u = _least_norm(rows[chosen])
        if u is None:
            return Separator(u=None, margin=-np.inf, errors=size)
        margins = rows @ u
        if margins.min() >= 1 - MARGIN:
            break
        worst = np.argsort(margins)[:50]
        chosen = np.union1d(chosen[margins[chosen] < 1.5], worst[margins[worst] < 1 - MARGIN])
    return Separator(u=u, margin=float(margins.min()), errors=int((margins <= 0).sum()))


def _least_norm(rows: Float64[np.ndarray, "some neurons"]) -> Float64[np.ndarray, " neurons"] | None:
    """The shortest u with rows @ u >= 1."""
    from scipy.optimize import nnls

    scale = float(np.abs(rows).max()) or 1.0
    matrix = np.vstack([rows.T / scale, np.ones(len(rows))])
    target = np.r_[np.zeros(rows.shape[1]), 1.0]
    z, _ = nnls(matrix, target, maxiter=50 * matrix.shape[1])
    residual = target - matrix @ z
    if residual @ residual < 1e-18:
        return None
    return -residual[:-1] / residual[-1] / scale
