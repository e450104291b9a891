"""Certificates for every finite group.

A network whose logits are sum_R l_R chi_R(abc^{-1}) can be made of neurons that are each best for their own irrep, and
then the margin of the network, and the best that any neuron can do under weights q on the classes of wrong answers, are
the two sides of a linear program (Morwani et al. 2023, appendix D.9.2, there as conditions on chosen subsets):

    gamma* = 2 (3n)^{-3/2} max { t : sum_R l_R (D_R - chi_R(C)) >= t for C != {e}, sum_R l_R D_R^{3/2} = 1, l >= 0 }
           = 2 (3n)^{-3/2} min { max_R D_R^{-3/2} sum_C q_C (D_R - chi_R(C)) : q a distribution on the C != {e} }

R runs over the non-trivial irreps over the *reals*, D_R is their real dimension: one program for all groups, since the
best neurons of complex and quaternionic irreps are those of their real matrices. Where all irreps are of real type and
sum_R d^{3/2} chi_R(C) < 0 for every class, the solution is Theorem 7.9's closed form.
"""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
from jaxtyping import Float

from assay.errors import ConfigError
from assay.maths.groups import Group, Irrep, irreps
from assay.theory.margins.network import PairNetwork

Array = np.ndarray
TIGHT = 1e-9
"""Relative size below which a coefficient or a slack is zero."""


@dataclasses.dataclass(frozen=True, eq=False)
class Certificate:
    """Primal: coefficients of the irreps (non-trivial ones, in the order of `irreps`), with sum l D^{3/2} = 1. Dual:
    weights q of the classes (but that of the identity), and the score of each irrep, at most 1, under them."""

    group: Group
    irreps: tuple[Irrep, ...]
    coefficients: Float[Array, " K"]
    weights: Float[Array, " C"]
    gamma: float  # margin of the network of these coefficients
    dual: float  # no network has more

    @property
    def gap(self) -> float:
        """(dual - gamma) / gamma."""
        return (self.dual - self.gamma) / self.gamma

    @functools.cached_property
    def scores(self) -> Float[Array, " K"]:
        """The best neuron of each irrep under the dual weights, over the dual: one below 1 is used by no max-margin
        network."""
        gaps, costs = _program(self.group, self.irreps)
        return (self.weights @ gaps) / costs * _unit(self.group) / self.dual

    @property
    def used(self) -> tuple[str, ...]:
        """Irreps of the network."""
        return tuple(r.name for r, used in zip(self.irreps, self._used, strict=True) if used)

    @property
    def never(self) -> tuple[str, ...]:
        """Irreps that no max-margin network uses: their best neuron falls short under the dual weights."""
        return tuple(r.name for r, score in zip(self.irreps, self.scores, strict=True) if score < 1 - TIGHT)

    @property
    def on_margin(self) -> tuple[int, ...]:
        """Numbers of the classes with positive weight: every max-margin network has them exactly on the margin."""
        return tuple(int(c) + 1 for c in np.flatnonzero(self.weights > TIGHT))

    @property
    def shares(self) -> Float[Array, " K"]:
        """Of each irrep in the mass sum ||omega||^3."""
        return self.coefficients * _program(self.group, self.irreps)[1]

    @property
    def tau(self) -> Float[Array, " n"]:
        """Weight of the wrong answer abx for each x; 0 at the identity."""
        each = np.concatenate([[0.0], self.weights / self.group.class_sizes[1:]])
        return each[self.group.class_of]

    @property
    def width(self) -> int:
        """Neurons of the network: 2 D^3 for each irrep used."""
        return sum(2 * r.dimension**3 for r, used in zip(self.irreps, self._used, strict=True) if used)

    @property
    def _used(self) -> Array:
        return self.shares > TIGHT

    def network(self) -> PairNetwork:
        """Lemmas D.15 and D.16: for each i, j, k two neurons, R_ij, +-R_jk, +-R_ik, whose outputs add up to 4 s^3
        chi_R(abc^{-1}) with s = sqrt(D / 3n); scaled so that the coefficients come out, and the mass is 1."""
        n, blocks = self.group.order, []
        for r, share, used in zip(self.irreps, self.shares, self._used, strict=True):
            if used:
                d = r.dimension
                i, j, k = (index.ravel() for index in np.indices((d, d, d)))
                elements = math.sqrt(d / (3 * n)) * r.matrices.transpose(1, 2, 0)
                u, v, w = elements[i, j], elements[j, k], elements[i, k]
                size = (share / (2 * d**3)) ** (1 / 3)
                blocks.append(
                    (size * np.concatenate([u, u]), size * np.concatenate([v, -v]), size * np.concatenate([w, -w]))
                )
        return PairNetwork(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


@functools.lru_cache(maxsize=32)
def certificate(group: Group) -> Certificate:
    """The solution of the linear program, both sides evaluated from scratch: neither bound relies on the solver."""
    if group.order < 2:
        raise ConfigError("group", group.name, "two elements or more", "with one answer there is no margin")
    from scipy.optimize import linprog  # loaded when a program is solved: the list of queries is quick without

    rest = irreps(group)[1:]
    gaps, costs = _program(group, rest)
    classes, count = gaps.shape
    # variables (l_R D^{3/2}, t): maximise t with gaps / costs @ l >= t
    scaled = gaps / costs
    found = linprog(
        np.append(np.zeros(count), -1.0),
        A_ub=np.hstack([-scaled, np.ones((classes, 1))]), b_ub=np.zeros(classes),
        A_eq=np.append(np.ones(count), 0.0)[None], b_eq=[1.0],
        bounds=[(0, None)] * count + [(None, None)], method="highs-ds",
    )  # fmt: skip
    if found.status != 0:
        raise ConfigError(f"linear program of {group.name}", found.message, "solvable, as it always is")
    shares = np.where(found.x[:-1] > TIGHT, found.x[:-1], 0.0)
    weights = np.where(-found.ineqlin.marginals > TIGHT, -found.ineqlin.marginals, 0.0)
    inverse = group.class_of[group.inverse[[c[0] for c in group.classes[1:]]]] - 1
    weights = (weights + weights[inverse]) / 2
    shares, weights = _polished(scaled, shares / shares.sum(), weights / weights.sum())
    unit = _unit(group)
    return Certificate(
        group=group, irreps=rest, coefficients=shares / costs, weights=weights,
        gamma=float((scaled @ shares).min()) * unit, dual=float((weights @ scaled).max()) * unit,
    )  # fmt: skip


def _polished(scaled: Array, shares: Array, weights: Array) -> tuple[Array, Array]:
    """Both sides again from the equations on their supports, where that is no worse: the solver's tolerance is 1e-7."""
    on, used = weights > 0, shares > 0
    value = float((scaled @ shares).min())

    def solved(matrix: Array, size: int) -> Array:
        system = np.vstack([np.hstack([matrix, -np.ones((len(matrix), 1))]), np.append(np.ones(size), 0.0)])
        return np.linalg.lstsq(system, np.append(np.zeros(len(matrix)), 1.0), rcond=None)[0][:-1]

    better_shares, better_weights = shares.copy(), weights.copy()
    better_shares[used] = solved(scaled[np.ix_(on, used)], int(used.sum()))
    better_weights[on] = solved(scaled[np.ix_(on, used)].T, int(on.sum()))
    if better_shares.min() < 0 or (scaled @ better_shares).min() < value:
        better_shares = shares
    if better_weights.min() < 0 or (better_weights @ scaled).max() > (weights @ scaled).max():
        better_weights = weights
    return better_shares, better_weights


def _program(group: Group, rest: tuple[Irrep, ...]) -> tuple[Float[Array, "C K"], Float[Array, " K"]]:
    """D - chi(C) for each class and irrep, and the costs D^{3/2}."""
    first = [c[0] for c in group.classes[1:]]
    gaps = np.array([r.dimension - r.character[first] for r in rest]).T
    return gaps, np.array([r.dimension**1.5 for r in rest])


def _unit(group: Group) -> float:
    return 2 * (3 * group.order) ** -1.5


def conditions(group: Group) -> Float[Array, " C"]:
    """sum_R d^{3/2} chi_R(C) for each class but that of the identity: all negative in Theorem 7.9."""
    first = [c[0] for c in group.classes[1:]]
    return np.sum([r.dimension**1.5 * r.character[first] for r in irreps(group)[1:]], axis=0)


def margin_formula(group: Group) -> float | None:
    """Theorem 7.9: 2 / (3 sqrt(3n)) / sum_R d^{5/2}, where all irreps are real and its condition holds, else None."""
    rest = irreps(group)[1:]
    if any(r.type != "real" for r in rest) or (conditions(group) >= 0).any():
        return None
    return 2 / (3 * math.sqrt(3 * group.order)) / sum(r.dimension**2.5 for r in rest)
