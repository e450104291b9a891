"""Coarse scaling laws: how the solve times of every setting grow from n = 10 to n = 30.

Claim   10th percentiles are at most c (n - 9)^alpha with small constants c and alpha.
Source  Barak et al. 2022, section 3 (robust space), figure 9 and appendix D.2: c is the 10th percentile at n = 10 and
        alpha the smallest exponent with which the bound holds at n = 20 and 30, each n at its best learning rate. The
        figure's numbers are not in the text. Cells are left out where at some n too few runs succeed for a percentile.
Output  table `coarse-scaling`, in parts: `laws` (c and alpha of each setting, k and batch size) and `cells` (the
        percentiles behind them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

import assay as ay
from assay.figures import Display, HeatTable
from assay.figures.style import DOUBLE
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.convergence_table import NARROW, NEURONS
from assay.studies.hidden_progress.grid import RATES, Block, best, ordered, sweeps, times, together
from assay.studies.hidden_progress.published import BATCHES
from assay.studies.hidden_progress.settings import NAMES, NETS

SIZES = (10, 20, 30)
BLOCKS: Mapping[str, Sequence[Block]] = {
    "smoke": (Block(settings=NEURONS, n=SIZES, k=(2, 3), batches=(128,), rates=RATES[:2], budget=1000),),
    "desk": (Block(settings=NARROW, n=SIZES, batches=(32,), rates=RATES[:3], budget=10_000),),
    "paper": (Block(n=SIZES, batches=BATCHES),),
}

SMALL_CONSTANTS = Claim(
    id="E1-scaling",
    source="Barak et al. 2022, section 3 and figure 9",
    statement="Solve times are at most c (n - 9)^alpha, with an exponent that does not exceed k.",
    kind="experiment",
    criterion={
        scale: f"{which}, best rate, restricted: alpha <= k in >= 95 % of the cells of (i)-(xv), which all have a "
        "percentile at n = 10, 20, 30 but 5 %"
        for scale, which in {
            "smoke": "(xi), (xiv), (xv), k = 2, 3, B = 128",
            "desk": "all but (iii) and (vi), k = 2, 3, 4, B = 32",
            "paper": "k = 2, 3, 4, B = 1, 4, 32, 128, 1024",
        }.items()
    },
)


def sweep(scale: str) -> ay.Sweep:
    return together(sweeps(BLOCKS[scale]).values())


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    cells = best(times(runs, sweeps(BLOCKS[scale])), "restricted").sort("task.k", "batch", "task.n")
    return pl.concat(
        [laws(cells).with_columns(part=pl.lit("laws")), ordered(cells).with_columns(part=pl.lit("cells"))],
        how="diagonal_relaxed",
    )


def laws(cells: pl.DataFrame) -> pl.DataFrame:
    """c = t(10) and alpha = max over n > 10 of ln(t(n) / c) / ln(n - 9); null where some t(n) is infinite."""
    first = pl.col("q10").filter(pl.col("task.n") == SIZES[0]).first()
    slopes = (pl.col("q10") / first).log() / (pl.col("task.n") - (SIZES[0] - 1)).log()
    whole = pl.col("q10").null_count() == 0
    found = cells.group_by("setting", "task.k", "batch", maintain_order=True).agg(
        c=pl.when(whole).then(first),
        alpha=pl.when(whole).then(slopes.filter(pl.col("task.n") > SIZES[0]).max()),
        solved_fraction=pl.col("solved_fraction").min(),
    )
    return ordered(found)


def figure(table: pl.DataFrame) -> Display:
    shown = ordered(table.filter(part="laws").sort("batch"), "task.k")
    words = pl.format("{}\n{}", pl.col("alpha").cast(pl.Decimal(10, 2)), pl.col("c").round().cast(pl.Int64))
    return HeatTable(
        shown.with_columns(text=words),
        panel="task.k",
        columns=3,
        row="setting",
        column="batch",
        value="alpha",
        centre=None,
        scale="linear",
        bar="exponent alpha",
        labels={**NAMES, "task.k": "k", "batch": "batch size B"},
        size=(DOUBLE, 1.3 + 0.28 * shown["setting"].n_unique()),
        title="Coarse scaling of the solve times with n",
        caption="Above the exponent alpha, below it c: the 10th percentile of 25 runs at the best learning rate is c "
        "at n = 10 and at most c (n - 9)^alpha at n = 20 and 30. A dash: too few runs succeed. Barak et al. 2022, "
        "figure 9.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(pl.col("part") == "laws", pl.col("setting").is_in(list(NETS)))
    found = rows.drop_nulls("alpha")
    small = float((found["alpha"] <= found["task.k"]).to_numpy().mean())
    ratios = (found["alpha"] / found["task.k"]).to_numpy()
    return [
        SMALL_CONSTANTS.judged(
            small >= 0.95 and found.height >= 0.95 * rows.height,
            float(np.median(ratios)),
            (float(ratios.min()), float(ratios.max())),
            note=f"value: median of alpha / k, interval: smallest and largest; {found.height} of {rows.height} cells "
            f"have one; c between {found['c'].min():.0f} and {found['c'].max():.0f}",
        )
    ]


experiment = Experiment(
    name="coarse-scaling",
    title="Coarse scaling with n",
    source="figure 9",
    claims=(SMALL_CONSTANTS,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="cells",
)
