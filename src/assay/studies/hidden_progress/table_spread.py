"""How far 25 runs decide a cell of the table: the published numbers beside what 25 of our runs would give.

Claim   the published 10th percentiles, of 25 runs each, are such as 25 of our runs give.
Source  Barak et al. 2022, figure 7, column B = 128: the cells of claim E2, at the learning rates that it names, from
        many more runs. The 10th percentile of 25 runs is a number with a spread of its own, of which a fixed factor
        around the published one knows nothing.
Output  table `table-spread`: a row for each cell, with the published number, the 10th percentile of all runs, and
        quantiles of that of 25 runs.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import survival
from assay.analysis.quantiles import quantile_with_infinities
from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.convergence_table import AS_PUBLISHED
from assay.studies.hidden_progress.curves import joined
from assay.studies.hidden_progress.published import DEGREES, published
from assay.studies.hidden_progress.settings import NAMES, NETS, WHOLE_SAMPLE, labels

RATES: Mapping[str, Mapping[str, float]] = {**AS_PUBLISHED, "paper": AS_PUBLISHED["desk"]}
RUNS = {"smoke": 100, "desk": 1000, "paper": 10_000}
TOGETHER, RESAMPLES = 25, 20_000
LEVELS = {"lowest": 0.0005, "low": 0.025, "middle": 0.5, "high": 0.975, "highest": 0.9995}
"""Central 99.9 % and 95 % of the percentiles of 25 runs, and their median."""

AS_25_RUNS = Claim(
    id="E2-spread",
    source="Barak et al. 2022, figure 7",
    statement="The published 10th percentiles are such as 25 of our runs give.",
    kind="experiment",
    criterion={
        scale: f"B = 128, k = 2, 3, 4, {', '.join(f'({name}) at rate {rate:g}' for name, rate in rates.items())}: each "
        f"published number in the central 99.9 % of the 10th percentiles of 25 out of {RUNS[scale]} runs"
        for scale, rates in RATES.items()
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    return {
        setting: ay.Sweep(
            ay.Trial(
                task=ay.Parity(n=30, k=2),
                net=NETS[setting],
                optimiser=ay.SGD(learning_rate=rate),
                batch=128,
                budget=5000,
                solve=WHOLE_SAMPLE,
            ),
            ay.axis("task.k", *DEGREES),
            ay.seeds(RUNS[scale]),
        )
        for setting, rate in RATES[scale].items()
    }


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    frame = runs.frame.select("trial", "task.k", "batch", survival.solve_time())
    frame = frame.join(labels("setting", sweeps(scale)), on="trial")
    cells = [_cell(part) for part in frame.partition_by("setting", "task.k", maintain_order=True)]
    return pl.DataFrame(cells).join(published(), on=["setting", "task.k", "batch"], how="left")


def _cell(runs: pl.DataFrame) -> dict[str, object]:
    """Quantiles of the 10th percentile of 25 runs, drawn again and again from all runs of a cell."""
    times = runs["solve_time"].to_numpy()
    drawn = np.random.default_rng(0).choice(times, size=(RESAMPLES, TOGETHER))
    spread = quantile_with_infinities(quantile_with_infinities(drawn, (0.1,))[:, 0], tuple(LEVELS.values()))
    row: dict[str, object] = {name: runs[name][0] for name in ("setting", "task.k", "batch")} | {"runs": len(times)}
    row |= {name: _or_none(value) for name, value in zip(LEVELS, spread, strict=True)}
    return row | {"q10": _or_none(quantile_with_infinities(times, (0.1,))[0])}


def _or_none(time: float) -> float | None:
    return float(time) if np.isfinite(time) else None


def figure(table: pl.DataFrame) -> Display:
    ours = table.select("setting", "task.k", "low", "high", steps="middle", line=pl.lit("25 of our runs"))
    theirs = table.select("setting", "task.k", steps="published", line=pl.lit("published"))
    return Lines(
        pl.concat([ours, theirs], how="diagonal_relaxed"),
        panel="setting",
        columns=3,
        x="task.k",
        y="steps",
        line="line",
        bars=("low", "high"),
        y_scale="log",
        x_label="k",
        y_label="10th percentile, steps",
        labels=NAMES,
        title="What 25 runs say of a tenth percentile",
        caption="Median and central 95 % of the 10th percentile of the solve times of 25 runs, drawn from many; and "
        "the published numbers, of 25 runs each. Parities of k out of 30 bits, batch 128. Barak et al. 2022, figure 7.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    inside = {
        (row["setting"], row["task.k"]): [
            (row[low] or np.inf) <= row["published"] <= (row[high] or np.inf)
            for low, high in (("lowest", "highest"), ("low", "high"))
        ]
        for row in table.iter_rows(named=True)
    }
    usual = sum(each[1] for each in inside.values())
    off = ", ".join(f"({setting}), k = {k}" for (setting, k), each in inside.items() if not each[1])
    note = f"value: fraction in the central 95 % of {len(inside)} cells; outside of it: {off or 'none'}"
    return [AS_25_RUNS.judged(all(each[0] for each in inside.values()), usual / len(inside), note=note)]


experiment = Experiment(
    name="table-spread",
    title="What 25 runs say of a cell",
    source="figure 7",
    claims=(AS_25_RUNS,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
