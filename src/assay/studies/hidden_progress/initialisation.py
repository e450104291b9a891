"""Initialisation against sample noise: how long a run takes is mostly decided before it starts.

Claim   runs from the same initial weights, with different examples, end at about the same time; runs from different
        weights do not.
Source  Barak et al. 2022, figure 2 (center): batch 128, learning rate 0.01. Nets and (n, k) are not named there: (xiv)
        at (50,3), and at desk and paper scale (xv) and (i) too. Solved: all of 8,192 held-out examples right; these are
        drawn anew for every stream of examples.
Output  table `initialisation`, in three parts: `curves` (losses of some runs), `boxes` (solve times by initialisation)
        and `components` (variance of log solve time between and within initialisations; one row a setting).
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

import assay as ay
from assay.analysis import boxes, survival, variance
from assay.figures import Boxes, Display, TrainingCurves, board
from assay.studies import Claim, Experiment, Judgement
from assay.studies.hidden_progress.settings import NAMES, NETS, WHOLE_SAMPLE, labels

SHOWN = "xiv"
GRID: Mapping[str, Mapping[str, tuple[int, int]]] = {
    # setting: initialisations, streams of examples for each
    "smoke": {"xiv": (20, 8)},
    "desk": {"xiv": (20, 20), "xv": (20, 20), "i": (12, 8)},
    "paper": {"xiv": (30, 30), "xv": (30, 30), "i": (30, 30)},
}
BUDGET = {"smoke": 20_000, "desk": 60_000, "paper": 100_000}
DRAWN, STREAMS = 4, 5
"""Initialisations and streams whose losses are drawn."""

DECIDED_BY_WEIGHTS = Claim(
    id="E10",
    source="Barak et al. 2022, figure 2 (center)",
    statement="The initial weights decide most of the solve time; given them it is concentrated.",
    kind="experiment",
    criterion={
        "smoke": "setting (xiv), (n, k) = (50, 3), 20 initialisations x 8 streams: at least 2/3 solved, and intraclass "
        "correlation of the log solve times of these >= 0.6",
        "desk": "settings (xiv) and (xv), 20 x 20, and (i), 12 x 8: at least 2/3 solved, and intraclass correlation of "
        "the log solve times of these >= 0.6, in each",
        "paper": "settings (xiv), (xv) and (i), 30 x 30 each: at least 2/3 solved, and intraclass correlation of the "
        "log solve times of these >= 0.6, in each",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    """One sweep a setting: every initialisation with every stream of examples, which no two initialisations share."""
    found = {}
    for setting, (weights, streams) in GRID[scale].items():
        trial = ay.Trial(
            task=ay.Parity(n=50, k=3),
            net=NETS[setting],
            optimiser=ay.SGD(learning_rate=0.01),
            batch=128,
            budget=BUDGET[scale],
            solve=WHOLE_SAMPLE,
            record=ay.Record(measures=("eval/loss",), every=20),
        )
        pairs = [(i, i * streams + j) for i in range(weights) for j in range(streams)]
        inits, seeds = zip(*pairs, strict=True)
        found[setting] = ay.Sweep(trial, ay.zipped(ay.axis("init.seed", *inits), ay.axis("seed", *seeds)))
    return found


def sweep(scale: str) -> ay.Sweep:
    first, *rest = sweeps(scale).values()
    return sum(rest, first)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    """Initialisations are numbered by their median solve time, the fastest first."""
    frame = runs.frame.join(labels("setting", sweeps(scale)), on="trial").with_columns(survival.solve_time())
    by = ["setting", "init.seed"]
    rank = pl.col("median").rank("ordinal").over("setting").cast(pl.Int64)
    ranks = frame.group_by(by).agg(median=pl.col("solve_time").median()).sort(by).with_columns(rank=rank)
    frame = frame.join(ranks, on=by)
    solved = frame.filter(outcome="solved").with_columns(log_time=pl.col("step").log())
    parts = {
        "curves": _curves(runs, frame.filter(setting=SHOWN)),
        "boxes": boxes.summary(frame, ["setting", "rank"]),
        "components": variance.components(solved, "log_time", "rank", by=["setting"]).join(
            frame.group_by("setting").agg(runs=pl.len(), solved_fraction=(pl.col("outcome") == "solved").mean()),
            on="setting",
        ),
    }
    return pl.concat([each.with_columns(part=pl.lit(name)) for name, each in parts.items()], how="diagonal_relaxed")


def _curves(runs: ay.Runs, frame: pl.DataFrame) -> pl.DataFrame:
    """Losses from initialisations evenly spread over the ranks, one of the measures of `TrainingCurves` each."""
    last = int(frame["rank"].max() or 1)  # type: ignore[arg-type]
    chosen = sorted({1 + round(i * (last - 1) / (DRAWN - 1)) for i in range(DRAWN)})
    streams = pl.int_range(pl.len()).over("rank") < STREAMS
    drawn = frame.filter(pl.col("rank").is_in(chosen)).sort("rank", "seed").filter(streams)
    null = pl.lit(None, pl.Float64)
    return (
        drawn.select("trial", measure="rank")
        .join(runs.curves.select("trial", "step", value="eval/loss"), on="trial", maintain_order="left_right")
        .with_columns(low=null, high=null)
    )


def figure(table: pl.DataFrame) -> Display:
    part = dict(table.partition_by("part", as_dict=True, include_key=False))
    curves = part["curves",].select("measure", "trial", "step", "value", "low", "high")
    losses = TrainingCurves(
        curves,
        y_label="held-out loss",
        labels={str(rank): f"weights {rank}" for rank in curves["measure"].unique()},
        title="Loss by initial weights",
    )
    times = Boxes(
        part["boxes",].filter(setting=SHOWN),
        x="rank",
        x_scale="linear",
        labels={"rank": "initial weights, fastest first"},
        title="Solve times by initial weights",
    )
    return board(
        losses,
        times,
        columns=2,
        title="The initial weights decide how long a run takes",
        caption="A sinusoid neuron (xiv) learns a parity of 3 out of 50 bits; batch 128, learning rate 0.01. Left: "
        "held-out loss of runs from a few initial weights (one colour each), each with several streams of examples. "
        "Right: solve times from each set of weights; crosses are extremes. Barak et al. 2022, figure 2 (center).",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="components")
    holds = all((row["icc"] or 0.0) >= 0.6 and row["solved_fraction"] >= 2 / 3 for row in rows.iter_rows(named=True))
    words = "; ".join(
        f"{NAMES[row['setting']]}: {row['icc'] or 0:.2f}, variance between {row['between'] or 0:.3f} and within "
        f"{row['within'] or 0:.3f}, {row['solved_fraction']:.0%} of {row['runs']} solved"
        for row in rows.iter_rows(named=True)
    )
    least = rows.sort("icc", nulls_last=False).row(0, named=True)
    interval = None if least["icc_low"] is None else (least["icc_low"], least["icc_high"])
    return [DECIDED_BY_WEIGHTS.judged(holds, least["icc"], interval, f"value: smallest correlation. {words}")]


experiment = Experiment(
    name="initialisation",
    title="Initialisation against sample noise",
    source="figure 2 (center)",
    claims=(DECIDED_BY_WEIGHTS,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
