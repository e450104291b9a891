"""Sparse parity with activation x^k: the maximum margin, and the network that attains it.

Claim   gamma* = k! sqrt(2 (k + 1)^{-(k+1)}) whatever n is, with 2^{k-1} neurons on the k bits alone.
Source  Morwani et al. 2023, Theorem 7.8, appendix D.7.
Output  table `parity-margin`, in parts: `checks` and `margins` (gamma* and the network's margin, by n and k).
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from assay.figures import Display, Lines
from assay.maths.cube import cube
from assay.studies import Claim, Experiment, Judgement
from assay.studies.feature_emergence.checks import PAPER, Checks, judged
from assay.theory.margins import parity_margin, parity_network

CASES = {
    "smoke": ((8, 1), (6, 2), (6, 3), (10, 4)),
    "desk": ((8, 1), (6, 2), (6, 3), (10, 4), (10, 5), (12, 6)),
    "paper": ((8, 1), (6, 2), (6, 3), (10, 4), (10, 5), (12, 6)),
}

MARGIN = Claim(
    id="C11",
    source=f"{PAPER}, Theorem 7.8",
    statement="The maximum normalised margin of the parity of k bits with activation x^k is k! sqrt(2 (k + 1)^-(k + "
    "1)), attained by 2^(k - 1) neurons.",
    kind="theorem",
    criterion={
        "smoke": "(n, k) = (8,1), (6,2), (6,3), (10,4): |margin / gamma* - 1| < 1e-10 on all 2^n inputs",
        "desk": "(n, k) = (8,1), (6,2), (6,3), (10,4), (10,5), (12,6): |margin / gamma* - 1| < 1e-10 on all 2^n inputs",
        "paper": "(n, k) = (8,1), (6,2), (6,3), (10,4), (10,5), (12,6): |margin / gamma* - 1| < 1e-10 on all 2^n "
        "inputs",
    },
)
NEURON = Claim(
    id="C12",
    source=f"{PAPER}, appendix D.7",
    statement="A neuron's expected margin is sqrt(2) k! beta prod_{j in S} u_j, beta its output along (1, -1) / "
    "sqrt(2).",
    kind="theorem",
    criterion="(n, k) = (6,2), (8,3), (10,4), ten random neurons each: relative error < 1e-10 against enumeration",
)
CLAIMS = (MARGIN, NEURON)


def table(runs: None, scale: str) -> pl.DataFrame:
    checks, margins = Checks(), {}
    for n, k in CASES[scale]:
        x, (u, w) = cube(n).astype(float), parity_network(n, k)
        label, output = x[:, :k].prod(axis=1), (x @ u.T) ** k @ w
        margin = label * (output[:, 0] - output[:, 1])
        mass = float(((np.square(u).sum(1) + np.square(w).sum(1)) ** ((k + 1) / 2)).sum())
        checks.add(MARGIN, f"({n},{k})", float(np.abs(margin / mass / parity_margin(k) - 1).max()), 1e-10)
        margins[k] = float(margin.min()) / mass
    rows = [{"k": k, "margin": margins.get(k), "theory": parity_margin(k)} for k in range(1, 9)]
    for n, k in ((6, 2), (8, 3), (10, 4)):
        checks.add(NEURON, f"({n},{k})", _neuron_error(n, k), 1e-10)
    return checks.table(pl.DataFrame(rows, infer_schema_length=None).with_columns(part=pl.lit("margins")))


def _neuron_error(n: int, k: int) -> float:
    x, rng, worst = cube(n).astype(float), np.random.default_rng(n), 0.0
    for _ in range(10):
        u, w = rng.normal(size=n), rng.normal(size=2)
        found = np.mean(x[:, :k].prod(axis=1) * (x @ u) ** k) * (w[0] - w[1])
        formula = math.factorial(k) * u[:k].prod() * (w[0] - w[1])
        worst = max(worst, abs(found / formula - 1))
    return worst


def figure(table: pl.DataFrame) -> Display:
    rows = table.filter(part="margins")
    networks = rows.select("k", "margin", theory=pl.lit(None, pl.Float64), line=pl.lit("network"))
    return Lines(
        pl.concat([networks, rows.select("k", "theory", line=pl.lit("Theorem 7.8"))], how="diagonal_relaxed"),
        x="k",
        y="margin",
        line="line",
        curve="theory",
        x_label="k",
        y_label="normalised margin",
        labels={"network": "network of $2^{k-1}$ neurons"},
        title="The maximum margin of a parity of k bits",
        caption="Line: k! sqrt(2 (k + 1)^-(k + 1)); points: margins over all inputs of the network of Theorem 7.8, "
        "activation x^k, norm L(2,k+1). Morwani et al. 2023, Theorem 7.8.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    return judged(table, CLAIMS)


experiment = Experiment(
    name="parity-margin",
    title="The maximum margin of sparse parity",
    source="Theorem 7.8",
    claims=CLAIMS,
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
