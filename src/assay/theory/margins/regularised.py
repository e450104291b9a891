"""The optimum of the regularised loss, E[cross-entropy] + lambda sum_i ||omega_i||^nu, at a given lambda.

As a function of the measure that the neurons are, this is convex, and by symmetry logits depend on the class of
abc^{-1} alone: minimise log(1 + sum_C |C| exp(-m_C)) + lambda sum_R l_R D^{3/2} (3n)^{3/2} / 2 over l >= 0, with the
gaps m_C = sum_R l_R (D - chi_R(C)). Where all l > 0 the wrong answers' probabilities are proportional to the dual
weights: m_C = log(1 / (tau_C S)), S = lambda / (gamma* - lambda). The normalised margin of the optimum tends to gamma*
as lambda -> 0 (Wei et al. 2019, Theorem 4.1), for groups only like 1 / log(1 / lambda).
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from jaxtyping import Float

from assay.errors import ConfigError
from assay.maths.groups import Group, irreps
from assay.theory.margins.groups import certificate
from assay.theory.margins.parity import parity_margin

Array = np.ndarray


@dataclasses.dataclass(frozen=True, eq=False)
class Optimum:
    """Of the regularised loss: cross-entropy, mass rho = sum ||omega||^nu, least margin, its ratio to gamma* rho, and
    the share of each non-trivial irrep in rho."""

    loss: float
    mass: float
    margin: float
    ratio: float
    shares: Float[Array, " K"]

    def total(self, penalty: float) -> float:
        return self.loss + penalty * self.mass


def regularised_optimum(group: Group, penalty: float) -> Optimum:
    """The optimum on a group: gradient descent's end, where it does not get stuck."""
    from scipy.optimize import minimize  # loaded when it is needed: the list of queries is quick without

    rest = irreps(group)[1:]
    first = [c[0] for c in group.classes[1:]]
    sizes = np.log(group.class_sizes[1:])
    cost = np.array([r.dimension**1.5 for r in rest]) * (3 * group.order) ** 1.5 / 2
    gaps = np.array([r.dimension - r.character[first] for r in rest]).T / cost  # per unit of mass
    gamma = certificate(group).gamma
    if not 0 < penalty < gamma * (group.order - 1) / group.order:
        allowed = f"> 0 and below gamma* (n - 1) / n = {gamma * (group.order - 1) / group.order:.4g}"
        raise ConfigError("penalty", penalty, allowed, "with more the best net is zero")
    rho = math.log((group.order - 1) * (gamma - penalty) / penalty) / gamma

    def objective(x: Array) -> tuple[float, Array]:
        # in units of rho, so that variables and gradients are of order one
        powers = sizes - gaps @ (rho * x)
        top = max(0.0, float(powers.max()))
        odds = np.exp(powers - top)
        total = math.exp(-top) + odds.sum()
        value = top + math.log(total) + penalty * rho * x.sum()
        return value, rho * (penalty - (odds / total) @ gaps)

    scale = 1 / (penalty * rho)
    found = minimize(
        lambda x: tuple(scale * part for part in objective(x)), certificate(group).shares, jac=True, method="L-BFGS-B",
        bounds=[(0, None)] * len(rest), options={"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-11},
    )  # fmt: skip
    x = _newton(found.x, gaps, sizes, penalty, rho)
    margins = gaps @ (rho * x)
    mass = rho * float(x.sum())
    loss = float(np.logaddexp.reduce(np.append(sizes - margins, 0.0)))
    least = float(margins.min())
    return Optimum(loss, mass, least, least / (gamma * mass), x / x.sum())


def _newton(x: Array, gaps: Array, sizes: Array, penalty: float, rho: float) -> Array:
    """A few steps of Newton's method on the irreps that are used: the last digits."""
    on = x > 1e-9
    inner = gaps[:, on] * rho
    y = x[on]
    for _ in range(20):
        powers = np.append(sizes - inner @ y, 0.0)
        p = np.exp(powers - np.logaddexp.reduce(powers))[:-1]
        gradient = penalty * rho - p @ inner
        hessian = (inner.T * p) @ inner - np.outer(p @ inner, p @ inner)
        step = np.linalg.lstsq(hessian, gradient, rcond=1e-13)[0]
        if not np.isfinite(step).all() or (y - step).min() < 0:
            break
        y = y - step
    result = np.zeros_like(x)
    result[on] = y
    return result


def parity_optimum(k: int, penalty: float) -> Optimum:
    """The optimum on an (n, k)-parity with activation x^k: one pair of opposite logits, so the ratio is 1."""
    gamma = parity_margin(k)
    if not 0 < penalty < gamma / 2:
        raise ConfigError("penalty", penalty, f"> 0 and below gamma* / 2 = {gamma / 2:.4g}")
    margin = math.log((gamma - penalty) / penalty)
    return Optimum(-math.log1p(-penalty / gamma), margin / gamma, margin, 1.0, np.ones(1))
