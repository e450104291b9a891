"""Sampled gradients at sizes that no population has: step 1 on fresh examples, then as ever.

Claims  the net learns easy parities from samples; a million examples tell the hidden bits at any n up to 1,001.
Source  Daniely and Malach 2020, theorem 3, which has gradients of the population. A sample of m leaves a noise of
        (n/k)/sqrt m on the biases, which are 1/(8k): m has to be much larger than 64 n^2. For k = 3 the second stage is
        gradient descent, for k = 5, 7 Adam.
Output  table `sampled`, in two parts: `curves` (errors on all and on uniform inputs against steps, those of step 1
        counted) and `trials` (how each run ended, and mean |w| after step 1 on A and off A).
"""

from __future__ import annotations

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import bands
from assay.figures import Display, TrainingCurves
from assay.studies import Claim, Experiment, Judgement
from assay.studies.easy_parities.settings import SOURCE, trial

# n, k, q, rate, second stage, batch, batches of step 1, budget
LEARNT = {
    "smoke": ((25, 3, 32, 0.5, "sgd", 1024, 64, 1000),),
    "desk": (
        (51, 3, 64, 0.5, "sgd", 2048, 512, 2000),
        (101, 3, 64, 0.5, "sgd", 4096, 256, 2000),
        (51, 5, 128, 0.003, "adam", 2048, 512, 3000),
        (101, 5, 128, 0.003, "adam", 4096, 256, 3000),
    ),
    "paper": tuple(
        (101, k, q, 30 / q if k == 3 else 0.003, "sgd" if k == 3 else "adam", 4096, 1024, 20_000)
        for k in (3, 5, 7) for q in (64, 256, 1024, 4096)
    ),
}  # fmt: skip
FOUND = {
    "smoke": ((101, 3, 8, 4096, 64),),
    "desk": ((101, 3, 16, 4096, 256), (301, 3, 16, 4096, 256), (1001, 3, 16, 4096, 256)),
    "paper": ((101, 3, 16, 4096, 256), (301, 3, 16, 4096, 2048), (1001, 3, 16, 4096, 16_384)),
}  # n, k, q, batch, batches: step 1 alone
RUNS = {"smoke": 2, "desk": 2, "paper": 5}

SAMPLED = Claim(
    id="DM1-sampled",
    source=f"{SOURCE}, theorem 3",
    statement="From samples as well the net learns easy parities.",
    kind="experiment",
    criterion={
        "smoke": "(25, 3), q = 32, step 1 on 65,536 examples: at most 1 % of 4096 held-out answers wrong within the "
        "budget in every run",
        "desk": "(51, 3), (101, 3), (51, 5), (101, 5), step 1 on 2^20 examples: at most 1 % of 4096 held-out answers "
        "wrong within the budget in every run",
        "paper": "n = 101, k = 3, 5, 7, q = 64 to 4096, step 1 on 2^22 examples: at most 1 % of 4096 held-out answers "
        "wrong within the budget in every run",
    },
)
TOLD = Claim(
    id="DM2-sampled",
    source=f"{SOURCE}, lemma 9",
    statement="A sample tells the hidden bits in one step, at n up to 1,001.",
    kind="experiment",
    criterion={
        "smoke": "n = 101, 2^18 examples: (mean |w| on A) / (mean |w| off A) >= 20, and the k largest of sum_i |w_ij| "
        "are A, in every run",
        "desk": "n = 101, 301, 1001, 2^20 examples: (mean |w| on A) / (mean |w| off A) >= 20, and the k largest of "
        "sum_i |w_ij| are A, in every run",
        "paper": "n = 101, 301, 1001, 2^20 to 2^26 examples: (mean |w| on A) / (mean |w| off A) >= 20, and the k "
        "largest of sum_i |w_ij| are A, in every run",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    measures = ("eval/error", "eval/uniform_error")
    found = {}
    for n, k, q, rate, then, batch, batches, budget in LEARNT[scale]:
        net = trial(n, k, q, rate, batches=batches, then=then).replace(
            batch=batch,
            budget=budget,
            solve=ay.Solve(sample=4096, every=20, accuracy=0.99),
            record=ay.Record(measures=measures, every=20),
        )
        name = f"n = {n}, k = {k}" + (f", q = {q}" if scale == "paper" else "")
        found[name] = ay.Sweep(net, ay.seeds(RUNS[scale]))
    for n, k, q, batch, batches in FOUND[scale]:
        net = trial(n, k, q, 0.5, batches=batches).replace(
            batch=batch,
            budget=batches,
            solve=None,
            record=ay.Record(measures=("weights/first_layer",), steps=(batches,)),
        )
        found[f"step 1, n = {n}"] = ay.Sweep(net, ay.seeds(RUNS[scale]))
    return found


def sweep(scale: str) -> ay.Sweep:
    first, *rest = sweeps(scale).values()
    return sum(rest, first)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    of = {item.identity: (name, i) for i, (name, part) in enumerate(sweeps(scale).items()) for item in part.trials()}
    names = pl.DataFrame([(trial, *place) for trial, place in of.items()], schema=["trial", "panel", "i"], orient="row")
    learning = names.filter(~pl.col("panel").str.starts_with("step 1"))
    curves = runs.curves.join(learning, on="trial", maintain_order="left")
    drawn = bands.examples_and_band(curves, ["eval/error", "eval/uniform_error"], by=["i", "panel"])
    trials = runs.frame.select("trial", "outcome", "step", "task.n", "task.k").join(names, on="trial")
    weights = []
    for trial_, layers in runs.arrays("weights/first_layer").items():
        sizes, k = np.abs(layers[-1]), int(trials.filter(trial=trial_)["task.k"][0])
        largest = set(np.argsort(sizes.sum(axis=0))[-k:].tolist())
        on, off = float(sizes[:, :k].mean()), float(sizes[:, k:].mean())
        weights.append({"trial": trial_, "on": on, "off": off, "ratio": on / off, "found": largest == set(range(k))})
    return pl.concat(
        [
            drawn.sort("i", maintain_order=True).with_columns(part=pl.lit("curves"), chance=pl.lit(0.5)),
            trials.join(pl.DataFrame(weights), on="trial", how="left")
            .sort("i", "trial")
            .with_columns(part=pl.lit("trials")),
        ],
        how="diagonal_relaxed",
    )


def figure(table: pl.DataFrame) -> Display:
    return TrainingCurves(
        table.filter(part="curves"),
        panel="panel",
        y_label="held-out error",
        labels={"eval/error": "all inputs", "eval/uniform_error": "uniform inputs"},
        title="Easy parities from samples",
        caption="Error on held-out examples against steps, on all inputs and on uniform ones: single runs (thin), "
        "median and 10-90 % band. The flat stretch at the start is step 1, which averages over many batches. Runs end "
        "at 1 % error. Daniely and Malach 2020, theorem 3.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    trials = table.filter(part="trials")
    nets, first = trials.filter(pl.col("ratio").is_null()), trials.drop_nulls("ratio")
    solved = nets.filter(outcome="solved").height
    times = nets.group_by("panel", maintain_order=True).agg(pl.median("step"), (pl.col("outcome") == "solved").sum())
    words = "; ".join(f"{panel}: {count} solved, median step {step:.0f}" for panel, step, count in times.rows())
    ratios = first.group_by("panel", maintain_order=True).agg(pl.min("ratio"))
    least = float(first["ratio"].to_numpy().min())
    told = "; ".join(f"{panel}: {ratio:.1f}" for panel, ratio in ratios.rows())
    return [
        SAMPLED.judged(solved == nets.height, solved / nets.height, None, f"value: solved fraction. {words}"),
        TOLD.judged(
            least >= 20 and bool(first["found"].all()), least, None,
            f"value: smallest ratio. {told}; A found in {int(first['found'].sum())}/{first.height}",
        ),
    ]  # fmt: skip


experiment = Experiment(
    name="sampled",
    title="Easy parities from samples",
    source="theorem 3",
    claims=(SAMPLED, TOLD),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
