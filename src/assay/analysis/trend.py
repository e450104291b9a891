"""Does the fraction of successes grow, or change direction, along x? Tests on binomial counts.

`trend`: the score test of a common slope of log odds in log x with an intercept for each stratum (Cochran 1954,
Armitage 1955, Mantel 1963): the logistic regression that was not fitted. `departure`: the likelihood ratio of free
fractions against fractions that never fall (isotonic regression, Barlow et al. 1972), with a parametric bootstrap
p-value under the non-falling fit: small where successes come, go, and come again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import polars as pl
from jaxtyping import Float
from scipy import stats
from scipy.optimize import isotonic_regression
from scipy.special import xlogy

from assay.analysis import frames


@dataclasses.dataclass(frozen=True)
class Trend:
    """z > 0: the fraction grows with x. `p` is one-sided; 1/2 where nothing varies."""

    z: float
    p: float


def trend(cells: pl.DataFrame, x: str, within: Sequence[str] = ()) -> Trend:
    """Rows are cells with `n` runs, `solved` of them solved; strata are the values of `within`."""
    frames.require(cells, [x, "n", "solved", *within], "the table of cells")
    score, variance = 0.0, 0.0
    for group in frames.split(cells, within)[1]:
        n, solved = group["n"].to_numpy().astype(float), group["solved"].to_numpy().astype(float)
        at, total = np.log(group[x].to_numpy().astype(float)), n.sum()
        share = solved.sum() / total
        centred = at - n @ at / total
        score += centred @ solved
        if total > 1:  # of the hypergeometric law given both margins
            variance += share * (1 - share) * (n @ centred**2) * total / (total - 1)
    if variance == 0:
        return Trend(0.0, 0.5)
    z = score / variance**0.5
    return Trend(float(z), float(stats.norm.sf(z)))


@dataclasses.dataclass(frozen=True)
class Departure:
    """How far the fractions are from never falling: the largest fall of the free fractions, and the test."""

    drop: float
    ratio: float  # twice the log likelihood ratio
    p: float


def departure(cells: pl.DataFrame, x: str, draws: int = 999, seed: int = 0) -> Departure:
    """Of one group of cells, along x."""
    frames.require(cells, [x, "n", "solved"], "the table of cells")
    rows = cells.sort(x)
    n, solved = rows["n"].to_numpy().astype(float), rows["solved"].to_numpy().astype(float)
    fractions = solved / n
    drop = float(np.max(np.maximum.accumulate(fractions) - fractions))
    ratio = _ratio(solved, n)
    rng, null = np.random.default_rng(seed), isotonic_regression(fractions, weights=n).x
    drawn = [_ratio(rng.binomial(n.astype(int), np.clip(null, 0, 1)).astype(float), n) for _ in range(draws)]
    return Departure(drop, ratio, (1 + sum(other >= ratio - 1e-9 for other in drawn)) / (draws + 1))


def _ratio(solved: Float[np.ndarray, " N"], n: Float[np.ndarray, " N"]) -> float:
    fit = isotonic_regression(solved / n, weights=n).x
    return float(2 * np.sum(_log_likelihood(solved, n, solved / n) - _log_likelihood(solved, n, fit)))


def _log_likelihood(solved: np.ndarray, n: np.ndarray, share: np.ndarray) -> np.ndarray:
    return xlogy(solved, share) + xlogy(n - solved, 1 - share)
