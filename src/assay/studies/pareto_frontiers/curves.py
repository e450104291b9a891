"""Training curves of chosen cells: nets that memorise, that grok, that learn at once, and that do neither.

Claim   close to the frontier a net first memorises its training set and generalises much later.
Source  Edelman et al. 2023, figure 1 (right). Which cells it shows is not in the text; these are one of each kind.
Output  table `curves`, in two parts: `curves` (single runs, median and band of training and held-out error) and
        `trials` (first step with no error on the training set, first with at most 10 % on the held-out sample).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl
from scipy import stats

import assay as ay
from assay.analysis import bands
from assay.figures import Display, TrainingCurves
from assay.studies import Claim, Experiment, Judgement
from assay.studies.pareto_frontiers.settings import together, trial, wilson

CELLS: Mapping[str, tuple[int, int]] = {
    "memorises: r = 100, m = 200": (100, 200),
    "groks: r = 100, m = 400": (100, 400),
    "learns at once: r = 100, m = 6000": (100, 6000),
    "stuck or lucky: r = 10, m = 600": (10, 600),
}
"""Width and examples."""
GROKS = "groks: r = 100, m = 400"
RUNS = {"smoke": 10, "desk": 20, "paper": 50}
BUDGET = 20_000
WHOLE = ay.Solve(accuracy=1.0, sample=10_000, every=200)

GROKKING = Claim(
    id="C7-grokking",
    source="Edelman et al. 2023, figure 1 (right) and section 5",
    statement="At the edge of feasibility nets grok: they fit the training set long before they generalise.",
    kind="experiment",
    criterion="(30,3), r = 100, m = 400: the first step with held-out error <= 10 % is >= 2 times that with training "
    "error 0 in most runs (never counts as later), sign test p < 0.05; at m = 6000 in no run",
)


def sweep(scale: str) -> ay.Sweep:
    record = ay.Record(measures=("train/error", "eval/error"), every=100)
    cells = [trial(30, 3, width=r, samples=m, budget=BUDGET) for r, m in CELLS.values()]
    return together(ay.Sweep(cell.replace(solve=WHOLE, record=record), ay.seeds(RUNS[scale])) for cell in cells)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    place = pl.DataFrame(
        [(name, r, m) for name, (r, m) in CELLS.items()], schema=["cell", "net.width", "data.samples"], orient="row"
    )
    trials = runs.frame.join(place, on=["net.width", "data.samples"]).select("trial", "cell", "outcome", "step")
    curves = runs.curves.join(trials.select("trial", "cell"), on="trial")
    order = pl.Enum(list(CELLS))
    drawn = bands.examples_and_band(curves, ["train/error", "eval/error"], by=["cell"], examples=5)
    for name, reached in (
        ("fitted", pl.col("train/error") == 0),
        ("generalised", pl.col("eval/error") <= 0.1),
    ):
        first = curves.filter(reached).group_by("trial").agg(pl.col("step").min().alias(name))
        trials = trials.join(first, on="trial", how="left", maintain_order="left")
    return pl.concat(
        [
            drawn.sort(pl.col("cell").cast(order), maintain_order=True).with_columns(part=pl.lit("curves")),
            trials.sort(pl.col("cell").cast(order), maintain_order=True).with_columns(part=pl.lit("trials")),
        ],
        how="diagonal_relaxed",
    )


def figure(table: pl.DataFrame) -> Display:
    return TrainingCurves(
        table.filter(part="curves").with_columns(chance=pl.lit(0.5)),
        panel="cell",
        columns=2,
        y_label="error",
        labels={"train/error": "training error", "eval/error": "held-out error"},
        title="Memorising, grokking, learning: parities of 3 out of 30 bits",
        caption="Error on the m training examples and on 10,000 held-out ones against the steps of SGD: single runs "
        "(thin), median and 10-90 % band; nets of width r. Runs end when all held-out answers are right. Edelman et "
        "al. 2023, figure 1 (right).",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    late = {name: _late(table.filter(part="trials", cell=name)) for name in CELLS}
    groks, of = sum(late[GROKS]), len(late[GROKS])
    p = stats.binomtest(groks, of, alternative="greater").pvalue
    early = sum(late["learns at once: r = 100, m = 6000"])
    note = f"value: fraction of runs that generalise late; sign test p = {p:.1g}; {early} such runs at m = 6000"
    return [GROKKING.judged(p < 0.05 and early == 0, groks / of, wilson(groks, of), note)]


def _late(trials: pl.DataFrame) -> list[bool]:
    """Which runs fit the training set in less than half the steps that generalising takes them."""
    return [
        fitted is not None and (generalised or math.inf) >= 2 * fitted
        for fitted, generalised in trials.select("fitted", "generalised").iter_rows()
    ]


experiment = Experiment(
    name="curves",
    title="Training curves: memorising and grokking",
    source="figure 1 (right)",
    claims=(GROKKING,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
