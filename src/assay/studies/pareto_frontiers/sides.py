"""One setting at a time: learning rate, weight decay, batch, sparsity of the initial weights, and loss.

Claim   of all sparsities two ones a row is the best, for wide nets.
Source  Edelman et al. 2023, section 5 and appendix C.1: the settings were chosen at (200,3), r = 10^4 for fast
        learning, on a grid that is not given; the loss is not stated. Here each is varied around them.
Output  table `sides`: one row for each varied setting (`axis`), its value, and the initialisation: solved fraction and
        median steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

import assay as ay
from assay.analysis import survival
from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.pareto_frontiers.settings import together, trial

AXES: Mapping[str, tuple[str, Sequence[Any]]] = {
    "learning rate": ("optimiser.learning_rate", (0.01, 0.03, 0.1, 0.3, 1.0)),
    "weight decay": ("optimiser.weight_decay", (0.0, 0.001, 0.003, 0.01, 0.03)),
    "batch": ("batch", (16, 32, 64, 128)),
    "ones a row": ("init.nonzeros", (1, 2, 4, 8, 16)),
    "loss": ("loss.kind", ("hinge", "logistic", "square")),
}
NONE = 3e-4
"""Where a weight decay of 0 is drawn."""
LOSSES = {"hinge": ay.Hinge(), "logistic": ay.Logistic(), "square": ay.Square()}
SCALES: Mapping[str, tuple[Sequence[str], int, int, int, int, int]] = {
    # axes, n, width, examples, runs, budget
    "smoke": (("ones a row",), 50, 1000, 1000, 8, 15_000),
    "desk": (tuple(AXES), 50, 1000, 1000, 15, 15_000),
    "paper": (tuple(AXES), 200, 10_000, 6000, 50, 100_000),
}

TWO_ONES = Claim(
    id="C6",
    source="Edelman et al. 2023, section 5",
    statement="Of all sparsities of the initial weights, two ones a row learn fastest in wide nets.",
    kind="experiment",
    criterion={
        "smoke": "(50,3), m = 1000, r = 1000: the smallest median steps over s = 1, 2, 4, 8, 16 are at s in {1, 2, 4}",
        "desk": "(50,3), m = 1000, r = 1000: the smallest median steps over s = 1, 2, 4, 8, 16 are at s in {1, 2, 4}",
        "paper": "(200,3), r = 10,000: the smallest median steps over s = 1, 2, 4, 8, 16 are at s = 2",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    chosen, n, width, samples, runs, budget = SCALES[scale]
    found = {}
    for name in chosen:
        path, values = AXES[name]
        inits = ("sparse",) if name == "ones a row" else ("dense", "sparse")
        bases = [trial(n, 3, width=width, samples=samples, init=init, budget=budget) for init in inits]
        axis = ay.axis("loss", *LOSSES.values()) if name == "loss" else ay.axis(path, *values)
        found[name] = together(ay.Sweep(base, axis, ay.seeds(runs)) for base in bases)
    return found


def sweep(scale: str) -> ay.Sweep:
    return together(sweeps(scale).values())


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    parts = []
    for name, part in sweeps(scale).items():
        own = runs.frame.filter(pl.col("trial").is_in([trial.identity for trial in part.trials()]))
        init = pl.col("init.kind").replace("uniform", "dense")
        frame = own.select("outcome", "step", "budget", init=init, value=pl.col(AXES[name][0]))
        times = survival.summary(frame, by=["init", "value"], quantiles=(0.5,))
        number = pl.Series("number", [_number(value) for value in times["value"]], pl.Float64)
        parts.append(times.with_columns(pl.lit(name).alias("axis"), number, pl.col("value").cast(pl.String)))
    return pl.concat(parts)


def _number(value: object) -> float:
    """A place on the axis; names have one by their order."""
    return float(list(LOSSES).index(value)) if isinstance(value, str) else float(value)  # type: ignore[arg-type]


def figure(table: pl.DataFrame) -> Display:
    """Losses have no place on an axis; they are in the table."""
    place = pl.when(pl.col("number") == 0).then(NONE).otherwise(pl.col("number"))
    drawn = table.drop_nulls("q50").sort("init", "number").with_columns(number=place)
    parts = [
        Lines(
            rows, x="number", y="q50", line="init", bars=("q50_low", "q50_high"), x_scale="log", y_scale="log",
            x_label=name, y_label="median steps", title="sparse" if name == "ones a row" else "",
        )
        for name in AXES
        if name != "loss" and (rows := drawn.filter(axis=name)).height
    ]  # fmt: skip
    return board(
        *parts,
        columns=min(2, len(parts)),
        title="One setting at a time",
        caption="Median solve time with its bootstrap interval, where half of the runs are solved, against one setting "
        f"at a time (a weight decay of 0 would be drawn at {NONE}); the others are those of the sweeps. Dense and "
        "sparse initial weights. Edelman et al. 2023, section 5 and appendix C.1.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(axis="ones a row").sort("q50", nulls_last=True)
    best = rows.row(0, named=True)
    holds = int(best["number"]) in ((2,) if scale == "paper" else (1, 2, 4))
    words = ", ".join(
        f"s = {number:.0f}: {'never' if middle is None else f'{middle:.0f}'}"
        for number, middle in rows.sort("number").select("number", "q50").iter_rows()
    )
    interval = None if best["q50_high"] is None else (best["q50_low"], best["q50_high"])
    note = f"value: smallest median steps, at s = {best['number']:.0f}; {words}"
    return [TWO_ONES.judged(None if best["q50"] is None else holds, best["q50"], interval, note)]


experiment = Experiment(
    name="sides",
    title="Rate, decay, batch, sparsity and loss",
    source="section 5 and appendix C.1",
    claims=(TWO_ONES,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
