"""The second step of gradient descent on the minimal model raises lag 1, and with it the odd lags.

Claim   after a step that raises the diagonal of W, the next one raises lag 1 of v most, if the rate is large enough for
        the context; without a signal in the counts of symbols there is nothing else to learn.
Source  Edelman et al. 2024, lemma E.1, figure E.2, corollary E.2, propositions 8.5 and E.3 of the dissertation; k = 2,
        every hinge active, gradients over all chains. The condition on the rate is not printed; E.45 and E.49 have the
        wrong sign. Proposition 8.5 needs weight decay on v as well and a small start of W, and holds coordinate by
        coordinate: the other lags are O(1/t) each, but there are t of them.
Output  table `second-step`, in parts: `lags` (v after two steps, and the part that the diagonal makes), `threshold`
        (the rate from which on lag 1 wins, by t), `balanced` (the gradient where a = b), `gains` (the constants Q by
        lag) and `curriculum` (the two steps of proposition 8.5, by the width eps of the second prior).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.figures import Bars, Display, Lines, board
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import claim
from assay.theory.markov import steps
from assay.theory.markov.gradient import Weights, balanced, correlations, full

SECOND = (0.034890, 0.035913, 0.033593, 0.034184, 0.033080, 0.033278, 0.032573, 0.032591, 0.032065, 0.031991)
DIAGONAL = (0.005952, 0.007151, 0.005005, 0.005769, 0.004835, 0.005201, 0.004663, 0.004846, 0.004484, 0.004571)
"""Lags 0 to 9 after two steps at c = 0.02, eta = 0.03, t = 100, and what of the second is due to the diagonal."""
THRESHOLDS = {"smoke": (50, 100), "desk": (50, 100, 200), "paper": (50, 100, 200, 400)}
BALANCED = {20: (1.6720, 0.39948), 100: (16.0154, 0.74331), 400: (95.634, 1.07329)}
"""t -> -dL/dW on the diagonal and -dL/dv of lag 0 where a = b."""
CONTEXT = {"smoke": 400, "desk": 400, "paper": 1600}
WIDTHS = {"smoke": (0.1,), "desk": (0.02, 0.05, 0.1, 0.25, 0.4), "paper": (0.02, 0.05, 0.1, 0.25, 0.4)}

FIGURE_2 = claim(
    "A9-second",
    "figure E.2",
    "What the diagonal of W adds to v in the second step is largest at lag 1, and larger at odd lags than beside them.",
    "lags 0 to 9 within 1 % of the known values, for this part and for v itself",
    kind="theorem",
)
SECOND_LAG = claim(
    "A10",
    "lemma E.1",
    "After two steps lag 1 of v is the largest, and odd lags are above even ones; this asks for a rate above about "
    "3500 / t^3.",
    "c = 0.02, eta = 0.03, t = 100: largest at lag 1; v of lags 1 > 0 > 3 > 2 > 5 > 4; threshold of eta t^3 within "
    "3400 to "
    "3800 at every t",
    kind="theorem",
)
ANY_RATE = claim(
    "A10-printed",
    "lemma E.1",
    "After two steps at any common rate lag 1 of v is the largest.",
    "t = 100, eta = 0.001: largest at lag 1",
    kind="errata",
)
NO_SIGNAL = claim(
    "A11",
    "corollary E.2",
    "Where a = b the first step leaves the rest of W alone, its diagonal grows like t ln t, and v rises at every lag "
    "but the last, which sees one symbol.",
    "off the diagonal <= 1e-10; diagonal and v of lag 0 within 1e-3 of the known values, v > 0 but at the last lag, "
    "at t = 20, 100, 400",
    kind="theorem",
)
NO_SIGNAL_PRINTED = claim(
    "A11-printed",
    "corollary E.2 (E.45, E.49)",
    "Where a = b the first step lowers v at every lag.",
    "-dL/dv < 0 at lag 0 for t = 20, 100, 400",
    kind="errata",
)
_COORDINATE = "eps = 0.1: lag 1 >= 20 times every other; W off over on the diagonal <= 1e-3; v of lag 3 over lag 1 "
_COORDINATE += "within "
CURRICULUM = claim(
    "A12",
    "propositions 8.5 and E.3",
    "With easy chains last two steps reach the bigram solution, coordinate by coordinate: W is a multiple of I, lag "
    "1 of "
    "v is of order eps^2, and what follows is of order eps^4 less.",
    {
        "smoke": f"t = 400, W = 0, alpha = 50; {_COORDINATE}40 % of 2.4 eps^2",
        "desk": f"t = 400, W = 0, alpha = 50; {_COORDINATE}40 % of 2.4 eps^2",
        "paper": f"t = 1600, W = 0, alpha = 50; {_COORDINATE}10 % of 2.4 eps^2; slope of log(W v) of lag 1 against "
        f"log eps "
        "over 0.02, 0.05, 0.1 within 4 +- 0.1",
    },
    kind="theorem",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    parts = {
        "lags": _lags(),
        "threshold": [_threshold(t) for t in THRESHOLDS[scale]],
        "balanced": _balanced(),
        "gains": [{"lag": i, "value": float(value)} for i, value in enumerate(steps.lag_gains(full(100), 12))],
        "curriculum": _curriculum(scale),
    }
    return pl.concat(
        [pl.DataFrame(rows).with_columns(part=pl.lit(name)) for name, rows in parts.items()], how="diagonal_relaxed"
    )


def _threshold(t: int) -> dict[str, Any]:
    rate = steps.threshold_rate(t, full(40))
    return {"t": t, "rate": rate, "value": rate * t**3}


def _lags() -> list[dict[str, Any]]:
    found = steps.two_steps(100, 0.02, 0.03, full(40))
    slow = steps.two_steps(100, 0.02, 0.001, full(40))
    return [
        {"lag": i, "value": float(found.second.lags[i]), "first": float(found.first.lags[i])}
        | {"diagonal": float(found.diagonal_part[i]), "slow": float(slow.second.lags[i])}
        for i in range(20)
    ]


def _balanced() -> list[dict[str, Any]]:
    rows = []
    for t, (same, lag) in BALANCED.items():
        up = Weights.constant(1.0, 1.0, t).ascent(correlations(balanced(nodes=240), t))
        rows.append(
            {"t": t, "same": float(up.match[0, 0]), "other": float(np.abs(up.match[0, 1])), "value": float(up.lags[0])}
            | {"lowest": float(up.lags[:-1].min()), "known_same": same, "known": lag}
        )
    return rows


def _curriculum(scale: str) -> list[dict[str, Any]]:
    rows = []
    for eps in WIDTHS[scale]:
        first, second = steps.curriculum(CONTEXT[scale], eps, alpha=50.0, beta=1.0, match=0.0, lags=0.02)
        lags = second.lags
        rest = np.abs(np.delete(lags, 1))
        rows.append(
            {"t": CONTEXT[scale], "eps": eps, "value": float(lags[3] / lags[1]), "known": 2.4 * eps**2}
            | {"lag_1": float(lags[1]), "largest_other": float(rest.max()), "sum_others": float(rest.sum() / lags[1])}
            | {"same": float(second.match[0, 0]), "other": float(np.abs(second.match[0, 1]))}
            | {"product": float(second.match[0, 0] * lags[1]), "first_same": float(first.match[0, 0])}
        )
    return rows


def figure(table: pl.DataFrame) -> Display:
    lags = table.filter(part="lags").select("lag", "value", "diagonal").with_columns(odd=pl.col("lag") % 2 == 1)
    threshold = table.filter(part="threshold").select("t", "rate").with_columns(line=pl.lit("lag 1 wins above"))
    words = {"odd:True": "odd lags", "odd:False": "even lags"}
    return board(
        Bars(lags, x="lag", y="diagonal", flag="odd", labels=words, x_label="lag", title="due to the diagonal of W"),
        Bars(
            lags.filter(pl.col("lag") < 10).with_columns(value=pl.col("value") - 0.03), x="lag", y="value", flag="odd",
            labels=words, x_label="lag", y_label="v - 0.03", title="v after two steps",
        ),
        Lines(
            threshold, x="t", y="rate", line="line", x_scale="log", y_scale="log", x_label="context length t",
            y_label="rate", title="large enough rates",
        ),
        columns=3,
        title="The second step raises lag 1",
        caption="a: what the diagonal of W adds to v in the second step at c = 0.02, eta = 0.03, t = 100. b: v "
        "after it. c: "
        "the rate from which on lag 1 is the largest after two steps. Edelman et al. 2024, figure E.2 and lemma E.1.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    lags = table.filter(part="lags").sort("lag")
    v = lags["value"].to_list()
    off = max(
        float(np.abs(lags["diagonal"].to_numpy()[:10] / np.array(DIAGONAL) - 1).max()),
        float(np.abs(lags["value"].to_numpy()[:10] / np.array(SECOND) - 1).max()),
    )
    threshold = table.filter(part="threshold")
    within = bool(threshold["value"].is_between(3400, 3800).all())
    order = max(v) == v[1] and v[1] > v[0] > v[3] > v[2] > v[5] > v[4]
    slow = lags["slow"].to_list()
    even = table.filter(part="balanced")
    alone = float(even["other"].max())  # type: ignore[arg-type]
    near = bool(((even["same"] / even["known_same"] - 1).abs() < 1e-3).all())
    near &= bool(((even["value"] / even["known"] - 1).abs() < 1e-3).all()) and bool((even["lowest"] > 0).all())
    tenth = table.filter(part="curriculum", eps=0.1).row(0, named=True)
    leads = tenth["lag_1"] / tenth["largest_other"]
    ratio = tenth["value"] / tenth["known"]
    holds = leads >= 20 and tenth["other"] <= 1e-3 * tenth["same"]
    holds &= abs(ratio - 1) <= (0.1 if scale == "paper" else 0.4)
    words = f"value: v of lag 3 over lag 1; 2.4 eps^2 = {tenth['known']:.4f}; lag 1 leads {leads:.0f}-fold; sum of the "
    words += f"others {tenth['sum_others']:.2f} times lag 1"
    if scale == "paper":
        small = table.filter(pl.col("part") == "curriculum", pl.col("eps") <= 0.1)
        slope = float(np.polyfit(np.log(small["eps"].to_numpy()), np.log(small["product"].to_numpy()), 1)[0])
        holds &= abs(slope - 4) <= 0.1
        words += f"; slope {slope:.3f}"
    lowest = float(threshold["value"].min())  # type: ignore[arg-type]
    highest = float(threshold["value"].max())  # type: ignore[arg-type]
    return [
        FIGURE_2.judged(off <= 0.01, off, None, "value: largest relative difference"),
        SECOND_LAG.judged(order and within, highest, (lowest, highest), "value: largest threshold of eta t^3"),
        ANY_RATE.judged(max(slow) == slow[1], slow[1] / slow[0], None, "value: v of lag 1 over lag 0 at eta = 0.001"),
        NO_SIGNAL.judged(alone <= 1e-10 and near, alone, None, "value: largest entry off the diagonal"),
        NO_SIGNAL_PRINTED.judged(
            bool((even["value"] < 0).all()), even["value"].to_list()[0], None, "value: -dL/dv of lag 0 at t = 20"
        ),
        CURRICULUM.judged(holds, tenth["value"], None, words),
    ]


experiment = Experiment(
    name="second-step",
    title="The second step",
    source="lemma E.1, corollary E.2, propositions 8.5 and E.3, figure E.2",
    claims=(FIGURE_2, SECOND_LAG, ANY_RATE, NO_SIGNAL, NO_SIGNAL_PRINTED, CURRICULUM),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
