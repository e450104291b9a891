"""The exact error of a disjoint-PolyNet, and the two bounds of Lemma 7 of Barak et al. 2022 (appendix B.3.1).

Factor i times its relevant bit is v_i + U_i with U_i = sum_j u_ij e_j, e_j independent signs. The net answers right
where no factor is zero and an even number of them is negative. With o_i = P[v_i + U_i = 0] and
s_i = P[v_i + U_i > 0] - P[v_i + U_i < 0], a tie counting as an error,

    err = 1 - 1/2 (prod_i (1 - o_i) + prod_i s_i).

The law of U is found exactly: a binomial where all |u_j| agree, else by two sorted halves of all sums (up to 40
weights), else, to some 1e-8, by the Fourier series of its distribution, whose coefficients prod_j cos(u_j t) vanish.
"""

from __future__ import annotations

import abc
import functools
import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64, Real

from assay.errors import ConfigError

Array = np.ndarray

HALVES_LIMIT = 40
"""Most weights whose sums are enumerated, 2^20 in each half."""

BERRY_ESSEEN = 0.56
"""sup_x |P[U/||u|| <= x] - Phi(x)| <= 0.56 sum_j |u_j|^3 / ||u||^3 (Shevtsova 2010)."""

CUT = 1e-8
"""Of the Fourier series."""

TIE = 1e-12
"""Sums closer than this, relative to the sum of all sizes, are equal."""


class SumLaw(abc.ABC):
    """The law of U = sum_j u_j e_j, which is symmetric."""

    @abc.abstractmethod
    def below(self, x: float) -> float:
        """P[U < x]."""

    @abc.abstractmethod
    def at(self, x: float) -> float:
        """P[U = x]."""

    def agreement(self, relevant: float) -> float:
        """s = P[v + U > 0] - P[v + U < 0] = P[U < v] - P[U < -v]."""
        return self.below(relevant) - self.below(-relevant)


class SignSum(SumLaw):
    """`count` weights of one size: a shifted binomial."""

    def __init__(self, count: int, size: float = 1.0) -> None:
        self.count, self.size = count, size
        steps = np.log(np.arange(count, 0, -1)) - np.log(np.arange(1, count + 1))
        self.probability = np.exp(np.concatenate([[0.0], np.cumsum(steps)]) - count * math.log(2))
        lower = np.concatenate([[0.0], np.cumsum(self.probability[: (count + 1) // 2])])
        self.cumulative = np.concatenate(
            [lower, 1 - lower[: count // 2 + 1][::-1]]
        )  # entry j: fewer than j signs are +

    def below(self, x: float) -> float:
        place = self._place(x)
        return float(self.cumulative[min(max(math.ceil(place), 0), self.count + 1)])

    def at(self, x: float) -> float:
        place = self._place(x)
        inside = place == int(place) and 0 <= place <= self.count
        return float(self.probability[int(place)]) if inside else 0.0

    def _place(self, x: float) -> float:
        """The number of positive signs at which U = x: whole where x is a value of U."""
        place = (x / self.size + self.count) / 2
        return float(round(place)) if abs(place - round(place)) <= TIE * (self.count + 1) else place


class HalvesSum(SumLaw):
    """Any weights, few: P[U < x] = mean over the sums l of one half of P[r < x - l] over those of the other."""

    def __init__(self, irrelevant: Sequence[float] | Array) -> None:
        middle = len(irrelevant) // 2
        self.left, self.right = _sums(irrelevant[:middle]), np.sort(_sums(irrelevant[middle:]))
        self.tolerance = TIE * float(np.sum(np.abs(irrelevant)))

    def below(self, x: float) -> float:
        return self._share(x - self.tolerance, "left")

    def at(self, x: float) -> float:
        return self._share(x + self.tolerance, "right") - self._share(x - self.tolerance, "left")

    def _share(self, x: float, side: str) -> float:
        found = np.searchsorted(self.right, x - self.left, side)  # type: ignore[call-overload]
        return float(np.mean(found)) / len(self.right)


class SeriesSum(SumLaw):
    """Many weights in general position: the Fourier series of the indicator of (-x, x) on [-A, A), A = sum_j |u_j|,

    P[|U| < x] = x/A + (2/pi) sum_m sin(pi m x / A) / m  prod_j cos(pi m u_j / A).

    U never leaves [-A, A], so that nothing is lost by the period. The sum is cut where a whole octave of it is below
    `CUT` in absolute terms. Weights drawn from a density have no ties; those on a lattice need another law.
    """

    def __init__(self, irrelevant: Sequence[float] | Array) -> None:
        u = np.abs(np.asarray(irrelevant, dtype=np.float64))
        self.span = float(u.sum())
        terms = math.ceil(14 / float(np.linalg.norm(u)) * self.span / math.pi)  # e^(-7^2/2) half-way for a normal law
        while terms * len(u) <= 1 << 22:
            self.order = np.arange(1, terms + 1)
            self.amplitude = np.prod(np.cos(np.pi / self.span * np.outer(self.order, u)), axis=1) / self.order
            if np.sum(np.abs(self.amplitude[terms // 2 :])) < CUT:
                return
            terms *= 2
        advice = "a few of them dominate the others"
        raise ConfigError("irrelevant", f"{len(u)} weights", f"at most {HALVES_LIMIT} of such unequal size", advice)

    def below(self, x: float) -> float:
        return 0.5 + 0.5 * self.agreement(x)

    def at(self, x: float) -> float:
        return 0.0

    def agreement(self, relevant: float) -> float:
        if abs(relevant) >= self.span:
            return math.copysign(1.0, relevant)
        waves = np.sin(np.pi * relevant / self.span * self.order)
        return relevant / self.span + 2 / math.pi * float(waves @ self.amplitude)


def sum_law(irrelevant: Real[Array, " m"] | Sequence[float]) -> SumLaw:
    """The law of U for the irrelevant weights of a block; zeros add nothing."""
    sizes = np.abs(np.asarray(irrelevant, dtype=np.float64))
    sizes = sizes[sizes > 0]
    if len(sizes) == 0 or np.ptp(sizes) <= TIE * sizes[0]:
        return SignSum(len(sizes), float(sizes[0]) if len(sizes) else 1.0)
    return HalvesSum(sizes) if len(sizes) <= HALVES_LIMIT else SeriesSum(sizes)


def error(relevant: Sequence[float] | Real[Array, " k"], laws: Sequence[SumLaw]) -> float:
    """err of relevant weights v_i among irrelevant ones of given laws."""
    pairs = list(zip(relevant, laws, strict=True))
    no_tie = math.prod(1 - law.at(float(v)) for v, law in pairs)
    agreement = math.prod(law.agreement(float(v)) for v, law in pairs)
    return 1 - 0.5 * (no_tie + agreement)


def polynet_error(weights: Real[Array, "k block"], places: Sequence[int] | None = None) -> float:
    """err of a disjoint-PolyNet whose relevant weight stands at `places[i]` of block i (first by default)."""
    places = [0] * len(weights) if places is None else places
    relevant = [row[place] for row, place in zip(weights, places, strict=True)]
    laws = [sum_law(np.delete(row, place)) for row, place in zip(weights, places, strict=True)]
    return error(relevant, laws)


def error_by_enumeration(weights: Real[Array, "k block"]) -> float:
    """The same by answering all inputs, at most 2^20 of them; the first weight of each block is relevant."""
    k, block = weights.shape
    if k * block > 20:
        raise ConfigError("n", k * block, "at most 20", "use polynet_error")
    signs = [1 - 2 * (np.arange(1 << block) >> i & 1) for i in range(block)]
    factors = [sum(w * s for w, s in zip(row, signs, strict=True)) * signs[0] for row in weights]
    answers = functools.reduce(np.multiply.outer, factors)
    return float(np.mean(answers <= 0))


# -- Lemma 7 ---------------------------------------------------------------------------------------------------------


def upper_bound(
    relevant: Real[Array, "*draws k"], irrelevant: Real[Array, "*draws k m"], printed: bool = False
) -> Float64[Array, "*draws"] | np.float64:
    """err <= 2 sum_i exp(-v_i^2 / (2 ||u_i||^2)), by Hoeffding's inequality; printed without the factor 2 below."""
    squared = np.asarray(relevant, float) ** 2 / np.sum(np.asarray(irrelevant, float) ** 2, axis=-1)
    return 2 * np.exp(-squared / (1 if printed else 2)).sum(axis=-1)


def lower_bound(
    relevant: Real[Array, "*draws k"],
    irrelevant: Real[Array, "*draws k m"],
    printed: bool = False,
    constant: float = 2 * BERRY_ESSEEN,
) -> Float64[Array, "*draws"] | np.float64:
    """err >= 1/2 - 1/2 prod_i (erf(|v_i| / (||u_i|| sqrt 2)) + c ||u_i||_inf / ||u_i||), by Berry and Esseen at both
    ends of an interval; printed with ||u_i||^3 in the last denominator and c unnamed."""
    v, u = np.abs(np.asarray(relevant, float)), np.abs(np.asarray(irrelevant, float))
    norm = np.linalg.norm(u, axis=-1)
    normal = np.vectorize(math.erf, otypes=[float])(v / (norm * math.sqrt(2)))
    remainder = constant * u.max(axis=-1) / norm ** (3 if printed else 1)
    return 0.5 - 0.5 * np.prod(normal + remainder, axis=-1)


def _sums(weights: Sequence[float] | Array) -> Array:
    """All 2^m sums of +-weights."""
    sums = np.zeros(1)
    for weight in weights:
        sums = np.concatenate([sums + weight, sums - weight])
    return sums
