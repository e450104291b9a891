"""Theory queries about parities: majority's coefficients, their gap, and random search."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from assay.errors import ConfigError
from assay.maths.cube import MAX_BITS
from assay.theory.commands import theory_command
from assay.theory.parity import majority
from assay.theory.parity.search import RandomSearch
from assay.theory.parity.threshold import random_gaps

EXACT_LIMIT = 401
"""Largest n whose rationals are worth printing (some 120 digits)."""


@theory_command("majority-coefficient")
def majority_coefficient(*, n: int, degree: int) -> dict[str, Any]:
    """Fourier coefficient of majority at a set of `degree` coordinates (Barak et al. 2022, Lemma 1).

    Args:
        n: Number of coordinates, odd.
        degree: Size of the set, 0 to n; even sizes have coefficient 0.
    """
    sign, size = majority.log_majority_coefficient(n, degree)
    exact = majority.majority_coefficient(n, degree) if n <= EXACT_LIMIT else None
    m, j = (n - 1) // 2, (degree - 1) // 2
    formula = f"(-1)^{j} C({m}, {j}) / C({n - 1}, {degree - 1}) 2^-{n - 1} C({n - 1}, {m})"
    return {
        "value": sign * math.exp(size) if exact is None else float(exact),
        "n": n,
        "degree": degree,
        "sign": sign,
        "exact": None if exact is None else f"{exact.numerator}/{exact.denominator}",
        "log10_magnitude": size / math.log(10) if sign else None,
        "closed_form": formula if sign else "0 for even degree",
        "scaled_size": majority.scaled_size(n, degree),
        "scaled_size_printed": majority.scaled_size(n, degree, majority.PRINTED_SIZE_EXPONENT),
        "source": "Barak et al. 2022, Lemma 1; the size is C(n, d) xi^2 d^(3/2), printed with d^(2/3)",
    }


@theory_command("fourier-gap")
def fourier_gap(
    *, n: int, k: int, init: Literal["uniform", "gaussian", "sign"] | None = None, draws: int = 100, seed: int = 0
) -> dict[str, Any]:
    """Fourier gap of majority at a set of k coordinates, its bound, and the identity behind it (Lemma 2).

    With --init, of sign(w.x) for random weights: `value` is the median gap over draws, and what is said of majority is
    said beside it.

    Args:
        n: Number of coordinates, odd.
        k: Size of the hidden subset, even, less than n.
        init: Law of random weights; for sign weights the threshold is a majority.
        draws: How many random weights; each takes 2^n operations up to n = 24.
        seed: Seed of the random weights.
    """
    bound = majority.majority_gap_bound(n, k)
    exact = majority.majority_gap(n, k) if n <= EXACT_LIMIT else None
    _, log_below = majority.log_majority_coefficient(n, k - 1)
    _, log_above = majority.log_majority_coefficient(n, k + 1)
    sign, log_gap = majority.log_majority_gap(n, k)
    by_identity = sign * math.exp(log_gap)
    gap = by_identity if exact is None else float(exact)
    drawn = {} if init is None else _random_gaps(n, k, init, draws, seed) | {"majority_gap": gap}
    return {
        "value": drawn.get("median_gap", gap),
        "n": n,
        "k": k,
        **drawn,
        "exact": None if exact is None else f"{exact.numerator}/{exact.denominator}",
        "neuron_gap": gap / 2,
        "bound": bound,
        "lemma_applies": n >= 4 * k,
        "log10_magnitude": log_gap / math.log(10) if sign else None,
        "coefficient_below": math.exp(log_below),
        "coefficient_above": math.exp(log_above),
        "ratio": math.exp(log_below - log_above),
        "ratio_by_identity": (n - k) / (k - 1),
        "gap_by_identity": by_identity,
        "source": "Barak et al. 2022, Lemma 2: |xi_{k-1}| = (n-k)/(k-1) |xi_{k+1}|, gap >= 0.03 (n-1)^(-(k-1)/2)",
    }


def _random_gaps(n: int, k: int, init: str, draws: int, seed: int) -> dict[str, Any]:
    """The median of the gaps with its interval by order statistics, 95 %, and how they are spread."""
    if draws < 6:
        raise ConfigError("draws", draws, ">= 6", "fewer give no interval")
    gaps = random_gaps(n, k, init, draws, np.random.default_rng(seed))
    strict = np.sort(gaps.strict)
    beyond = int(draws / 2 - 0.98 * math.sqrt(draws))  # of the order statistics, on either side: binomial, 1/2
    low, high = strict[max(beyond - 1, 0)], strict[min(draws - beyond, draws - 1)]
    return {
        "init": init,
        "draws": draws,
        "method": "enumeration" if n <= MAX_BITS else "integral",
        "median_gap": float(np.median(strict)),
        "median_low": float(low),
        "median_high": float(high),
        "gap_10": float(np.quantile(strict, 0.1)),
        "gap_90": float(np.quantile(strict, 0.9)),
        "positive": float(np.mean(strict > 0)),
        "relaxed_median_gap": float(np.median(gaps.relaxed)),
        "relaxed_positive": float(np.mean(gaps.relaxed > 0)),
    }


@theory_command("random-search")
def random_search(*, n: int, k: int, copies: int = 1) -> dict[str, Any]:
    """Mean number of steps of random search over k-subsets, and the quantiles of its geometric law.

    Args:
        n: Number of coordinates.
        k: Size of the hidden subset.
        copies: Subsets tested at each step.
    """
    search = RandomSearch(n=n, k=k, copies=copies)
    median = search.quantile(0.5)
    return {
        "value": search.mean,
        "n": n,
        "k": k,
        "copies": copies,
        "subsets": search.subsets,
        "success_probability": search.success_probability,
        "quantile_10": search.quantile(0.1),
        "median": median,
        "quantile_90": search.quantile(0.9),
        "solved_by_quarter_of_median": search.solved_by(median // 4),
        "source": "Barak et al. 2022, section 3; geometric with p = 1 - (1 - 1/C(n, k))^r",
    }
