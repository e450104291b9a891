"""Statistical queries: no learner of that kind tells parities apart with much fewer than C(n, k) of them.

Claim   a query of tolerance tau sees at most 1/tau^2 subsets, so that T queries need T / tau^2 >= C(n, k) - 1.
Source  Barak et al. 2022, section 2 and appendix A.1. Queries are functions of input and label, q(x, y); the domain is
        printed without the label, and such queries see nothing. The learners against the oracle are ours: one asks for
        one subset after another, one for the sign of a sum of parities; the bent function attains 1/tau^2.
Output  table `queries`, in parts: `visible` (how many subsets queries see), `needed` (how many queries learners ask of
        an oracle that says as little as it may) and `label` (what queries of the input alone see).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.analysis import frames
from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity.queries import (
    bent_query,
    gradient_query,
    label_part,
    least_queries,
    majority_of_many,
    most_visible,
    one_by_one,
    queries_needed,
    visible,
)

BITS = {"smoke": 10, "desk": 12, "paper": 14}
ORDER = {"smoke": 3, "desk": 4, "paper": 5}
ASKED = 50
TOLERANCES = (0.05, 0.1, 0.2)
DRAWN = (0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.14, 0.2, 0.3)
ASKED_AT = (0.05, 0.07, 0.1, 0.14, 0.2)
"""Tolerances of the oracle."""
BENT, GRADIENT, BOUND = "bent function", "gradient of a neuron, most of 50", "bound"
LEARNERS = {"sum of parities": majority_of_many, "one by one": one_by_one}

FEW_VISIBLE = Claim(
    id="T14",
    source="Barak et al. 2022, section 2 and appendix A.1",
    statement="A statistical query of tolerance tau tells at most 1/tau^2 parities from no signal, so that any learner "
    "asks at least tau^2 (C(n,k) - 1) of them.",
    kind="theorem",
    criterion="n = 12 (smoke: 10, paper: 14): of 50 clipped gradients of neurons at tau = 0.05, 0.1, 0.2 every one "
    "sees <= 1/tau^2 subsets; against an adversarial oracle at k = 4 (smoke: 3, paper: 5) both learners ask >= tau^2 "
    "(C(n,k) - 1) queries",
)
TIGHT = Claim(
    id="T14-tight",
    source="Barak et al. 2022, appendix A.1; the query is not in the paper",
    statement="The bound 1/tau^2 is attained: a bent function sees all 2^n subsets just below tau = 2^(-n/2).",
    kind="theorem",
    criterion="n = 12 (smoke: 10, paper: 14): subsets seen at (1 - 1e-9) 2^(-n/2) = 2^n, and 0 at (1 + 1e-9) 2^(-n/2)",
)
WITHOUT_LABEL = Claim(
    id="T14-printed",
    source="Barak et al. 2022, section 2, as printed",
    statement="The queries from which statistical query algorithms learn parities are functions of the input alone.",
    kind="errata",
    criterion="of 50 random queries q(x) some sees > 0 subsets at tau = 1e-6",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    n, k = BITS[scale], ORDER[scale]
    rng = np.random.default_rng(0)
    asked = [gradient_query(n, rng) for _ in range(ASKED)]
    masks = np.arange(1 << n)
    queries = {GRADIENT: asked, BENT: [bent_query(n)]}
    seen = [
        {"line": name, "tolerance": tolerance, "subsets": max(int(visible(q, masks, tolerance).sum()) for q in those)}
        for name, those in queries.items()
        for tolerance in DRAWN
    ]
    seen += [{"line": BOUND, "tolerance": each, "subsets": min(most_visible(each), 1 << n)} for each in DRAWN]
    edge = 2 ** (-n / 2)
    seen += [
        {"line": f"{BENT}, at its edge", "tolerance": tau, "subsets": int(visible(bent_query(n), masks, tau).sum())}
        for tau in (edge * (1 - 1e-9), edge * (1 + 1e-9))
    ]
    needed = [
        {"line": name, "tolerance": tau, "queries": float(queries_needed(n, k, tau, learner))}
        for name, learner in LEARNERS.items()
        for tau in ASKED_AT
    ]
    needed += [{"line": BOUND, "tolerance": tau, "queries": least_queries(n, k, tau)} for tau in ASKED_AT]
    return frames.parts(
        visible=pl.DataFrame(seen),
        needed=pl.DataFrame(needed).with_columns(n=pl.lit(n), k=pl.lit(k)),
        label=pl.DataFrame({"subsets": [_without_label(n, rng, masks) for _ in range(ASKED)]}),
    )


def _without_label(n: int, rng: np.random.Generator, masks: np.ndarray) -> int:
    values = rng.uniform(-1, 1, 1 << n)
    return int(visible(label_part(values, values), masks, 1e-6).sum())


def figure(table: pl.DataFrame) -> Display:
    seen = table.filter((pl.col("part") == "visible") & pl.col("line").is_in([BOUND, BENT, GRADIENT]))
    needed = table.filter(part="needed").drop("part")
    n, k = needed.select("n", "k").row(0)
    return board(
        Lines(
            seen.select("line", "tolerance", pl.col("subsets").replace(0, None)),
            x="tolerance",
            y="subsets",
            line="line",
            x_scale="log",
            y_scale="log",
            x_label=r"tolerance $\tau$",
            y_label="subsets seen",
            title=f"Subsets that a query sees, of {1 << n:,}",
        ),
        Lines(
            needed.select("line", "tolerance", "queries"),
            x="tolerance",
            y="queries",
            line="line",
            x_scale="log",
            y_scale="log",
            x_label=r"tolerance $\tau$",
            y_label="queries until one subset is left",
            title=f"Queries for an (n, k) = ({n}, {k}) parity",
        ),
        columns=2,
        title="Statistical queries against parities",
        caption="Left: of all subsets of the coordinates, how many a query tells from no signal at a tolerance, and "
        "the bound 1/tau^2 by Parseval. Right: queries that two learners ask of an oracle that answers as if there "
        "were no signal whenever it may, and the bound tau^2 (C(n,k) - 1). Barak et al. 2022, appendix A.1.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    seen, needed = table.filter(part="visible"), table.filter(part="needed")
    asked = seen.filter((pl.col("line") == GRADIENT) & pl.col("tolerance").is_in(TOLERANCES))
    over = max(row["subsets"] * row["tolerance"] ** 2 for row in asked.rows(named=True))
    bound = needed.filter(line=BOUND).select("tolerance", least="queries")
    learners = needed.filter(pl.col("line") != BOUND).join(bound, on="tolerance")
    ratio = float((learners["queries"] / learners["least"]).to_numpy().min())
    below, above = seen.filter(line=f"{BENT}, at its edge").sort("tolerance")["subsets"].to_list()
    blind = max(table.filter(part="label")["subsets"])
    return [
        FEW_VISIBLE.judged(
            over <= 1 + 1e-9 and ratio >= 1,
            ratio,
            note=f"value: fewest queries of a learner over the bound; a gradient sees at most {over:.2f} / tau^2 "
            "subsets",
        ),
        TIGHT.judged(below == 2 ** BITS[scale] and above == 0, below, note="value: subsets seen just below 2^(-n/2)"),
        WITHOUT_LABEL.judged(
            blind > 0, blind, note="value: most subsets that a query sees; E[q(x)] is the same for all"
        ),
    ]


experiment = Experiment(
    name="queries",
    title="Statistical queries against parities",
    source="section 2, appendix A.1",
    claims=(FEW_VISIBLE, TIGHT, WITHOUT_LABEL),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
