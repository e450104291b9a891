"""Capacity of attention: log covering numbers of bounded-norm heads, layers and Transformers.

Edelman, Goel, Kakade, Zhang 2022, section 4.2 and appendix A.1: theorem 4.6, corollary 4.9, lemmas A.11 and A.12,
theorems 4.11 and A.17. The length T enters through log(d m T) alone, as the number m T of points that a linear map is
covered on. `hidden` stands for the constant that the statements hide.

What is assumed: rows of X of norm at most B_X, |W_V|_{2,1} <= B_V^{2,1}, |W_V|_2 <= B_V, |W_QK'|_{2,1} <= B_QK^{2,1}
(the sum of the row norms of W_QK), sigma L-Lipschitz with sigma(0) = 0; in several layers also |W_C|_2 <= B_C,
|W_C|_{2,1} <= B_C^{2,1}, |W_K W_Q'|_2 <= B_QK, |w| <= B_w, and rows projected to the unit ball between layers.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from assay.errors import ConfigError
from assay.theory.capacity.covering import _smallest, matrix_cover

VARIANTS = ("main", "appendix", "safe")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Norms:
    """Bounds on the weights of a layer; in the notation above, 21 for the (2,1)-norm."""

    v: float = 1.0
    v21: float = 1.0
    qk: float = 1.0
    qk21: float = 1.0
    c: float = 1.0
    c21: float = 1.0
    lipschitz: float = 1.0


def single_head(
    norms: Norms, *, d: int, samples: int, length: int, eps: float, radius: float = 1.0, variant: str = "safe"
) -> float:
    """log N_inf of one head (corollary 4.9), hidden constant 1:

    (L B_X)^2 (B_V^{2,1 2/3} + q^{2/3})^3 log(d m T) / eps^2,  q = B_QK^{2,1} B_V as in the main text,
    2 B_QK^{2,1} B_V B_X as in the appendix, where |x_tau| <= 1, and 2 B_QK^{2,1} B_V B_X^2 without that assumption.
    """
    if variant not in VARIANTS:
        raise ConfigError("variant", variant, f"one of {', '.join(VARIANTS)}")
    q = norms.qk21 * norms.v * {"main": 1.0, "appendix": 2 * radius, "safe": 2 * radius**2}[variant]
    total = (norms.v21 ** (2 / 3) + q ** (2 / 3)) ** 3
    return (norms.lipschitz * radius) ** 2 * total / eps**2 * math.log(d * samples * length)


def explicit_head(norms: Norms, *, d: int, samples: int, length: int, eps: float, radius: float = 1.0) -> float:
    """The same with all constants: the smallest sum of two `matrix_cover`s, of W_QK at eps_QK / |x_tau| and of W_V at
    eps_V, over 2 L B_V B_X eps_QK + L eps_V = eps."""
    points = samples * length

    def total(part: float) -> float:
        scores = part * eps / (2 * norms.lipschitz * norms.v * radius)
        values = (1 - part) * eps / norms.lipschitz
        first = matrix_cover(norms.qk21, radius, scores / radius, d, points, share=0.18)
        return first + matrix_cover(norms.v21, radius, values, d, points, share=0.18)

    return _smallest(total)


def general_head(
    score: Callable[[float, float], float],
    inner: Callable[[float, float], float],
    *,
    samples: int,
    length: int,
    eps: float,
    normaliser: float = 2.0,
    lipschitz: float = 1.0,
    inner_bound: float = 1.0,
    radius: float = 1.0,
) -> float:
    """log N_inf of any head from those of its score class and of phi_in, as functions of (eps, points) (theorem 4.6),
    at the best alpha: score(alpha eps / (C_Norm L_out B_in B_X), mT) + inner((1 - alpha) eps / L_out, mT)."""
    points = samples * length

    def total(alpha: float) -> float:
        scores = alpha * eps / (normaliser * lipschitz * inner_bound * radius)
        return score(scores, points) + inner((1 - alpha) * eps / lipschitz, points)

    return _smallest(total)


def with_positions(
    norms: Norms, *, d: int, samples: int, length: int, eps: float, radius: float = 1.0, positions: float = 1.0
) -> float:
    """One head on X + P, rows of the fixed P of norm at most B_P (lemma A.11): B_X + B_P for B_X. With trainable and
    unbounded P the dependence on T could be linear."""
    return single_head(
        norms, d=d, samples=samples, length=length, eps=eps, radius=radius + positions, variant="appendix"
    )


def parallel_heads(
    norms: Norms, heads: int, *, d: int, samples: int, length: int, eps: float, radius: float = 1.0
) -> float:
    """H heads whose outputs are added up (lemma A.12); for equal heads H^3 times one."""
    each = norms.v21 ** (2 / 3) + (2 * norms.qk21 * norms.v) ** (2 / 3)
    total = (heads * each) ** 3
    return (norms.lipschitz * radius) ** 2 * total / eps**2 * math.log(d * samples * length)


def amplification(norms: Norms) -> float:
    """How much a layer may amplify a change of its input: L B_C B_V (1 + 4 B_QK)."""
    return norms.lipschitz * norms.c * norms.v * (1 + 4 * norms.qk)


def deep(
    layers: list[Norms], *, d: int, k: int, samples: int, length: int, eps: float, readout: float = 1.0,
    printed: bool = False,
) -> float:  # fmt: skip
    """log N_inf of L layers with a linear readout, hidden constant 1, alpha_i = product of the amplifications before i:

    log(dmT) / eps^2 (B_w^{2/3} + sum_i (B_w alpha_i)^{2/3}
        (B_C^{2,1 2/3} + (2 L B_C B_V B_QK^{2,1})^{2/3} + (L B_C B_V^{2,1})^{2/3}))^3.

    That is what the proof of theorem A.17 gives through `best_split`, and what theorem 4.11 says. As printed, theorem
    A.17 has factors d^{2/3} and k^{2/3} at the last two terms, and no B_w inside the sum.
    """
    total, alpha = readout ** (2 / 3), 1.0
    for norms in layers:
        l, c, v = norms.lipschitz, norms.c, norms.v  # noqa: E741
        terms = [norms.c21, 2 * l * c * v * norms.qk21, l * c * norms.v21]
        factors = [1.0, d ** (2 / 3), k ** (2 / 3)] if printed else [1.0, 1.0, 1.0]
        weight = alpha if printed else readout * alpha
        total += weight ** (2 / 3) * sum(f * t ** (2 / 3) for f, t in zip(factors, terms, strict=True))
        alpha *= amplification(norms)
    return total**3 / eps**2 * math.log(d * samples * length)
