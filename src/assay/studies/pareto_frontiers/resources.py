"""The price of a parity: parameters, steps, examples and luck, beside the lower bound on their product.

Claim   no net learns with fewer resources than statistical queries allow: parameters x steps x examples / luck exceeds
        C(n,k) / 2.
Source  Edelman et al. 2023, Proposition 3 (called Theorem 3 in the text). Printed with 1/2; what its proof gives is
        1/4, and the bound leaves out factors of log and is against an adversary. The steps of a cell are the solve time
        of its fastest run, its luck the fraction solved; r counts parameters.
Output  table `resources`: one row for each cell of the frontier with solved runs, with both sides of the inequality and
        `slack`, the log10 of their ratio; in part `bound` the m at which the bound is met for each width, for one step
        and for the whole budget; in part `compute` what the published sweep comes to.
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.pareto_frontiers import frontier
from assay.studies.pareto_frontiers.settings import CELL, ONLINE, cells
from assay.theory.frontiers.bound import examples_needed, slack

BOUND = Claim(
    id="C11",
    source="Edelman et al. 2023, Proposition 3",
    statement="Nothing is learnt for less than the bound on the product of parameters, steps and examples over luck.",
    kind="theorem",
    criterion="no cell with solved runs has parameters x steps x examples / solved fraction < C(n,k) / 2; steps are "
    "those of its fastest run",
)
COMPUTE = Claim(
    id="C21",
    source="Edelman et al. 2023, appendix C.4",
    statement="The published sweep is about 200,000 runs and 600 GPU hours, at ten seconds a run.",
    kind="experiment",
    criterion="the sweep of the frontier at paper scale has 194,400 runs; 194,400 x 10 s within 10 % of 600 hours",
)
PUBLISHED_SECONDS, PUBLISHED_HOURS = 10.0, 600.0

sweep = frontier.sweep


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    solved = cells(runs.frame).filter(outcome="solved")
    counted = cells(runs.frame).group_by(CELL).agg(runs=pl.len())
    fastest = (
        solved.group_by(CELL).agg(solved=pl.len(), steps=pl.min("step"), batch=pl.first("batch")).join(counted, CELL)
    )
    rows = []
    for row in fastest.sort(CELL).iter_rows(named=True):
        luck = row["solved"] / row["runs"]
        seen = row["samples"] if row["samples"] != ONLINE else row["batch"] * row["steps"]
        bound = slack(row["bits"], row["k"], row["width"], max(row["steps"], 1), seen, luck)
        rows.append(row | {"luck": luck, "examples": seen, "slack": bound, "part": "cells"})
    budget = max(runs.frame["budget"])
    for bits, k in sorted({(row["bits"], row["k"]) for row in rows}):
        for width in sorted({row["width"] for row in rows}):
            for steps in (1, budget):
                needed = examples_needed(bits, k, width, steps)
                rows.append({"bits": bits, "k": k, "width": width, "steps": steps, "needed": needed, "part": "bound"})
    found = pl.DataFrame([*rows, _compute(runs)], infer_schema_length=None)
    return found.with_columns(parameters=pl.col("width") * (pl.col("bits") + 2) + 1)


def _compute(runs: ay.Runs) -> dict[str, object]:
    """What the sweep at paper scale comes to, and what a run took here."""
    count = len(sweep("paper"))
    hours = count * PUBLISHED_SECONDS / 3600
    return {"part": "compute", "paper_runs": count, "paper_hours": hours, "seconds_a_run": runs.frame["seconds"].mean()}


def figure(table: pl.DataFrame) -> Display:
    parity = pl.format("({}, {})", "bits", "k")
    measured = table.filter(part="cells").with_columns(parity=parity).drop("part")
    least = measured.filter(pl.col("samples") != ONLINE).group_by("parity", "width", maintain_order=True).agg(
        needed=pl.min("examples"), line=pl.lit("fewest examples solved").first()
    )  # fmt: skip
    bound = table.filter(part="bound").with_columns(parity=parity)
    lines = pl.concat(
        [
            least,
            bound.select("parity", "width", "needed", line=pl.format("bound, T = {}", "steps")),
        ],
        how="diagonal_relaxed",
    )
    return board(
        Lines(
            lines.filter(pl.col("needed") > 0).sort("parity", "line", "width"), x="width", y="needed", line="line",
            panel="parity", x_scale="log", y_scale="log", x_label="width r", y_label="examples m", title="In the plane",
        ),
        Lines(
            measured.sort("parity", "width", "slack").group_by("parity", "init", "width", maintain_order=True).first(),
            x="width", y="slack", line="init", panel="parity", x_scale="log", x_label="width r",
            y_label="log10 of product over bound", title="Least slack",
        ),
        columns=1,
        title="What a parity costs, and the least it can cost",
        caption="Above: the fewest examples with which some run is solved, and those that the bound asks for in one "
        "step and in the whole budget. Below: log10 of parameters x steps x examples / luck over C(n,k) / 2 in the "
        "cell of each width where it is smallest. Edelman et al. 2023, Proposition 3.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="cells").sort("slack")
    least = rows.row(0, named=True)
    note = f"value: smallest log10 ratio over {rows.height} cells, at ({least['bits']},{least['k']}), "
    note += f"r = {least['width']}, m = {least['samples'] or 'fresh'}; with the 1/4 of the proof 0.3 more"
    compute = table.filter(part="compute").row(0, named=True)
    close = abs(compute["paper_hours"] - PUBLISHED_HOURS) <= 0.1 * PUBLISHED_HOURS
    words = (
        f"value: hours; {compute['paper_runs']:,} runs; here {compute['seconds_a_run']:.2f} s a run on one core, at "
    )
    return [
        BOUND.judged(least["slack"] >= 0, least["slack"], note=note),
        COMPUTE.judged(
            compute["paper_runs"] == 194_400 and close, compute["paper_hours"], note=f"{words}the sizes of this scale"
        ),
    ]


experiment = Experiment(
    name="resources",
    title="The price of a parity, and its lower bound",
    source="Proposition 3 and appendix C.4",
    claims=(BOUND, COMPUTE),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="parities",
)
