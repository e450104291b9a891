"""Searching the frontier instead of gridding it: sequential level-set estimation of m_50 for each width.

Claim   the search finds the frontier of the grid at a fifth of its runs.
Source  Ours, beyond Edelman et al. 2023, whose figure 4 spends most of 200,000 runs where the answer is plain. The
        three problems were held back: the search was made and its numbers set without them.
Output  table `adaptive`: one row for each problem, width and method (`grid`, `search`) with m_50, its 95 % interval and
        the runs that it took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import survival
from assay.analysis.boundary import crossings
from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.studies.pareto_frontiers.settings import cells, together, trial

PROBLEMS: Mapping[str, tuple[int, int, str, float]] = {
    "(20,4), dense": (20, 4, "dense", 0.01),
    "(40,3), sparse": (40, 3, "sparse", 0.01),
    "(35,3), dense, decay 0.003": (35, 3, "dense", 0.003),
}
"""n, k, initialisation, weight decay."""
SCALES: Mapping[str, tuple[Sequence[str], Sequence[int], Sequence[int], int, int]] = {
    # problems, widths, sizes, runs a cell, budget
    "smoke": (("(20,4), dense",), (30, 100), (100, 150, 220, 330, 500, 750, 1100, 1650), 24, 12_000),
    "desk": (tuple(PROBLEMS), (30, 100, 300), (100, 140, 200, 280, 400, 560, 800, 1130, 1600, 2260), 20, 15_000),
    "paper": (
        tuple(PROBLEMS), (10, 30, 100, 300, 1000), (100, 140, 200, 280, 400, 560, 800, 1130, 1600, 2260, 3200), 50,
        100_000,
    ),
}  # fmt: skip
SHARE = 1 / 5

_ASKED = (
    "each 95 % interval of the search overlaps that of the grid and is no wider than a factor 2.5; runs <= 1/5 of the "
    "grid's in every problem"
)
SEARCH = Claim(
    id="A1",
    source="Assay, beyond Edelman et al. 2023, figure 4",
    statement="Sequential search finds the frontier of a full grid at no more than a fifth of its runs.",
    kind="experiment",
    criterion={
        "smoke": f"one held-back problem, two widths: {_ASKED}",
        "desk": f"three held-back problems, three widths: {_ASKED}",
        "paper": f"three held-back problems, five widths: {_ASKED}",
    },
)
WIDEST = 2.5


def _base(problem: str, width: int, scale: str) -> ay.Trial:
    n, k, init, decay = PROBLEMS[problem]
    base = trial(n, k, width=width, samples=SCALES[scale][2][0], init=init, budget=SCALES[scale][4])
    return base.replace(optimiser=ay.SGD(learning_rate=0.1, weight_decay=decay))


def search(problem: str, scale: str) -> ay.LevelSearch:
    """Over the range of the grid, at most a fifth of its runs."""
    _, widths, sizes, runs, _ = SCALES[scale]
    rows = [_base(problem, width, scale) for width in widths]
    most = int(SHARE * len(sizes) * runs)
    return ay.LevelSearch(rows=rows, path="data.samples", low=sizes[0], high=sizes[-1], most=most, batch=6, ratio=1.4)


def sweep(scale: str) -> ay.Sweep:
    """The grids."""
    problems, widths, sizes, runs, _ = SCALES[scale]
    return together(
        ay.Sweep(_base(problem, width, scale), ay.axis("data.samples", *sizes), ay.seeds(runs))
        for problem in problems
        for width in widths
    )


def then(runs: ay.Runs, scale: str) -> ay.Sweep | None:
    """The next round of every search."""
    known = ay.outcomes_of(runs.frame)
    rounds = [search(problem, scale).wanted(known) for problem in SCALES[scale][0]]
    asked = [part for part in rounds if part is not None]
    return together(asked) if asked else None


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    problems, widths, _, _, _ = SCALES[scale]
    known, found = ay.outcomes_of(runs.frame), []
    grids = cells(runs.frame.filter(pl.col("seed") < search(problems[0], scale).first_seed))
    of = ["bits", "k", "init", "decay", "width"]
    counted = survival.summary(
        grids.with_columns(decay="optimiser.weight_decay"), by=[*of, "samples"], quantiles=(0.5,)
    )
    edges = crossings(counted, "samples", by=of)
    spent = counted.group_by(of).agg(runs=pl.sum("n"))
    for problem in problems:
        n, k, init, decay = PROBLEMS[problem]
        for width, level in zip(widths, search(problem, scale).found(known), strict=True):
            middle, low, high = level.interval
            row = {"problem": problem, "width": width}
            found.append(row | {"method": "search", "m_50": middle, "low": low, "high": high, "runs": level.runs})
            place = {"bits": n, "k": k, "init": init, "decay": decay, "width": width}
            edge, count = edges.filter(**place).row(0, named=True), spent.filter(**place)["runs"].item()
            ends = {"m_50": edge["crossing"], "low": edge["crossing_low"], "high": edge["crossing_high"]}
            found.append(row | {"method": "grid", "runs": count} | ends)
    return pl.DataFrame(found, infer_schema_length=None)


def figure(table: pl.DataFrame) -> Display:
    aside = pl.col("width") * pl.when(pl.col("method") == "search").then(1.08).otherwise(1 / 1.08)
    return Lines(
        table.drop_nulls(["m_50", "low", "high"]).sort("problem", "method", "width").with_columns(width=aside),
        x="width",
        y="m_50",
        line="method",
        panel="problem",
        bars=("low", "high"),
        x_scale="log",
        y_scale="log",
        x_label="width r",
        y_label=r"examples $m_{50}$",
        title="The frontier by search and by grid",
        caption="The number of examples at which half of the runs are solved, with 95 % intervals, for each width: "
        "from a full grid and from a sequential search with at most a fifth of its runs (drawn beside each other), on "
        "problems that the search was not made on.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    both = table.filter(method="search").join(table.filter(method="grid"), on=["problem", "width"], suffix="_grid")
    overlap = [
        row["m_50_grid"] is not None
        and (row["low_grid"] or 0) <= row["high"]
        and row["low"] <= (row["high_grid"] or np.inf)
        for row in both.iter_rows(named=True)
    ]
    widest = max(both.select(pl.col("high") / pl.col("low")).to_series())
    shares = both.group_by("problem", maintain_order=True).agg(pl.sum("runs"), pl.sum("runs_grid"))
    largest = max(shares.select(pl.col("runs") / pl.col("runs_grid")).to_series())
    words = "; ".join(f"{name}: {few} of {many} runs" for name, few, many in shares.iter_rows())
    note = (
        f"value: largest share of the grid's runs; {words}; {sum(overlap)} of {len(overlap)} intervals overlap; widest "
    )
    holds = all(overlap) and largest <= SHARE and widest <= WIDEST
    return [SEARCH.judged(holds, largest, note=note + f"factor {widest:.2f}")]


experiment = Experiment(
    name="adaptive",
    title="The frontier by search",
    source="beyond figure 4",
    claims=(SEARCH,),
    sweep=sweep,
    then=then,
    table=table,
    figure=figure,
    judge=judge,
)
