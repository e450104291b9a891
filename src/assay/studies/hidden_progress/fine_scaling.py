"""Fine-grained scaling: at small n, steps until solved grow like n^(alpha k) with a small constant alpha.

Claim   for small n the exponents of the solve times in n grow linearly with k; at larger n curves leave these laws, and
        they end where fewer than half of the runs end in time.
Source  Barak et al. 2022, figure 10: settings (i), (ii), (xiv) and (xv) of its panels, batch 32 and learning rates as
        there. Solved: all of 128 held-out examples right, checked every 10 steps. Differs from it in: every other n and
        k up to 6 instead of 8; fewer runs, n and k at smoke and desk scale.
Output  table `fine-scaling`, in three parts: `times` (one row per setting, k, n), `laws` (exponents over small n, one
        row per setting, k) and `growth` (slope of the exponents on k, one row a setting).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

import assay as ay
from assay.analysis import powerlaw, survival
from assay.analysis.growth import growth
from assay.figures import Display, Lines, SolveTimes, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import NAMES, NETS, SMALL_SAMPLE, labels
from assay.studies.hidden_progress.solve_times import RATES

SETTINGS = ("i", "ii", "xiv", "xv")
GRID: Mapping[str, tuple[Sequence[int], Sequence[int], int]] = {
    # n, k, runs a point
    "smoke": ((10, 15, 20, 30), (2, 3, 4), 20),
    "desk": ((10, 12, 15, 20, 25, 30, 40), (2, 3, 4, 5), 50),
    "paper": (range(10, 41, 2), (2, 3, 4, 5, 6), 1000),
}
BUDGET = {"smoke": 20_000, "desk": 50_000, "paper": 100_000}
SMALL_N, SOLVED = 20, 0.9
"""The power laws are those of n up to 20 where so many runs are solved: what lies beyond is no longer small n."""

_LINEAR = (
    "settings (i), (ii), (xiv), (xv): exponents of the medians over n = 10, ..., 20, where at least 9/10 of the runs "
    "are solved, regressed on k = {}: slope alpha with a 95 % interval above 0, and alpha <= 1"
)
LINEAR_IN_K = Claim(
    id="E7-alpha",
    source="Barak et al. 2022, figure 10",
    statement="For small n, median solve times are of the order n^(alpha k) with a small constant alpha.",
    kind="experiment",
    criterion={
        "smoke": _LINEAR.format("2, 3, 4"),
        "desk": _LINEAR.format("2, ..., 5"),
        "paper": _LINEAR.format("2, ..., 6"),
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    """One sweep a setting."""
    ns, ks, runs = GRID[scale]
    grid = ay.product(ay.axis("task.n", *ns), ay.axis("task.k", *ks), ay.seeds(runs))
    return {
        setting: ay.Sweep(
            ay.Trial(
                task=ay.Parity(n=10, k=2),
                net=NETS[setting],
                optimiser=ay.SGD(learning_rate=RATES[setting]),
                batch=32,
                budget=BUDGET[scale],
                solve=SMALL_SAMPLE,
            ),
            grid,
        )
        for setting in SETTINGS
    }


def sweep(scale: str) -> ay.Sweep:
    first, *rest = sweeps(scale).values()
    return sum(rest, first)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    frame = runs.frame.select("trial", "outcome", "step", "task.n", "task.k")
    frame = frame.join(labels("setting", sweeps(scale)), on="trial")
    by = ["setting", "task.k"]
    order = pl.col("setting").replace_strict({name: i for i, name in enumerate(SETTINGS)}, return_dtype=pl.Int64)
    times = survival.summary(frame, [*by, "task.n"])
    small = times.filter(pl.col("task.n") <= SMALL_N, pl.col("solved_fraction") >= SOLVED)
    small = frame.join(small, on=[*by, "task.n"], how="semi")
    laws = powerlaw.fit_solve_times(small, "task.n", by).sort(order, "task.k")
    parts = {
        "times": times.sort(order, "task.k", "task.n"),
        "laws": laws,
        "growth": growth(laws, "task.k", ["setting"]).sort(order),
    }
    return pl.concat([each.with_columns(part=pl.lit(name)) for name, each in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    part = dict(table.partition_by("part", as_dict=True, include_key=False))
    words = {**NAMES, "task.n": "n", "task.k": "k"}
    return board(
        SolveTimes(part["times",], panel="setting", columns=2, line="task.k", labels=words, title="Steps until solved"),
        Lines(
            part["laws",].drop_nulls("exponent"),
            x="task.k",
            y="exponent",
            line="setting",
            bars=("exponent_low", "exponent_high"),
            x_label="k",
            y_label="exponent, n up to 20",
            labels=words,
            title="Exponents against k",
        ),
        columns=1,
        heights=(2, 1),
        size=(6.8, 7.6),
        title="Solve times against n, for each k",
        caption="Above: median over runs with 95 % bootstrap bars; a line halts where fewer than half of the runs were "
        "solved within the budget (open triangles, with the part that was). Below: exponents of the medians over n "
        "up to 20 where at least nine in ten runs were solved. Batch 32, constant learning rate. Barak et al. 2022, "
        "figure 10.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="growth")
    clear = rows.filter(pl.col("alpha_low") > 0, pl.col("alpha") <= 1)
    words = "; ".join(
        f"({row['setting']}) {row['alpha']:.2f} [{row['alpha_low']:.2f}, {row['alpha_high']:.2f}]"
        for row in rows.drop_nulls("alpha").iter_rows(named=True)
    )
    least = rows.sort("alpha_low", nulls_last=False).row(0, named=True)
    interval = None if least["alpha_low"] is None else (least["alpha_low"], least["alpha_high"])
    note = f"value: alpha whose interval begins lowest. {words}"
    return [LINEAR_IN_K.judged(clear.height == rows.height, least["alpha"], interval, note)]


experiment = Experiment(
    name="fine-scaling",
    title="Fine-grained scaling",
    source="figure 10",
    claims=(LINEAR_IN_K,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
