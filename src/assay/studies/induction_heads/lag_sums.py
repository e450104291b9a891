"""The second step in closed form: sums over positions, as they are printed and as they are right.

Claim   what the diagonal of W adds to v is given by E.37 for lag 0 and by E.38 for the others, by way of E.36.
Source  Appendix E.1 of Edelman 2024 (dissertation; Edelman et al. 2024). Each of the three equations has a misprint, in
        an index, a factor or a sign; none of them touches the leading orders, so figure E.2 and what follows stand.
Output  table `lag-sums`, in parts: `chains` (relative error of each equation, printed and corrected, for single chains
        against powers of the matrix) and `means` (the mean over all chains at t = 100, by lag).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.figures import Display, Lines
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import claim
from assay.theory.markov.gradient import correlations, full, sampled
from assay.theory.markov.lag_sums import diagonal_gain, pair_probability, pair_probability_exact

CHAINS = ((0.3, 0.9), (0.7, 0.6), (0.1, 0.4))
T, POSITION = 30, 20
LAGS = {"smoke": 10, "desk": 20, "paper": 20}

RIGHT = claim(
    "A9-sums",
    "appendix E.1 (E.36, E.37, E.38)",
    "Corrected, the closed sums of the second step are exact: what the diagonal of W adds to v at every lag.",
    "relative error <= 1e-9 for 3 chains, t = 30, lags 0 to 9; means over all chains at t = 100 within 1e-4 of "
    "5.21595, 6.26641, 4.38626, 4.00612 at lags 0, 1, 2, 9",
    kind="theorem",
)
KNOWN = {0: 5.21595, 1: 6.26641, 2: 4.38626, 9: 4.00612}
PRINTED = {
    name: claim(
        f"A9-{name.lower()}-printed",
        f"appendix E.1 ({name[0]}.{name[1:]})",
        statement,
        f"relative error <= 1e-9 for 3 chains, {lags}",
        kind="errata",
    )
    for name, statement, lags in (
        ("E36", "E.36 as printed, with pi_i, is how often the next symbol and the current one recur a lag apart.",
         "position 20, lags 1 to 9"),
        ("E37", "E.37 as printed is what the diagonal of W adds at lag 0.", "t = 30"),
        ("E38", "E.38 as printed, with lambda - 1 below its second bracket, is what it adds at other lags.",
         "t = 30, lags 1 to 9"),
    )
}  # fmt: skip


def table(runs: None, scale: str) -> pl.DataFrame:
    parts = {"chains": _chains(), "means": _means(LAGS[scale])}
    return pl.concat(
        [pl.DataFrame(rows).with_columns(part=pl.lit(name)) for name, rows in parts.items()], how="diagonal_relaxed"
    )


def _chains() -> list[dict[str, Any]]:
    rows = []
    for a, b in CHAINS:
        exact = np.trace(correlations(sampled(np.array([[[a, 1 - a], [1 - b, b]]])), T), axis1=1, axis2=2)
        for lag in range(10):
            pairs = {"E36": pair_probability_exact(a, b, POSITION, lag + 1)} if lag else {}
            for name, value in (pairs | {"E38" if lag else "E37": float(exact[lag])}).items():
                found = {
                    kind: pair_probability(a, b, POSITION, lag + 1, kind == "printed")
                    if name == "E36"
                    else diagonal_gain(a, b, T, lag + 1, kind == "printed")
                    for kind in ("printed", "corrected")
                }
                errors = {kind: abs(each / value - 1) for kind, each in found.items()}
                rows.append({"a": a, "b": b, "lag": lag, "equation": name, "exact": value, **errors})
    return rows


def _means(count: int) -> list[dict[str, Any]]:
    prior = full(40)
    exact = np.trace(correlations(prior, 100), axis1=1, axis2=2)

    def mean(lag: int, printed: bool) -> float:
        gains = [diagonal_gain(chain[0, 0], chain[1, 1], 100, lag + 1, printed) for chain in prior.chains]
        return float(prior.mean(np.array(gains)))

    return [
        {"lag": lag, "exact": float(exact[lag]), "corrected": mean(lag, False), "printed": mean(lag, True)}
        for lag in range(count)
    ]


def figure(table: pl.DataFrame) -> Display:
    means = table.filter(part="means").select("lag", "exact", "corrected", "printed")
    points = means.unpivot(["corrected", "printed"], index=["lag", "exact"], variable_name="line", value_name="sum")
    exact = pl.when(pl.col("line") == "corrected").then("exact")
    return Lines(
        points.with_columns(exact=exact),
        x="lag",
        y="sum",
        line="line",
        curve="exact",
        x_label="lag",
        y_label="gradient in v from W = I",
        labels={"corrected": "corrected; line: exact", "printed": "as printed"},
        title="Closed sums of the second step",
        caption="Minus the gradient in v from W = I, mean over all chains of two states, t = 100: by E.37 (lag 0) and "
        "E.38, corrected and as printed (points), and exactly (line). Edelman et al. 2024, appendix E.1.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    chains = table.filter(part="chains")
    worst = float(chains["corrected"].max())  # type: ignore[arg-type]
    means = dict(table.filter(part="means").select("lag", "corrected").rows())
    near = all(abs(means[lag] - value) <= 1e-4 for lag, value in KNOWN.items())
    printed = dict(table.filter(part="means").select("lag", "printed").rows())
    off = {name: float(chains.filter(equation=name)["printed"].max()) for name in PRINTED}  # type: ignore[arg-type]
    means_printed = f"; mean at lags 0, 1, t = 100: {printed[0]:.4f}, {printed[1]:.4f}"
    words = "value: largest relative error"
    return [
        RIGHT.judged(worst <= 1e-9 and near, worst, None, words),
        *(
            each.judged(off[name] <= 1e-9, off[name], None, words + ("" if name == "E36" else means_printed))
            for name, each in PRINTED.items()
        ),
    ]


experiment = Experiment(
    name="lag-sums",
    title="The second step in closed form",
    source="appendix E.1, equations E.36 to E.38",
    claims=(RIGHT, *PRINTED.values()),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
