"""Depth: a net that is trained from end to end learns parities that no layer of it could learn alone.

Claim   deep nets of squares learn parities of up to 2^d bits, d the number of hidden layers, from end to end; trained
        layer by layer they learn none of more than 2 bits, though a layer of a deeper net could use it.
Source  Barak et al. 2022, appendix C.7: squares, learning rate 0.01, batch 32, hinge loss, widths (2, 1) for L = 3 and
        (10, 10, 1) for L = 4 of their layers. L counts the output, which has a bias (it is not printed, but without
        one the output never changes its sign). Layer by layer: for 10,000 steps the first hidden layer under a linear
        head of its own, then, with that layer at rest, the second under another, added to the first (net `deep-mlp`).
        L = 2 has width 10 here.
Output  table `depth`, in parts: `cells` (solved fraction and quantiles for each L, k, n), `curves` (held-out error,
        from end to end and layer by layer) and `layerwise` (one row a run: its highest accuracy).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import bands, survival
from assay.figures import Display, HeatTable, TrainingCurves, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.curves import joined, wilson
from assay.studies.hidden_progress.settings import WHOLE_SAMPLE, labels

NETS: Mapping[int, ay.DeepMLP] = {
    2: ay.DeepMLP(widths=(10,)),
    3: ay.DeepMLP(widths=(2, 1)),
    4: ay.DeepMLP(widths=(10, 10, 1)),
}
SOLVE = WHOLE_SAMPLE.replace(every=100)
RUNS = 10
SHOWN = (2, 3, 4)
"""Degrees whose curves are drawn."""
STAGE = 10_000
"""Steps for each hidden layer, trained layer by layer."""


class Block(NamedTuple):
    """Nets of L layers on parities of k out of n bits."""

    layers: int
    n: Sequence[int]
    k: Sequence[int]
    budget: int = 20_000


BLOCKS: Mapping[str, Sequence[Block]] = {
    "smoke": (Block(2, (10,), (1, 2, 3)), Block(3, (10,), (1, 2, 3, 4, 5))),
    "desk": (
        Block(2, (10,), (1, 2, 3)),
        Block(3, (10, 20, 30), (1, 2, 3, 4)),
        Block(3, (10,), (5,)),
        Block(4, (10, 20), (1, 2, 3, 4, 5, 6), 50_000),
    ),
    "paper": (
        Block(2, (10, 20, 30), (1, 2, 3)),
        Block(3, (10, 20, 30), (1, 2, 3, 4, 5)),
        Block(4, (10, 20, 30), (1, 2, 3, 4, 5, 6), 50_000),
        Block(4, (10, 20, 30), (7,), 500_000),
        Block(4, (10,), (8,), 500_000),
    ),
}

_SMALL = (
    "n = 10: L = 3 solves k = 1, 2, 3, 4 in at least 8 of 10 runs each within 20,000 steps; L = 3 at k = 5 and L = 2 "
    "at k = 3 in none; layer by layer, L = 3 at k = 4: the highest accuracy of a run at most 55 % in the "
    "median run, none solved"
)
DEPTH = Claim(
    id="E17",
    source="Barak et al. 2022, appendix C.7",
    statement="Deep nets of squares learn parities from end to end that no layer of them can learn alone.",
    kind="experiment",
    criterion={
        "smoke": _SMALL,
        "desk": _SMALL + "; L = 4 at n = 10 and k = 1, ..., 6 in at least 8 of 10 within 50,000",
        "paper": _SMALL + "; L = 3, k = 1, ..., 4 in 10 of 10 runs at n = 20 and 30 too; L = 4 in 10 of 10 at k = 1, "
        "..., 6 within 50,000, and at (10,7), (20,7), (30,7), (10,8) within 500,000",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    """From end to end, by block."""
    return {
        f"{i}": ay.Sweep(
            ay.Trial(
                task=ay.Parity(n=block.n[0], k=block.k[0]),
                net=NETS[block.layers],
                optimiser=ay.SGD(learning_rate=0.01),
                budget=block.budget,
                solve=SOLVE,
                record=ay.Record(measures=("eval/error",), every=block.budget // 100),
            ),
            ay.axis("task.n", *block.n),
            ay.axis("task.k", *block.k),
            ay.seeds(RUNS),
        )
        for i, block in enumerate(BLOCKS[scale])
    }


def layerwise() -> ay.Sweep:
    """Layer by layer. The second head is made zero by one step of full decay, and the second hidden layer rests, while
    the first layer is trained under its own head; then the first rests."""
    rates = (
        ay.Rate(layer="hidden_1", weight_decay=0.0, stop=STAGE),
        ay.Rate(layer="hidden_1", weight_decay=0.0, learning_rate=0.0, start=STAGE),
        ay.Rate(layer="output_1", weight_decay=0.0),
        ay.Rate(layer="hidden_2", weight_decay=0.0, learning_rate=0.0, stop=STAGE),
        ay.Rate(layer="hidden_2", weight_decay=0.0, start=STAGE),
        ay.Rate(layer="output_2", weight_decay=1.0, learning_rate=0.0, stop=1),
        ay.Rate(layer="output_2", weight_decay=0.0, learning_rate=0.0, start=1, stop=STAGE),
        ay.Rate(layer="output_2", weight_decay=0.0, start=STAGE),
    )
    trial = ay.Trial(
        task=ay.Parity(n=10, k=2),
        net=NETS[3].replace(layerwise=True),
        optimiser=ay.SGD(learning_rate=0.01, weight_decay=1.0, decay="paper", rates=rates),
        budget=2 * STAGE,
        solve=SOLVE,
        record=ay.Record(measures=("eval/error",), every=STAGE // 50),
    )
    return ay.Sweep(trial, ay.axis("task.k", *SHOWN), ay.seeds(RUNS))


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale)) + layerwise()


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    named = sweeps(scale)
    layers = {f"{i}": block.layers for i, block in enumerate(BLOCKS[scale])}
    blocks = labels("block", named).with_columns(layers=pl.col("block").replace_strict(layers, return_dtype=pl.Int64))
    frame = runs.frame.join(blocks, on="trial", how="left")
    cells = survival.summary(frame.drop_nulls("layers"), by=["layers", "task.n", "task.k"])
    whose = frame.select(
        "trial", "task.n", "task.k", "layers", training=pl.when(pl.col("layers").is_null())
        .then(pl.lit("layer by layer")).otherwise(pl.lit("end to end")),
    )  # fmt: skip
    curves = runs.curves.join(whose, on="trial")
    shown = curves.filter(pl.col("task.n") == 10, pl.col("task.k").is_in(SHOWN), pl.col("layers").fill_null(3) == 3)
    drawn = [
        bands.examples_and_band(part.rename({"eval/error": name}), [name], by=["task.k"], examples=3)
        for (name,), part in shown.partition_by("training", as_dict=True).items()
    ]
    alone = curves.filter(training="layer by layer").group_by("trial", "task.k").agg(highest=1 - pl.min("eval/error"))
    parts = {
        "cells": cells.sort("layers", "task.n", "task.k"),
        "curves": pl.concat(drawn).sort("task.k", maintain_order=True).with_columns(chance=pl.lit(0.5)),
        "layerwise": alone.sort("task.k", "trial"),
    }
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    cells = table.filter(part="cells").with_columns(
        row=pl.format("L = {}, n = {}", "layers", "task.n"),
        text=pl.format("{}/{}", "solved", "n"),
    )
    return board(
        TrainingCurves(
            table.filter(part="curves").drop("part"),
            panel="task.k",
            columns=3,
            y_label="held-out error",
            labels={"task.k": "k"},
            title="L = 3, n = 10, from end to end and layer by layer",
        ),
        HeatTable(
            cells.select("row", "task.k", "solved_fraction", "text"),
            column="task.k",
            labels={"task.k": "k"},
            value="solved_fraction",
            centre=None,
            ends=(0, 1),
            scale="linear",
            bar="fraction of the runs that solved it",
            title="From end to end: which parities are learnt",
        ),
        columns=1,
        heights=(2.3, 1.4 + 0.24 * cells["row"].n_unique()),
        size=(6.8, 4.0 + 0.24 * cells["row"].n_unique()),
        title="Depth: squares on squares",
        caption="Deep nets of squares. Above: held-out error of single runs (thin), their median and 10-90 % band; "
        "layer by layer, the first hidden layer is trained for 10,000 steps, then the second. Below: solved runs of "
        "nets of L layers, the output included. Learning rate 0.01, batch 32. Barak et al. 2022, appendix C.7.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="cells").select("layers", "task.n", "task.k", "solved", "n").rows()
    solved = {(layers, n, k): (count, runs) for layers, n, k, count, runs in rows}
    alone = {
        k: part["highest"].to_numpy()
        for (k,), part in table.filter(part="layerwise").partition_by("task.k", as_dict=True).items()
    }
    able = {key: count for key, count in solved.items() if key[2] <= 2 ** (key[0] - 1)}
    small = [solved[3, 10, k] for k in (1, 2, 3, 4)]
    holds = all(count >= 0.8 * runs for count, runs in small) and np.median(alone[4]) <= 0.55 and alone[4].max() < 1
    holds &= solved[3, 10, 5][0] == solved[2, 10, 3][0] == 0
    if scale == "desk":
        holds &= all(count[0] >= 0.8 * count[1] for key, count in able.items() if key[:2] == (4, 10))
    if scale == "paper":
        holds &= all(count[0] == count[1] for key, count in able.items() if key[0] > 2)
    fewest, all_runs = min(small)
    words = "; ".join(f"L = {layers}, ({n},{k}): {count}/{runs}" for (layers, n, k), (count, runs) in solved.items())
    control = "; ".join(
        f"k = {k}: median {np.median(accuracy):.1%}, largest {accuracy.max():.1%}, {(accuracy > 0.55).sum()} of "
        f"{len(accuracy)} runs above 55 %"
        for k, accuracy in alone.items()
    )
    note = f"value: smallest solved fraction of L = 3, n = 10. {words}. Highest accuracy layer by layer: {control}"
    return [DEPTH.judged(holds, fewest / all_runs, wilson(fewest, all_runs), note)]


experiment = Experiment(
    name="depth",
    title="Depth: end to end against layer by layer",
    source="appendix C.7",
    claims=(DEPTH,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
