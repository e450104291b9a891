"""Lemmas of the paper by enumeration, as printed and as corrected.

Claim   closed forms of gradients, probabilities and read-outs agree with the cube; four printed constants do not.
Source  Edelman et al. 2023, Lemmas 6 to 9 and 17 to 20, and the proofs of Theorems 4 and 5 (appendix B).
Output  table `lemmas`: one row for each statement and reading (`printed`, `corrected` or, where they agree, `both`)
        with its worst defect over the cases, at most 0 (or rounding) where it holds, and the number of cases.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable

import numpy as np
import polars as pl

from assay.figures import Display, HeatTable
from assay.maths.fourier import fourier_coefficients
from assay.studies import Claim, Experiment, Judgement
from assay.theory.frontiers import bound, oversparse, undersparse
from assay.theory.parity.majority import majority_coefficient_float, majority_values

EXACT, HIDING = 1e-6, 0.005
OVER = ((11, 2, 5), (11, 2, 9), (13, 2, 9), (13, 4, 9), (15, 2, 9))
"""n, k, s of over-sparse neurons."""
UNDER = ((13, 4, 2), (15, 4, 2), (15, 6, 4), (15, 6, 2))
LARGEST = {"smoke": 13, "desk": 13, "paper": 15}

_PAPER = "Edelman et al. 2023"


def _claim(name: str, source: str, statement: str, criterion: str, kind: str = "theorem") -> Claim:
    return Claim(id=name, source=f"{_PAPER}, {source}", statement=statement, kind=kind, criterion=criterion)


_COUNTED = "r'/2 <= E|I_j| <= 2 r' for n = 100, k = 4, s = 17, 33, r = 20k(2n/s)^k log(2k/0.1)"
_DEFECT = "largest defect over all cases <= 10^-6"
LEMMAS = _claim(
    "C12", "Lemmas 6 to 9 and 17 to 20", "Gradients of sparse neurons and coefficients of majority and half have their "
    "closed forms, and squared correlations average to at most 1 / C(n,k).", _DEFECT,
)  # fmt: skip
RATIO = _claim(
    "C12-ratio", "Lemma 20, corrected", "The relevant gradient of an under-sparse neuron exceeds the irrelevant one by "
    "the "
    "factor (n-k)/(k-s-1).", _DEFECT,
)  # fmt: skip
RATIO_PRINTED = _claim(
    "C12-ratio-printed", "Lemma 20, as printed", "The relevant gradient of an under-sparse neuron exceeds the "
    "irrelevant one by the factor (n-s)/(k-s-1).", _DEFECT, "errata",
)  # fmt: skip
READOUT = _claim(
    "C12-biases", "Theorem 16, corrected", "With biases from i = 0 on, good neurons can compute the parity.",
    "least expected hinge loss of perfect features <= 10^-6 for k = 4, 6, 8",
)  # fmt: skip
READOUT_PRINTED = _claim(
    "C12-biases-printed", "Theorem 16, as printed", "With biases from i = 1 on, good neurons can compute the parity.",
    "least expected hinge loss of perfect features <= 10^-6 for k = 4, 6, 8", "errata",
)  # fmt: skip
WEIGHT = _claim(
    "C12-weight", "Lemma 8, corrected", "The Fourier weight of majority at an odd degree v is at most twice its limit "
    "4/(pi v 2^v) C(v-1, (v-1)/2).", "W^v(s) <= 2 rho(v) for v = 1, 3, 5, odd s from 2 v + 1 to 41",
)  # fmt: skip
WEIGHT_PRINTED = _claim(
    "C12-weight-printed", "Lemma 8, as printed", "The Fourier weight of majority at an odd degree v is at most twice "
    "2/(pi v 2^v) C(v-1, (v-1)/2).", "W^v(s) <= 2 rho(v) for v = 1, 3, 5, odd s from 2 v + 1 to 41", "errata",
)  # fmt: skip
COUNTS = _claim(
    "C12-counts", "Lemma 15, corrected", "Good neurons of each bias number between r'/2 and 2 r' on average, for r' = "
    "(r/k) C(n-k,s-k)/C(n,s).", _COUNTED,
)  # fmt: skip
COUNTS_PRINTED = _claim(
    "C12-counts-printed", "Lemma 15, as printed", "Good neurons of each bias number between r'/2 and 2 r' on average, "
    "for r' = (r/2k)(s/2n)^k.", _COUNTED, "errata",
)  # fmt: skip
HIDDEN = _claim(
    "C12-adversary", "Proposition 3 and its proof", "Gradient descent learns nothing of a parity while an adversary "
    "may shift each entry of its gradient by more than the label does.",
    "n = 10, k = 2 to 5, 20 steps: distance from the weights without a label <= 10^-6 wherever the label's part of "
    "every gradient is within the tolerance 0.005, above it elsewhere; both occur",
)  # fmt: skip
CLAIMS = (
    LEMMAS, HIDDEN, RATIO, RATIO_PRINTED, READOUT, READOUT_PRINTED, WEIGHT, WEIGHT_PRINTED, COUNTS, COUNTS_PRINTED,
)  # fmt: skip


def table(runs: None, scale: str) -> pl.DataFrame:
    n = LARGEST[scale]
    rows = [
        _row(LEMMAS, "Lemma 6: squared correlations", "both", _correlations(min(n, 12))),
        _row(LEMMAS, "Lemma 7: good neurons", "both", _good_neurons()),
        _row(LEMMAS, "Lemmas 8, 9: over-sparse gradients", "both", _over(n)),
        _row(LEMMAS, "Lemma 17: majority and half", "both", _majority(n)),
        _row(LEMMAS, "Lemmas 18 to 20: under-sparse gradients", "both", _under()),
        _row(HIDDEN, "Proposition 3: adversary", "both", _hidden()),
        _row(RATIO, "Lemma 20: ratio", "corrected", _ratios(undersparse.ratio)),
        _row(RATIO_PRINTED, "Lemma 20: ratio", "printed", _ratios(undersparse.printed_ratio)),
        _row(READOUT, "Theorem 16: biases", "corrected", [oversparse.expected_hinge(k, 0) for k in (4, 6, 8)]),
        _row(READOUT_PRINTED, "Theorem 16: biases", "printed", [oversparse.expected_hinge(k, 1) for k in (4, 6, 8)]),
        _row(WEIGHT, "Lemma 8: weight of majority", "corrected", _weights(oversparse.weight_constant)),
        _row(WEIGHT_PRINTED, "Lemma 8: weight of majority", "printed", _weights(oversparse.printed_weight_constant)),
        _row(COUNTS, "Lemma 15: counts", "corrected", _counts(oversparse.good_probability, 1.0)),
        _row(COUNTS_PRINTED, "Lemma 15: counts", "printed", _counts(oversparse.printed_good_probability, 0.5)),
    ]
    return pl.DataFrame(rows)


def _row(claim: Claim, name: str, reading: str, defects: Iterable[float]) -> dict[str, object]:
    found = list(defects)
    return {"claim": claim.id, "statement": name, "reading": reading, "defect": max(found), "cases": len(found)}


def _correlations(n: int) -> list[float]:
    """Mean squared correlation minus 1 / C(n, k) of random functions with values in [-1, 1]."""
    rng, found = np.random.default_rng(6), []
    for _ in range(5):
        for values in (np.tanh(3 * rng.normal(size=1 << n)), rng.choice([0.0, 1.0], size=1 << n)):
            means = bound.mean_squared_correlations(values)
            found += [mean - 1 / math.comb(n, k) for k, mean in enumerate(means)]
    return found


def _hidden() -> list[float]:
    """Distances from the weights without a label where an adversary can hide it; 1 unless they are seen elsewhere."""
    rng, within, beyond = np.random.default_rng(8), [], []
    for k in range(2, 6):
        for _ in range(5):
            distance, shift = bound.adversarial_descent(10, (1 << k) - 1, HIDING, 20, rng)
            (within if shift <= HIDING else beyond).append(distance)
    if not within or not beyond or min(beyond) <= EXACT:
        return [1.0]
    return within


def _good_neurons() -> list[float]:
    """(s/2n)^k minus the exact probability."""
    return [
        oversparse.printed_good_probability(n, k, s) - oversparse.good_probability(n, k, s)
        for n, k, s in ((100, 4, 17), (100, 4, 33), (60, 2, 9), (300, 6, 25))
    ]


def _over(largest: int) -> list[float]:
    found = []
    for n, k, s in OVER:
        if n > largest:
            continue
        big, small = oversparse.coefficients(k, s)
        support = range(s)
        for missing, bias in itertools.product((0, 1, 2), (-0.9, 0.4)):
            subset = [*range(missing, k), *range(s, s + missing)][:k]
            expected = np.zeros(n)
            if missing == 0:
                expected[list(support)] = small
                expected[:k] = big
            elif missing == 1:
                expected[s] = big
            found.append(np.abs(oversparse.gradient_by_enumeration(n, support, subset, bias) - expected).max())
        found.append(abs(abs(small / big) - (k - 1) / (s - k)))
    return [float(defect) for defect in found]


def _majority(largest: int) -> list[float]:
    found = []
    for n in range(1, largest + 1, 2):
        spectrum = fourier_coefficients(majority_values(n))
        found += [abs(spectrum[(1 << j) - 1] - majority_coefficient_float(n, j)) for j in range(n + 1)]
    for m in range(1, largest // 2 + 1):
        balanced = (np.bitwise_count(np.arange(1 << 2 * m, dtype=np.uint32)) == m).astype(np.float64)
        spectrum = fourier_coefficients(balanced)
        found += [abs(spectrum[(1 << j) - 1] - undersparse.half_coefficient(2 * m, j)) for j in range(2 * m + 1)]
    return [float(defect) for defect in found]


def _under() -> list[float]:
    found = []
    for n, k, s in UNDER:
        relevant, irrelevant = undersparse.gradients(n, k, s)
        expected = np.concatenate([np.zeros(s), np.full(k - s, relevant), np.full(n - k, irrelevant)])
        eps = 0.5 / n
        for bias in undersparse.bias_grid(k, eps)[::3]:
            gradient = undersparse.gradient_by_enumeration(n, k, range(s), eps, bias)
            found.append(float(np.abs(gradient - expected).max()))
    return found


def _ratios(formula: Callable[[int, int, int], float]) -> list[float]:
    found = []
    for n, k, s in UNDER:
        gradient = undersparse.gradient_by_enumeration(n, k, range(s), 0.5 / n, 0.0)
        found.append(abs(abs(gradient[s] / gradient[-1]) - formula(n, k, s)))
    return [float(defect) for defect in found]


def _weights(rho: Callable[[int], float]) -> list[float]:
    return [
        oversparse.fourier_weight(v, s) - 2 * rho(v) for v in (1, 3, 5) for s in range(2 * v + 1, 42, 2)
    ]  # fmt: skip


def _counts(probability: Callable[[int, int, int], float], share: float) -> list[float]:
    """How far E|I_j| lies outside [r'/2, 2 r'], relative to r' = share (r/k) p; k/2 biases, r/2 neurons."""
    found = []
    for n, k, s in ((100, 4, 17), (100, 4, 33)):
        width = 20 * k * (2 * n / s) ** k * math.log(2 * k / 0.1)
        wanted = share * width / k * probability(n, k, s)
        mean = width / 2 * oversparse.good_probability(n, k, s) / (k / 2)
        found.append(max(wanted / 2 - mean, mean - 2 * wanted) / wanted)
    return found


def figure(table: pl.DataFrame) -> Display:
    drawn = table.with_columns(
        reading=pl.col("reading").replace({"printed": "as printed", "both": "corrected", "corrected": "corrected"}),
        holds=(pl.col("defect") <= EXACT).cast(pl.Float64),
        text=pl.when(pl.col("defect") <= EXACT).then(pl.lit("holds")).otherwise(
            pl.format("off by {}", pl.col("defect").round_sig_figs(3))
        ),
    )  # fmt: skip
    same = drawn.filter(pl.col("claim").is_in([LEMMAS.id, HIDDEN.id])).with_columns(reading=pl.lit("as printed"))
    both = pl.concat([same, drawn]).sort(
        pl.col("statement").cast(pl.Enum(table["statement"].unique(maintain_order=True))),
        "reading",
        maintain_order=True,
    )
    return HeatTable(
        both,
        row="statement",
        column="reading",
        value="holds",
        centre=None,
        ends=(0.0, 1.0),
        scale="linear",
        title="Lemmas by enumeration",
        caption="Whether each statement holds on every case that was enumerated, as printed and as corrected; where it "
        "does not, its largest defect. Edelman et al. 2023, appendix B.",
        size=(5.5, 3.0),
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    worst = table.group_by("claim").agg(pl.max("defect"), pl.sum("cases"))
    found = {row["claim"]: row for row in worst.iter_rows(named=True)}
    return [
        claim.judged(
            found[claim.id]["defect"] <= EXACT, found[claim.id]["defect"],
            note=f"value: largest defect over {found[claim.id]['cases']} cases",
        )
        for claim in CLAIMS
    ]  # fmt: skip


experiment = Experiment(
    name="lemmas",
    title="Lemmas, as printed and as corrected",
    source="Lemmas 6 to 9 and 17 to 20",
    claims=CLAIMS,
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
