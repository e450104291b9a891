"""One panel of the frontier, whole: (50,3) with the published sizes, steps and number of runs.

Claim   the success frontier of a single parity: monotone in the width, lowered by sparse weights, with examples traded
        for steps along it.
Source  Edelman et al. 2023, figure 4, the panels (50,3), dense and sparse; widths 30,000 and 100,000 are left out. Its
        runs are those of `frontier` at the same scale (a part of them, below the paper's scale too).
Output  table `panel`, in five parts: `cells` (fraction solved and median steps), `boundary` (m_50 of each width),
        `widths` and `sizes` (largest fall of the fraction along r at each m, and along m at each r, with the p-value of
        the likelihood-ratio test against never falling), `trade` (rank correlation of solve time and m near m_50).
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

import assay as ay
from assay.analysis import correlate, survival
from assay.analysis.boundary import crossings
from assay.analysis.trend import departure, trend
from assay.figures import Display
from assay.studies import Claim, Experiment, Judgement
from assay.studies.pareto_frontiers.frontier import (
    PANELS,
    Panel,
    heat_table,
    largest_falls,
    rank_correlation,
    sparse_against_dense,
)
from assay.studies.pareto_frontiers.settings import CELL, ONLINE, SIZES, WIDTHS, cells

PANEL: Mapping[str, Panel] = {
    "smoke": PANELS["smoke"][0],  # (30,3)
    "desk": PANELS["desk"][2],  # (50,3)
    "paper": Panel(n=50, k=3, widths=WIDTHS[:6], sizes=(*SIZES, ONLINE), runs=50, budget=100_000),
}
NEAR = 10**0.5
"""Cells within this factor of m_50 lie near the frontier."""
STEEP = {"smoke": (0.1, 0.9), "desk": (0.1, 0.9), "paper": (0.02, 0.98)}

_SOURCE = "Edelman et al. 2023, figure 4, (50,3)"
FRONTIER = Claim(
    id="C1-panel",
    source=_SOURCE,
    statement="The frontier of one parity: the wider the net, the fewer examples half of the runs need.",
    kind="experiment",
    criterion="rank correlation of m_50 with r < -0.8, dense and sparse",
)
FEW_EXAMPLES = Claim(
    id="C2-panel",
    source=_SOURCE,
    statement="Every run of some net generalises from a fortieth of n^k examples or fewer.",
    kind="experiment",
    criterion="dense: some width is solved in 100 % at some m <= n^k / 40",
)
WIDER = Claim(
    id="C3-panel",
    source=_SOURCE,
    statement="At no number of examples is a wider net solved less often, beyond the error of counting.",
    kind="experiment",
    criterion="no fraction falls below that of the next smaller width by more than 2 binomial standard errors of the "
    "difference",
)
TESTED = Claim(
    id="C3-panel-test",
    source=_SOURCE,
    statement="Success does not fall with the width, tested at all numbers of examples together.",
    kind="experiment",
    criterion="likelihood-ratio test against never falling in r at each m: smallest p >= 0.05 / number of tests; score "
    "test of a positive slope in log r within each m: p < 0.05, dense and sparse",
)
ZERO_TO_ONE = Claim(
    id="C4-panel",
    source=_SOURCE,
    statement="At some number of examples width alone takes success from none to all runs.",
    kind="experiment",
    criterion={
        scale: f"some m with a smallest fraction <= {low} and a largest >= {high} over the widths"
        for scale, (low, high) in STEEP.items()
    },
)
SPARSE = Claim(
    id="C5-panel",
    source=_SOURCE,
    statement="Nets of the same width are solved more often from sparse initial weights than from dense ones.",
    kind="experiment",
    criterion="score test of sparse against dense within each cell of width and examples: p < 0.05",
)
TRADE = Claim(
    id="C7-panel",
    source="Edelman et al. 2023, figure 2 (right), at (50,3)",
    statement="Near its frontier every width learns the later, the fewer examples there are.",
    kind="experiment",
    criterion="rank correlation of solve time and m < 0, p < 0.05, at each width and initialisation with an m_50, over "
    "the m within a factor 10^0.5 of it",
)
FRESH = Claim(
    id="C9-panel",
    source=f"{_SOURCE}, right-most column",
    statement="With fresh examples all dense nets of width 100 and more learn.",
    kind="experiment",
    criterion="r >= 100, dense: solved in 100 %",
)


def sweep(scale: str) -> ay.Sweep:
    return PANEL[scale].sweep()


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    frame = cells(runs.frame)
    counted = survival.summary(frame, by=CELL, quantiles=(0.5,))
    offline = counted.filter(pl.col("samples") != ONLINE)
    boundary = crossings(offline, "samples", by=CELL[:-1])
    # fresh examples are more than any training set: the last point along m
    last = counted.with_columns(seen=pl.col("samples").replace(ONLINE, 2**31))
    near = frame.with_columns(survival.solve_time()).join(boundary.drop_nulls("crossing"), on=CELL[:-1])
    near = near.filter((pl.col("samples") / pl.col("crossing")).log().abs() <= pl.lit(NEAR).log())
    parts = {
        "cells": counted,
        "boundary": boundary,
        "widths": _departures(offline, "width", ["init", "samples"]),
        "sizes": _departures(last, "seen", ["init", "width"]),
        "trade": correlate.spearman(near, "samples", "solve_time", by=["init", "width"]),
    }
    return pl.concat([rows.with_columns(part=pl.lit(name)) for name, rows in parts.items()], how="diagonal_relaxed")


def _departures(counted: pl.DataFrame, x: str, by: list[str]) -> pl.DataFrame:
    """The test against never falling along x, for each slice."""
    rows = []
    for key, part in counted.group_by(by, maintain_order=True):
        found = departure(part, x)
        rows.append(dict(zip(by, key, strict=True)) | {"drop": found.drop, "p": found.p})
    return pl.DataFrame(rows)


def figure(table: pl.DataFrame) -> Display:
    rows = table.filter(part="cells")
    n, k, runs = rows.select("bits", "k", "n").row(0)
    return heat_table(
        rows,
        columns=1,
        title=f"One panel of the frontier: ({n}, {k})",
        caption=f"Percentage of {runs} runs that answer 90 % of the held-out sample within the budget (check mark: "
        "all), for nets of width r (rows) trained on m examples (columns; fresh: new ones at every step), dense or "
        "2-sparse initial weights. Edelman et al. 2023, figure 4.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    parts = {str(name): rows for (name,), rows in table.group_by("part")}
    rows, boundary = parts["cells"], parts["boundary"]
    offline = rows.filter(pl.col("samples") != ONLINE)
    correlations = {init: rank_correlation(boundary.filter(init=init)) for init in ("dense", "sparse")}
    few = pl.col("samples") <= pl.col("bits") ** pl.col("k") / 40
    best = offline.filter(few, init="dense").sort("solved_fraction", -pl.col("samples")).row(-1, named=True)
    falls = largest_falls(offline)
    beyond = falls.filter(pl.col("errors") > 2)
    tests = parts["widths"]
    growth = [trend(offline.filter(init=init), "width", ["samples"]) for init in ("dense", "sparse")]
    least = min(tests["p"])
    low, high = STEEP[scale]
    slices = offline.group_by("init", "samples").agg(low=pl.min("solved_fraction"), high=pl.max("solved_fraction"))
    steep = slices.filter((pl.col("low") <= low) & (pl.col("high") >= high)).height
    area = {init: rows.filter(pl.col("solved_fraction") >= 0.5, init=init).height for init in ("dense", "sparse")}
    of_init = sparse_against_dense(rows)
    trade = parts["trade"].sort("rho", nulls_last=True)
    weakest = trade.row(-1, named=True)
    falling = trade.filter((pl.col("rho") < 0) & (pl.col("p") < 0.05)).height
    online = rows.filter(pl.col("samples") == ONLINE, pl.col("init") == "dense", pl.col("width") >= 100)
    slowest = float(online["solved_fraction"].min())  # type: ignore[arg-type]
    lost = parts["sizes"].filter((pl.col("drop") >= 0.5) & (pl.col("p") < 0.01)).height
    return [
        FRONTIER.judged(
            max(correlations.values()) < -0.8, max(correlations.values()),
            note=f"value: the weaker rank correlation; dense {correlations['dense']:.2f}, sparse "
            f"{correlations['sparse']:.2f}",
        ),
        FEW_EXAMPLES.judged(
            best["solved_fraction"] == 1, best["solved_fraction"],
            note=f"value: largest solved fraction there, at m = {best['samples']}, r = {best['width']}",
        ),
        WIDER.judged(
            beyond.height == 0, beyond.height,
            note=f"value: falls beyond 2 standard errors, of {falls.height} pairs; largest "
            f"{falls['errors'].max():.1f}; along m {lost} of {parts['sizes'].height} slices fall by >= 0.5, p < 0.01",
        ),
        TESTED.judged(
            least >= 0.05 / tests.height and all(each.p < 0.05 for each in growth), least,
            note=f"value: smallest p of {tests.height} tests; slopes z = "
            + ", ".join(f"{each.z:.1f}" for each in growth) + " (dense, sparse)",
        ),
        ZERO_TO_ONE.judged(steep > 0, steep, note=f"value: such slices, of {slices.height}"),
        SPARSE.judged(
            of_init.p < 0.05, of_init.z,
            note=f"value: z of the test, p = {of_init.p:.1g}; solved in >= 50 %: {area['dense']} cells of "
            f"{rows.height // 2} from dense, {area['sparse']} from sparse weights",
        ),
        TRADE.judged(
            falling == trade.height, weakest["rho"],
            note=f"value: weakest rank correlation, {weakest['init']}, r = {weakest['width']}; {falling} of "
            f"{trade.height} significantly negative",
        ),
        FRESH.judged(slowest == 1, slowest),
    ]  # fmt: skip


experiment = Experiment(
    name="panel",
    title="One panel of the frontier",
    source="figure 4, (50,3)",
    claims=(FRONTIER, FEW_EXAMPLES, WIDER, TESTED, ZERO_TO_ONE, SPARSE, TRADE, FRESH),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="parities",
)
