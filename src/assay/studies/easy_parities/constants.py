"""What the theorem says at sizes that can be run: nothing, and how large they would have to be.

Claims  the bound of theorem 3 is vacuous for every feasible net; the sizes of corollary 4, printed and corrected.
Source  Daniely and Malach 2020, theorem 3 and corollary 4, O(.) and Theta(.) taken as 1. With q = k^16 log(k/delta)/eps
        as printed, k^8/sqrt q is sqrt(eps/log): it takes 1/eps^2.
Output  table `constants`, in two parts: `terms` (the four terms for n, k, q, T that can be run) and `corollary` (n, q,
T
        for each eps, printed and corrected, with the largest term over eps).
"""

from __future__ import annotations

import math

import polars as pl

from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.studies.easy_parities.settings import SOURCE
from assay.theory.easy_parity.constants import TERMS, loss_terms, sizes

FEASIBLE = TERMS[:3]
"""Those of q and n; the fourth is small where T is large."""
STEPS = 10_000

VACUOUS = Claim(
    id="DM8",
    source=f"{SOURCE}, theorem 3",
    statement="At every size that can be run the theorem's bound is above 1, the loss of the answer 0.",
    kind="theorem",
    criterion="n <= 1001, k = 3, 5, 7, q = 16, ..., 4096: each of k^10/q, k^8/sqrt q and qk/sqrt n > 1",
)
COROLLARY = Claim(
    id="DM8-corollary",
    source=f"{SOURCE}, corollary 4, corrected",
    statement="Sizes polynomial in 1/eps bring the bound down to eps.",
    kind="theorem",
    criterion="k = 7, delta = 0.1, q = k^16 L/eps^2, T = k^10 L/eps^2, n = k^34 L^2/eps^6, L = log(k/delta), eps = "
    "1e-1 to 1e-8: every term <= 2 eps",
)
PRINTED = Claim(
    id="DM8-corollary-printed",
    source=f"{SOURCE}, proof of corollary 4, as printed",
    statement="q = k^16 L/eps, T = k^10 L/eps^2 and n = k^34 L/eps^4 bring the bound down to eps.",
    kind="errata",
    criterion="the same k, delta and eps: every term <= 2 eps",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    terms = [
        {"part": "terms", "n": n, "k": k, "q": q, "steps": STEPS, "term": term, "value": value}
        for n in (11, 101, 1001) for k in (3, 5, 7) for q in (16, 64, 256, 1024, 4096)
        for term, value in loss_terms(n, k, q, STEPS).items()
    ]  # fmt: skip
    corollary = []
    for corrected in (True, False):
        for power in range(1, 9):
            n, q, steps = sizes(7, 10.0**-power, corrected=corrected)
            largest = max(loss_terms(n, 7, q, steps).values()) * 10.0**power
            corollary.append(
                {"part": "corollary", "which": "corrected" if corrected else "printed", "eps": 10.0**-power,
                 "log10_n": math.log10(n), "log10_q": math.log10(q), "log10_T": math.log10(steps), "largest": largest}
            )  # fmt: skip
    return pl.concat([pl.DataFrame(terms), pl.DataFrame(corollary)], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    return Lines(
        table.filter(pl.col("part") == "terms", pl.col("n") == 1001),
        panel="k",
        columns=3,
        x="q",
        y="value",
        line="term",
        x_scale="log",
        y_scale="log",
        x_label="q, half the number of neurons",
        y_label="term of the bound on the loss",
        labels={"k^10/q": "$k^{10}/q$", "k^8/sqrt(q)": "$k^8/\\sqrt{q}$", "qk/sqrt(n)": "$qk/\\sqrt{n}$",
                "k^2 sqrt(q)/T": "$k^2\\sqrt{q}/T$"},
        title="The theorem's bound at sizes that can be run",
        caption=f"The four terms of the bound on the hinge loss, without their constants, at n = 1001 and T = "
        f"{STEPS:,}. A loss of 1 is that of the answer 0. Daniely and Malach 2020, theorem 3.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    feasible = table.filter(pl.col("part") == "terms", pl.col("term").is_in(FEASIBLE))
    least = float(feasible["value"].to_numpy().min())
    largest = {
        which: float(table.filter(part="corollary", which=which)["largest"].to_numpy().max())
        for which in ("corrected", "printed")
    }
    return [
        VACUOUS.judged(least > 1, least, None, "value: smallest of the three terms; k = 7 needs q > 7^16 = 3.3e13"),
        COROLLARY.judged(largest["corrected"] <= 2, largest["corrected"], None, "value: largest term over eps"),
        PRINTED.judged(largest["printed"] <= 2, largest["printed"], None, "value: largest term over eps"),
    ]


experiment = Experiment(
    name="constants",
    title="What the constants come to",
    source="theorem 3, corollary 4",
    claims=(VACUOUS, COROLLARY, PRINTED),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
