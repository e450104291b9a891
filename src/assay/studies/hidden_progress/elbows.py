"""Elbows: at a constant learning rate the exponent of the solve times grows with n.

Claim   solve times follow one power law for small n and a steeper one for large n, until runs no longer end in time.
Source  Barak et al. 2022, figure 2 (right) and the two panels of larger n in figure 10, which name settings (ii) and
        (v); (xiv) and (xv) beside them. Batch 32, learning rates as in figure 10, but 0.01 for (v), which is printed
        with 1 in one place and with 0.01 in another, and diverges with 1. Solved: all of 128 held-out examples right,
        checked every 10 steps. Differs from it in: fewer runs and smaller n at smoke and desk scale.
Output  table `elbows`, in three parts: `times` (one row per setting, k, n), `local` (exponents through three
        neighbouring n) and `change` (exponents below and above; one row per setting, k).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

import assay as ay
from assay.analysis import elbows, survival
from assay.figures import Display, Lines, SolveTimes, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import NAMES, NETS, SMALL_SAMPLE, labels

RATES: Mapping[str, float] = {"ii": 1.0, "v": 0.01, "xiv": 0.01, "xv": 0.05}
GRID: Mapping[str, tuple[Sequence[str], Sequence[int], Sequence[int], int, int]] = {
    # settings, n, k, runs a point, budget
    "smoke": (("ii", "xiv"), (10, 15, 20, 30, 60, 80, 100), (3,), 40, 20_000),
    "desk": (("ii", "v", "xiv", "xv"), (10, 12, 15, 20, 25, 30, 40, 60, 80, 100, 150, 200), (2, 3), 50, 50_000),
    "paper": (tuple(RATES), (*range(10, 40, 5), *range(40, 100, 20), *range(100, 301, 50)), (2, 3, 4), 1000, 100_000),
}
BELOW, ABOVE = (10, 30), {"smoke": (60, 100), "desk": (60, 200), "paper": (60, 300)}
K = 3

ELBOW = Claim(
    id="E8",
    source="Barak et al. 2022, figure 2 (right)",
    statement="At a constant learning rate the exponent of the solve times is larger for large n than for small n.",
    kind="experiment",
    criterion={
        "smoke": "k = 3, setting (ii) or (xiv): exponent through n = 60, 80, 100 > exponent through n = 10, ..., 30",
        "desk": "k = 3: exponent over n = 60, ..., 200 minus exponent over n = 10, ..., 30 has a 95 % interval above 0 "
        "in at least two of the settings (ii), (v), (xiv), (xv)",
        "paper": "k = 3: exponent over n = 60, ..., 300 minus exponent over n = 10, ..., 30 has a 95 % interval "
        "above 0 in at least two of the settings (ii), (v), (xiv), (xv), and in some setting a median is infinite",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    """One sweep a setting."""
    settings, ns, ks, runs, budget = GRID[scale]
    grid = ay.product(ay.axis("task.n", *ns), ay.axis("task.k", *ks), ay.seeds(runs))
    return {
        setting: ay.Sweep(
            ay.Trial(
                task=ay.Parity(n=ns[0], k=ks[0]),
                net=NETS[setting],
                optimiser=ay.SGD(learning_rate=RATES[setting]),
                batch=32,
                budget=budget,
                solve=SMALL_SAMPLE,
            ),
            grid,
        )
        for setting in settings
    }


def sweep(scale: str) -> ay.Sweep:
    first, *rest = sweeps(scale).values()
    return sum(rest, first)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    frame = runs.frame.select("trial", "outcome", "step", "task.n", "task.k")
    frame = frame.join(labels("setting", sweeps(scale)), on="trial")
    by = ["setting", "task.k"]
    order = pl.col("setting").replace_strict({name: i for i, name in enumerate(RATES)}, return_dtype=pl.Int64)
    parts = {
        "times": survival.summary(frame, [*by, "task.n"]),
        "local": elbows.local(frame, "task.n", by),
        "change": elbows.change(frame, "task.n", by, BELOW, ABOVE[scale]),
    }
    return pl.concat(
        [
            each.sort(order, "task.k", maintain_order=True).with_columns(part=pl.lit(name))
            for name, each in parts.items()
        ],
        how="diagonal_relaxed",
    )


def figure(table: pl.DataFrame) -> Display:
    part = dict(table.partition_by("part", as_dict=True, include_key=False))
    words = {**NAMES, "task.n": "n", "task.k": "k"}
    return board(
        SolveTimes(part["times",], panel="task.k", line="setting", labels=words, title="Steps until solved"),
        Lines(
            part["local",],
            panel="task.k",
            x="x",
            y="exponent",
            line="setting",
            bars=("exponent_low", "exponent_high"),
            x_scale="log",
            x_label="n",
            y_label="local exponent",
            labels=words,
            title="Exponents through three neighbouring n",
        ),
        columns=1,
        title="Solve times grow faster at large n",
        caption="Above: median over runs with 95 % bootstrap bars; a line halts where fewer than half of the runs were "
        "solved. Below: slope of log median on log n through three neighbouring n. Batch 32, constant learning rate. "
        "Barak et al. 2022, figure 2 (right).",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(pl.col("part") == "change", pl.col("task.k") == K)
    clear = rows.filter(pl.col("change") > 0) if scale == "smoke" else rows.filter(pl.col("change_low") > 0)
    holds = clear.height >= (1 if scale == "smoke" else 2)
    if scale == "paper":
        times = table.filter(pl.col("part") == "times", pl.col("task.k") == K)
        holds = holds and times["q50"].null_count() > 0
    words = "; ".join(
        f"({row['setting']}) {_number(row['below'])} to {_number(row['above'])}" for row in rows.iter_rows(named=True)
    )
    most = rows.sort("change", descending=True, nulls_last=True).row(0, named=True)
    interval = None if most["change_low"] is None else (most["change_low"], most["change_high"])
    note = f"value: largest growth of the exponent. Exponents below and above: {words}"
    return [ELBOW.judged(holds, most["change"], interval, note)]


def _number(exponent: float | None) -> str:
    return "undefined" if exponent is None else f"{exponent:.2f}"


experiment = Experiment(
    name="elbows",
    title="Elbows of the solve times",
    source="figure 2 (right)",
    claims=(ELBOW,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
