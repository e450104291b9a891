"""The best single neuron, found by optimisation: the dual bound of a certificate without its algebra.

Under uniform inputs and weights tau on the wrong answers the squares of a quadratic neuron drop out, and its expected
class-weighted margin is trilinear: (2 / n^2) sum_{a,b} u(a) v(b) (w(ab) - sum_x tau(x) w(abx)) (Morwani et al. 2023,
appendix D.8). So u, v and w are improved in turn, each by the closed form, from random starts.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from assay.maths.groups import Group
from assay.theory.margins.network import PairNetwork

Array = np.ndarray


def best_neurons(
    group: Group, tau: Float[Array, " n"], starts: int = 20, steps: int = 300, seed: int = 0
) -> tuple[Float[Array, " starts"], PairNetwork]:
    """Local maxima of E psi' over ||(u, v, w)|| <= 1: their values, and the neurons, from as many random starts."""
    rng = np.random.default_rng(seed)
    n = group.order
    u, v, w = (_normed(rng.normal(size=(starts, n))) for _ in range(3))
    wrong = tau[group.quotients]  # [g, h] -> tau(g^{-1} h)
    apart = np.eye(n) - wrong  # w(g) - sum_x tau(x) w(gx)
    value = np.zeros(starts)
    for _ in range(steps):
        seen = (w @ apart.T)[:, group.table]  # [start, a, b]
        u = _normed(np.einsum("sab,sb->sa", seen, v))
        v = _normed(np.einsum("sab,sa->sb", seen, u))
        # sum over ab = g of u(a) v(b): b = a^{-1} g
        joint = np.einsum("sa,sag->sg", u, v[:, group.quotients]) @ apart
        value = np.linalg.norm(joint, axis=1)
        w = _normed(joint)
    third = 3**-0.5  # ||u|| = ||v|| = ||w|| is best, by the inequality of the means
    return 2 / n**2 * value * third**3, PairNetwork(third * u, third * v, third * w)


def expected_margin(
    group: Group, tau: Float[Array, " n"], u: Float[Array, " n"], v: Float[Array, " n"], w: Float[Array, " n"]
) -> float:
    """E psi' of one neuron with all its squares, by enumeration of the inputs: what the trilinear form must equal."""
    hidden = (u[:, None] + v) ** 2
    logits = hidden[..., None] * w[group.table[group.table[..., None], np.arange(group.order)]]  # [a, b, x] at c = abx
    return float((logits[..., 0] - logits[..., 1:] @ tau[1:]).mean())


def _normed(rows: Array) -> Array:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)
