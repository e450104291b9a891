"""More states: the unigram phase is visible on sequences that are long enough.

Claim   with more than three states training passes through the same phases.
Source  Edelman et al. 2024, figure E.4 of the dissertation: sequences of 200 symbols, on which the unigram and bigram
        losses are far enough apart. The numbers of states are not printed.
Output  table `states`, in parts: `curves` (distances and stage of one run of each) and `trials` (stages of every run).
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.analysis import stages
from assay.figures import Display, StageCurves
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import (
    LOSSES,
    MINGPT,
    STRATEGIES,
    claim,
    curves,
    drops,
    joined,
    transformer,
)

STATES = {"smoke": (4,), "desk": (4, 5), "paper": (4, 5, 8, 10)}
BUDGET = {"smoke": 80, "desk": 2400, "paper": 8000}
SEEDS = {"smoke": 1, "desk": 2, "paper": 10}

VISIBLE = claim(
    "A26",
    "figure E.4",
    "With more states and t = 200 training passes through the same phases.",
    {
        "smoke": "k = 4: stages uniform, unigram within 80 steps",
        "desk": "k = 4, 5, every run: stages uniform, unigram, bigram in this order",
        "paper": "k = 4, 5, 8, every run: stages uniform, unigram, bigram in this order",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    every = max(10, BUDGET[scale] // 100)
    return {
        f"{k} states": ay.Sweep(
            transformer(
                1e-3, ay.MarkovChains(states=k, length=200), MINGPT, budget=BUDGET[scale], every=every,
                measures=LOSSES, sample=500,
            ),
            ay.seeds(SEEDS[scale]),
        )
        for k in STATES[scale]
    }  # fmt: skip


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    rows = curves(runs, sweeps(scale))
    lines = rows.filter(seed=0).unpivot(
        STRATEGIES, index=["runs", "sequences", "stage"], variable_name="strategy"
    ).with_columns(pl.col("strategy").str.strip_prefix("markov/"))  # fmt: skip
    ends = rows.group_by("trial", "runs", "seed", maintain_order=True).agg(pl.col("markov/truth").last().alias("loss"))
    trials = ends.join(stages.order(rows), on="trial").join(drops(rows), on="trial").sort("runs", "seed")
    parts = {"curves": lines, "trials": trials}
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    return StageCurves(
        table.filter(part="curves"),
        panel="runs",
        y_label="KL(strategy || net)",
        top=0.5,
        title="More states pass through the same phases",
        caption="Distance of the net from three strategies, sequences of 200 symbols; the background has the colour "
        "of the "
        "closest. Edelman et al. 2024, figure E.4.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    trials = table.filter(pl.col("part") == "trials", pl.col("runs") != "10 states")
    wanted = "uniform unigram" if scale == "smoke" else "uniform unigram bigram"
    right = int((trials["stages"] == wanted).sum())
    words = "; ".join(f"{row['runs']}: {row['stages']}, loss {row['loss']:.3f}" for row in trials.rows(named=True))
    return [VISIBLE.judged(right == trials.height, right / trials.height, None, f"value: fraction of runs. {words}")]


experiment = Experiment(
    name="states",
    title="More states",
    source="figure E.4",
    claims=(VISIBLE,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
