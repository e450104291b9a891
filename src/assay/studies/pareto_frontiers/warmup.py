"""The warm-up: searching subsets trades data, time and luck without any gradient.

Claim   exhaustive search needs about k log n examples; a random part of all subsets succeeds in proportion to its size.
Source  Edelman et al. 2023, section 3.2.
Output  table `warmup`, in two parts: `exhaustive` (success against m) and `partial` (success against the share of
        subsets looked at, with its 95 % interval).
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from scipy import stats

from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.theory.frontiers.warmup import search

N, K = 20, 3
TRIALS = {"smoke": 100, "desk": 400, "paper": 2000}
SAMPLES = (4, 8, 12, 16, 24, 32, 40, 52)
SHARES = (0.05, 0.1, 0.2, 0.4, 0.8)
ENOUGH = math.ceil(4 * K * math.log2(N))

SEARCH = Claim(
    id="T2",
    source="Edelman et al. 2023, section 3.2",
    statement="Exhaustive search over subsets learns from about k log n examples, and a random part of them succeeds "
    "in proportion to its size.",
    kind="theorem",
    criterion=f"(20,3): success >= 0.99 at m = 4 k log2 n = {ENOUGH}; with a share q of all subsets success within 3 "
    "standard errors of q for q = 0.05, 0.1, 0.2, 0.4, 0.8",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    rng, trials = np.random.default_rng(2), TRIALS[scale]
    rows = []
    for m in (*SAMPLES, ENOUGH) if ENOUGH not in SAMPLES else SAMPLES:
        rows.append(_row("exhaustive", m, 1.0, sum(search(N, K, m, rng)[0] for _ in range(trials)), trials))
    for share in SHARES:
        queries = round(share * math.comb(N, K))
        found = sum(search(N, K, ENOUGH, rng, queries)[0] for _ in range(trials))
        rows.append(_row("partial", ENOUGH, queries / math.comb(N, K), found, trials))
    return pl.DataFrame(rows)


def _row(part: str, samples: int, share: float, found: int, trials: int) -> dict[str, object]:
    interval = stats.binomtest(found, trials).proportion_ci(method="wilson")
    row = {"part": part, "samples": samples, "share": share, "trials": trials, "success": found / trials}
    return row | {
        "low": interval.low,
        "high": interval.high,
        "law": share if part == "partial" else None,
        "line": "search",
    }


def figure(table: pl.DataFrame) -> Display:
    rows = table.drop("part")
    exhaustive, partial = (rows.filter(table["part"] == part) for part in ("exhaustive", "partial"))
    return board(
        Lines(
            exhaustive, x="samples", y="success", line="line", bars=("low", "high"), x_label="examples m",
            y_label="success", title="All subsets",
        ),
        Lines(
            partial, x="share", y="success", line="line", bars=("low", "high"), curve="law",
            x_label="share of the subsets", y_label="success", title="A part of them",
        ),
        title="Searching the subsets of 3 out of 20 bits",
        caption="Fraction of searches that return the hidden subset: of all subsets against the number of examples, "
        f"and of a random part of them with {ENOUGH} examples; bars are 95 % Wilson intervals, the line success = "
        "share. Edelman et al. 2023, section 3.2.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    exhaustive = dict(table.filter(part="exhaustive").select("samples", "success").iter_rows())
    partial = table.filter(part="partial").with_columns(
        error=(pl.col("success") - pl.col("share")).abs()
        / (pl.col("share") * (1 - pl.col("share")) / pl.col("trials")).sqrt()
    )
    worst = float(max(partial["error"]))
    reached = exhaustive[ENOUGH]
    note = f"value: success at m = {ENOUGH}; largest deviation of a part {worst:.1f} standard errors"
    return [SEARCH.judged(reached >= 0.99 and worst <= 3, reached, note=note)]


experiment = Experiment(
    name="warmup",
    title="Searching subsets",
    source="section 3.2",
    claims=(SEARCH,),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
