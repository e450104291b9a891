"""What single neurons of a net on pairs of group elements have become: which irrep they span, and how purely.

A neuron has weights u, v of its two inputs and w into the answers, each a function on the group. Its *feature* is the
irrep with most of the power of u, its *purity* the largest fraction of the power that any one irrep holds: 1 where u
lies in a single irrep. On Z_p irreps are frequencies, +j and -j as one (Morwani et al. 2023, sections 7.1 and D.2).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from jaxtyping import Float, Int

from assay.maths.groups import Irrep, coefficients, power

Array = np.ndarray


def neurons(
    u: Float[Array, "m n"], v: Float[Array, "m n"], w: Float[Array, "m n"], irreps: Sequence[Irrep], nu: int = 3
) -> pl.DataFrame:
    """One row a neuron: `norm` and `mass` = norm^nu, the number of its `feature` among the irreps, `purity` of u,
    `least_purity` of u, v, w, `same` (all three have that feature) and the parts of norm^2 that u, v, w have."""
    powers = np.stack([power(part, irreps) for part in (u, v, w)])  # [3, m, K]
    totals = powers.sum(axis=2)
    purities = powers.max(axis=2) / np.maximum(totals, 1e-300)
    feature = powers.argmax(axis=2)
    square = totals.sum(axis=0)
    parts = totals / np.maximum(square, 1e-300)
    return pl.DataFrame(
        {
            "neuron": np.arange(len(u)),
            "norm": np.sqrt(square),
            "mass": square ** (nu / 2),
            "feature": feature[0],
            "purity": purities[0],
            "least_purity": purities.min(axis=0),
            "same": (feature == feature[0]).all(axis=0),
            "share_u": parts[0],
            "share_v": parts[1],
            "share_w": parts[2],
        }
    )


def phase_defects(
    u: Float[Array, "m p"], v: Float[Array, "m p"], w: Float[Array, "m p"], frequency: Int[Array, " m"]
) -> Float[Array, " m"]:
    """|th_u + th_v - th_w| on the circle, for waves cos(th + 2 pi z a / p) at each neuron's frequency z."""
    p = u.shape[1]
    waves = np.exp(-2j * np.pi * np.outer(frequency, np.arange(p)) / p)
    turn = np.angle((u * waves).sum(1) * (v * waves).sum(1) * (w * waves).sum(1).conj())
    return np.abs(turn)


def rank_one(u: Float[Array, " n"], v: Float[Array, " n"], w: Float[Array, " n"], irrep: Irrep) -> tuple[float, float]:
    """(second over first singular value at most, least |cos| between the vectors that must agree) of a neuron whose
    coefficients should be x y^T, y z^T, x z^T."""
    parts = [np.linalg.svd(coefficients(part, irrep)) for part in (u, v, w)]
    ratio = max(float(s[1] / s[0]) if len(s) > 1 else 0.0 for _, s, _ in parts)
    (left_u, _, right_u), (left_v, _, right_v), (left_w, _, right_w) = parts
    pairs = ((right_u[0], left_v[:, 0]), (left_u[:, 0], left_w[:, 0]), (right_v[0], right_w[0]))
    return ratio, min(float(abs(a @ b)) for a, b in pairs)


def expected_purity(irreps: Sequence[Irrep], draws: int = 4000, seed: int = 0) -> tuple[float, float, float]:
    """Mean, 5 % and 95 % quantile of the purity of a Gaussian vector: what a neuron has before it has learnt."""
    powers = power(np.random.default_rng(seed).normal(size=(draws, len(irreps[0].matrices))), irreps)
    purity = powers.max(axis=1) / powers.sum(axis=1)
    low, high = np.quantile(purity, (0.05, 0.95))
    return float(purity.mean()), float(low), float(high)
