"""What any learner needs: bits of information, and what exhaustive search does with them.

Claim   log2 C(T, s) examples are necessary, and a few more are enough for the one that tries every subset.
Source  Edelman, Goel, Kakade, Zhang 2022, section 4.4 and appendix A.3.1 (balanced inputs, rejected training sets).
Output  table `information`, in parts: `bits` (log2 C(T, 3)), `search` (examples until a single conjunction fits),
        `balance` (frequency of the labels) and `checks` (fast against exhaustive test of uniqueness).
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl

from assay import SparseBoolean
from assay.figures import Display, Lines
from assay.learners import ConsistentSubsets, JuntaExamples
from assay.maths import juntas
from assay.studies import Claim, Experiment, Judgement

PUBLISHED = {
    100: 17.30, 150: 19.07, 200: 20.32, 250: 21.30, 300: 22.09, 350: 22.76, 400: 23.34, 450: 23.85, 500: 24.30, 550:
    24.72, 600: 25.09, 650: 25.44, 700: 25.76, 750: 26.06, 800: 26.34, 900: 26.85, 1000: 27.31, 1100: 27.72,
}  # fmt: skip
"""log2 C(T, 3) to two decimals."""
SEARCHED = {"smoke": (16, 32, 64), "desk": (16, 32, 64, 128, 300), "paper": (100, 200, 300, 600, 1100)}
SEEDS = {"smoke": 20, "desk": 100, "paper": 200}
DRAWN = {"smoke": 100_000, "desk": 1_000_000, "paper": 1_000_000}
FAMILIES: dict[str, str | tuple[int, ...]] = {
    "AND": "and", "OR": "or", "XOR": "xor", "majority": "majority", "not all equal": (0, 1, 1, 0), "table 01011010": (
        0, 1, 0, 1, 1, 0, 1, 0
    ),
}  # fmt: skip
"""Functions of 3 bits; the symmetric one by its values at 0, 1, 2 and 3 ones."""
SOURCE = "Edelman, Goel, Kakade, Zhang 2022, "

BITS = Claim(
    id="C24",
    source=SOURCE + "section 4.4",
    statement="At least log2 C(T, s) examples are needed, since a label says at most one bit about the subset.",
    kind="theorem",
    criterion="log2 C(T, 3) at the 18 published lengths as tabulated to 2 decimals; exhaustive search needs at least "
    "as many "
    "examples in the mean at every T",
)
BALANCE = Claim(
    id="C25",
    source=SOURCE + "appendix A.3.1",
    statement="The input bias balances the labels of every family, and the fast test of uniqueness rejects just the "
    "training sets that fit several hypotheses.",
    kind="theorem",
    criterion={
        "smoke": "frequency of the label 1 in 0.5 +- 0.01 over 1e5 draws a family; accept or reject as by trying "
        "every subset, "
        "T = 12, m = 6..16, 20 training sets a family and size",
        "desk": "frequency of the label 1 in 0.5 +- 0.003 over 1e6 draws a family; accept or reject as by trying "
        "every subset, "
        "T = 12, m = 6..16, 20 training sets a family and size",
        "paper": "frequency of the label 1 in 0.5 +- 0.003 over 1e6 draws a family; accept or reject as by trying "
        "every "
        "subset, T = 12, m = 6..16, 20 training sets a family and size",
    },
)


def table(runs: None, scale: str) -> pl.DataFrame:
    rows: list[dict[str, object]] = [
        {"part": "bits", "line": "log2 C(T, 3)", "x": length, "value": juntas.log2_hypotheses(length, 3)}
        for length in sorted({*PUBLISHED, *SEARCHED[scale]})
    ]
    for length in SEARCHED[scale]:
        task = SparseBoolean(n=length)
        found = [ConsistentSubsets().learn(JuntaExamples(task, seed)).samples for seed in range(SEEDS[scale])]
        rows.append({"part": "search", "line": "search, mean", "x": length, "value": float(np.mean(found))})
        enough = float(np.quantile(found, 0.8, method="higher"))
        rows.append({"part": "search", "line": "search, 4 of 5 runs", "x": length, "value": enough})
        rows.append({"part": "search", "line": "estimate of that", "x": length, "value": estimate(length)})
    for name, function in FAMILIES.items():
        task = SparseBoolean(n=5, function=function, subset=(0, 2, 3))
        share = float(task.labels(0, task.bits(0, "data", DRAWN[scale], 0)).mean())
        rows.append({"part": "balance", "line": name, "x": None, "value": share})
        rows.append({"part": "checks", "line": name, "x": None, "value": float(_disagreements(function))})
    return pl.DataFrame(rows, infer_schema_length=None)


def estimate(length: int) -> float:
    """Samples at which 4 of 5 training sets fit a single conjunction of 3 bits: those that exchange one bit agree on an
    example with probability p = 2^(-1/3), so 3 (T - 3) p^m = -ln 0.8."""
    return math.log(3 * (length - 3) / -math.log(0.8)) / (math.log(2) / 3)


def _disagreements(function: str | tuple[int, ...]) -> int:
    """Training sets on which the fast test and trying every subset do not agree."""
    task = SparseBoolean(n=12, function=function)
    wrong = 0
    for seed, size in itertools.product(range(20), range(6, 17, 2)):
        x = task.bits(seed, "data", size, 0)
        y = task.labels(seed, x)
        fits = 0
        for subset in itertools.combinations(range(12), 3):
            fits += bool((task.table[x[:, list(subset)] @ (1 << np.arange(3))] == y).all())
        wrong += (len(juntas.fitting_subsets(x, y, task.table)) == 1) != (fits == 1)
    return wrong


def figure(table: pl.DataFrame) -> Display:
    return Lines(
        table.filter(pl.col("part").is_in(["bits", "search"])),
        x="x", y="value", line="line", x_scale="log", x_label="length T", y_label="examples",
        title="Examples that a learner of conjunctions needs",
        caption="Conjunctions of 3 out of T bits: the information bound, and the examples after which a single "
        "subset is left, "
        "in the mean and in 4 of 5 training sets, with the estimate ln(3(T-3)/0.223) / 0.231 of the latter. Edelman, "
        "Goel, "
        "Kakade, Zhang 2022, section 4.4 and appendix A.3.1.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    bits: dict[int, float] = dict(table.filter(part="bits").select("x", "value").iter_rows())
    right = all(abs(bits[length] - value) <= 0.00501 for length, value in PUBLISHED.items())
    means = table.filter(line="search, mean").select("x", "value").rows()
    above = min(value - bits[length] for length, value in means)
    off = float((table.filter(part="balance")["value"] - 0.5).abs().max())  # type: ignore[arg-type]
    wrong = float(table.filter(part="checks")["value"].sum())
    allowed = 0.01 if scale == "smoke" else 0.003
    return [
        BITS.judged(right and above >= 0, above, note="value: smallest excess of the search's mean over the bound"),
        BALANCE.judged(off <= allowed and wrong == 0, off, note=f"{wrong:.0f} disagreements"),
    ]


experiment = Experiment(
    name="information",
    title="Examples that any learner needs",
    source="section 4.4, appendix A.3.1",
    claims=(BITS, BALANCE),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
