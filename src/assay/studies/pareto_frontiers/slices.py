"""Slices of the frontier: success and solve time against the number of examples, one line for each width.

Claim   close to the frontier examples are traded for steps: the fewer there are, the later a net generalises; wider and
        sparser nets need fewer of both.
Source  Edelman et al. 2023, figure 2. Its (n, k), widths and sizes are not given: those here lie around m_50.
Output  table `slices`: one row for each (n, k), initialisation, width and m with the solved fraction and median steps,
        and, in the rows of part `trade`, the rank correlation of solve time and m for each width.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

import assay as ay
from assay.analysis import correlate, survival
from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.pareto_frontiers.frontier import Panel
from assay.studies.pareto_frontiers.settings import CELL, cells, together

PANELS: Mapping[str, tuple[Panel, ...]] = {
    "smoke": (Panel(n=30, k=3, widths=(30, 100, 300), sizes=(400, 600, 800, 1000), runs=20, budget=15_000),),
    "desk": (
        Panel(n=30, k=3, widths=(100,), sizes=(400, 600, 800, 1000), runs=20, budget=15_000),
        Panel(
            n=50, k=3, widths=(30, 100, 300, 1000), sizes=(400, 500, 600, 700, 850, 1000, 1200, 1500, 2000, 3000),
            runs=20, budget=20_000,
        ),
    ),
    "paper": (
        Panel(n=30, k=3, widths=(100,), sizes=(400, 600, 800, 1000), runs=50, budget=15_000),
        Panel(
            n=200, k=3, widths=(100, 300, 1000, 3000, 10_000),
            sizes=(1000, 1200, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 8000, 10_000, 15_000, 20_000), runs=50,
        budget=100_000, ),
    ),
}  # fmt: skip

_SMALL = "(30,3), dense, r = 100: median steps at m = 600 >= 1.5 times those at m = 1000"
TRADE = Claim(
    id="C7",
    source="Edelman et al. 2023, figure 2 (right)",
    statement="Near the frontier examples are traded for steps: the fewer there are, the longer learning takes.",
    kind="experiment",
    criterion={
        "smoke": f"{_SMALL}; rank correlation of solve time and m < 0, p < 0.05",
        "desk": f"{_SMALL}; rank correlation of solve time and m < 0, p < 0.05",
        "paper": f"{_SMALL}; rank correlation of solve time and m < 0, p < 0.05, at (200,3) for every width",
    },
)


def sweep(scale: str) -> ay.Sweep:
    return together(panel.sweep() for panel in PANELS[scale])


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    frame = cells(runs.frame)
    times = survival.summary(frame, by=CELL, quantiles=(0.5,))
    timed = frame.with_columns(survival.solve_time())
    trade = correlate.spearman(timed, "samples", "solve_time", by=CELL[:-1])
    return pl.concat(
        [times.with_columns(part=pl.lit("cells")), trade.with_columns(part=pl.lit("trade"))], how="diagonal_relaxed"
    )


def figure(table: pl.DataFrame) -> Display:
    rows = table.filter(part="cells").sort("bits", "k", "init", "width", "samples")
    widest = rows.group_by("bits").agg(pl.col("width").n_unique()).sort("width", "bits")["bits"][-1]
    drawn = rows.filter(bits=widest).drop("part")
    look: Mapping[str, Any] = {
        "x": "samples",
        "line": "width",
        "panel": "init",
        "columns": 2,
        "x_scale": "log",
        "labels": {"width": "r"},
        "x_label": "examples m",
    }
    timed = drawn.drop_nulls("q50")
    return board(
        Lines(drawn, y="solved_fraction", bars=("solved_low", "solved_high"), y_label="solved", **look),
        Lines(timed, y="q50", bars=("q50_low", "q50_high"), y_label="median steps", y_scale="log", **look),
        columns=1,
        size=(6.8, 5.6),
        title=f"Fewer examples, more steps: parities of {drawn['k'][0]} out of {widest} bits",
        caption="Fraction of solved runs (above; 95 % Wilson intervals) and median solve time (below; bootstrap "
        "intervals; points where half of the runs are solved) against the number of examples, for nets of width r with "
        "dense and with 2-sparse initial weights. Edelman et al. 2023, figure 2.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    small = table.filter(pl.col("bits") == 30, pl.col("init") == "dense", pl.col("width") == 100)
    times = dict(small.filter(part="cells").select("samples", "q50").iter_rows())
    ratio = times[600] / times[1000]
    correlations = table.filter(part="trade").filter(
        (pl.col("bits") == 200) if scale == "paper" else (pl.col("bits") == 30) & (pl.col("init") == "dense")
    )
    falling = bool(((correlations["rho"] < 0) & (correlations["p"] < 0.05)).all())
    weakest = correlations.sort("rho").row(-1, named=True)
    note = f"value: ratio of medians; weakest rank correlation {weakest['rho']:.2f} (r = {weakest['width']}), "
    return [TRADE.judged(ratio >= 1.5 and falling, ratio, note=note + f"p = {weakest['p']:.1g}")]


experiment = Experiment(
    name="slices",
    title="Slices: examples against steps",
    source="figure 2",
    claims=(TRADE,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="parities",
)
