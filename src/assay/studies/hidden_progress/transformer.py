"""A transformer learns parities as the other nets do: a plateau, then a drop.

Claim   setting (*iii), one block of attention trained by Adam, learns sparse parities after a plateau.
Source  Barak et al. 2022, figures 1 (left), 6 (fourth row) and 7, appendix D.1.3: embeddings of 1,024, 128 heads of
        size 8, Adam; (50,3) at batch 32 and rate 0.0005 or 0.0003, at batch 1024 and 0.0003; the row of the table at
        n = 30. Rates of the table are not given: 0.001 and 0.0003 here, the better one counts. Differs from it in:
        embeddings of 64 in 8 heads and smaller parities at smoke and desk scale. The width of the MLP is not given:
        four times that of the embeddings; nor is the law of these: N(0, 1), which is PyTorch's. Read as matrices, with
        the law of all others, they are tried besides.
Output  table `transformer`, in three parts: `curves` (single runs, median and band), `trials` (solve time and plateau)
        and `times` (quantiles of the solve times of each panel, beside the published ones).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import survival
from assay.figures import Display, TrainingCurves
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.curves import curves_and_trials, in_order, joined
from assay.studies.hidden_progress.published import published
from assay.studies.hidden_progress.settings import WHOLE_SAMPLE

SMALL = ay.ParityTransformer(d_embedding=64, heads=8, d_attention=8, d_mlp=256, embeddings="standard")
LARGE = ay.ParityTransformer(embeddings="standard")


class Panel(NamedTuple):
    """What is trained in a panel."""

    net: ay.Net
    n: int
    k: int
    batch: int
    rate: float
    runs: int
    budget: int
    plain: bool = False  # SGD in place of Adam
    sample: int = 8192  # held-out examples
    every: int = 0  # steps between records; 0: a hundredth of the budget, and more at the start


JUDGED = "(10, 2), width 64, B = 64"
PANELS: Mapping[str, Mapping[str, Panel]] = {
    "smoke": {JUDGED: Panel(SMALL, 10, 2, 64, 0.001, 4, 3000)},
    "desk": {
        JUDGED: Panel(SMALL, 10, 2, 64, 0.001, 25, 10_000),
        "(10, 3), width 64, B = 64": Panel(SMALL, 10, 3, 64, 0.001, 25, 10_000),
        "(10, 2), small embeddings": Panel(SMALL.replace(embeddings="scheme"), 10, 2, 64, 0.001, 25, 10_000),
        "(30, 2), width 1024, B = 32": Panel(LARGE, 30, 2, 32, 0.0003, 5, 200, sample=1024, every=10),
    },
    "paper": {
        JUDGED: Panel(SMALL, 10, 2, 64, 0.001, 25, 10_000),
        "(50, 3), width 1024, B = 32": Panel(LARGE, 50, 3, 32, 0.0005, 25, 100_000),
        "(50, 3), width 1024, B = 32, slower": Panel(LARGE, 50, 3, 32, 0.0003, 25, 100_000),
        "(50, 3), width 1024, B = 1024": Panel(LARGE, 50, 3, 1024, 0.0003, 25, 100_000),
        "(50, 3), width 1024, B = 32, SGD": Panel(LARGE, 50, 3, 32, 0.01, 25, 100_000, plain=True),
        **{
            f"(30, {k}), width 1024, B = {batch}, rate {rate}": Panel(LARGE, 30, k, batch, rate, 25, 100_000)
            for k in (2, 3, 4)
            for batch in (1, 4, 32, 128, 1024)
            for rate in (0.001, 0.0003)
        },
    },
}

_SMALL = (
    "(10,2), width 64, Adam, rate 0.001, B = 64: all of 8,192 held-out examples right in at least 1/2 of the runs "
    "within {} steps, and median plateau fraction (last step with error > 0.45) / (solve time) >= 0.5"
)
TRANSFORMER = Claim(
    id="E23",
    source="Barak et al. 2022, figures 1 (left), 6 and 7",
    statement="A transformer learns sparse parities too, after a plateau.",
    kind="experiment",
    criterion={
        "smoke": _SMALL.format("3000"),
        "desk": _SMALL.format("10,000"),
        "paper": _SMALL.format("10,000")
        + "; published width, n = 30, k = 2, 3, 4, B = 1, ..., 1024: 10th percentile at the better rate within a "
        "factor 2 of the published one in 15 of 15 cells; SGD at (50,3) solves no run",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    return {name: _sweep(panel) for name, panel in PANELS[scale].items()}


def _sweep(panel: Panel) -> ay.Sweep:
    optimiser = ay.SGD if panel.plain else ay.Adam
    trial = ay.Trial(
        task=ay.Parity(n=panel.n, k=panel.k),
        net=panel.net,
        optimiser=optimiser(learning_rate=panel.rate),
        batch=panel.batch,
        budget=panel.budget,
        solve=WHOLE_SAMPLE.replace(sample=panel.sample),
        record=ay.Record(
            measures=("eval/error",), every=panel.every or panel.budget // 100, points=0 if panel.every else 60
        ),
    )
    return ay.Sweep(trial, ay.seeds(panel.runs))


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    panels = PANELS[scale]
    found = curves_and_trials(runs, sweeps(scale), examples=4)
    times = in_order(survival.summary(found.filter(part="trials"), ["panel"], (0.1, 0.5)), panels)
    cells = pl.DataFrame(
        [
            {"panel": name, "task.k": panel.k, "batch": panel.batch, "width": getattr(panel.net, "d_embedding", 0),
             "setting": "*iii" if panel.n == 30 and panel.net == LARGE else "small"}
            for name, panel in panels.items()
        ]
    )  # fmt: skip
    times = times.join(cells, on="panel").join(published(), on=["setting", "task.k", "batch"], how="left")
    times = times.with_columns(ratio=pl.col("q10") / pl.col("published"), part=pl.lit("times"))
    return pl.concat([found, times], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    curves = table.filter(part="curves")
    return TrainingCurves(
        curves,
        panel="panel",
        columns=min(curves["panel"].n_unique(), 2),
        y_label="held-out error",
        labels={"eval/error": "held-out error"},
        title="Transformers learn parities",
        caption="Parities of k out of n bits, (n, k) above each panel: single runs (thin), their median and 10-90 % "
        "band against the steps of Adam. One block of attention, a single query; batch size B. Runs end when all of "
        "8,192 held-out examples are right. Barak et al. 2022, figures 1 (left) and 6.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    times = {row["panel"]: row for row in table.filter(part="times").iter_rows(named=True)}
    solved = table.filter(pl.col("part") == "trials", pl.col("panel") == JUDGED, pl.col("outcome") == "solved")
    plateau = float(np.median(solved["plateau_fraction"])) if solved.height else 0.0
    row = times[JUDGED]
    holds = row["solved_fraction"] >= 0.5 and plateau >= 0.5
    words = [f"median plateau fraction {plateau:.2f}"]
    best: dict[tuple[int, int], float] = {}
    for cell in times.values():
        if cell["published"] is not None:
            at = (cell["task.k"], cell["batch"])
            best[at] = min(best.get(at, np.inf), np.inf if cell["ratio"] is None else cell["ratio"])
    words += [f"(30,{k}), B = {batch}: {ratio:.2f} of the published" for (k, batch), ratio in best.items()]
    if scale == "paper":
        holds &= all(0.5 <= ratio <= 2 for ratio in best.values())
        holds &= all(cell["solved"] == 0 for name, cell in times.items() if name.endswith("SGD"))
    interval = row["solved_low"], row["solved_high"]
    note = f"value: solved fraction at (10,2). {'; '.join(words)}"
    return [TRANSFORMER.judged(holds, row["solved_fraction"], interval, note)]


experiment = Experiment(
    name="transformer",
    title="A transformer",
    source="figures 1 (left), 6 (fourth row) and 7",
    claims=(TRANSFORMER,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
