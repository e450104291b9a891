"""Other functions, sparsities and nets by the same protocol, and other learners beside them.

Source  Edelman, Goel, Kakade, Zhang 2022, section 5 (OR by symmetry, parities); the rest goes beyond the paper.
Output  table `extensions`: success of the best restart by variant and size, with Wilson intervals, and of
        l1-regularised logistic regression on the same training sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from scipy import stats
from sklearn.linear_model import LogisticRegression

import assay as ay
from assay.figures import Display, HeatTable
from assay.studies import Claim, Experiment, Judgement
from assay.studies.variable_creation.settings import TRIAL, best_of_restarts, replicates, samples, validation, wilson

GRID: Mapping[str, tuple[int, Sequence[int], int, int, int, int]] = {
    # T, m, replicates, restarts, steps, validation sample
    "smoke": (16, (64,), 4, 1, 150, 2000),
    "desk": (32, (24, 48, 96), 6, 1, 200, 2000),
    "paper": (100, (50, 75, 100, 150, 200), 40, 5, 1000, 10_000),
}
NET = ay.ClsTransformer()
TABLE = (0, 0, 0, 1, 1, 1, 0, 1)
"""b_0 b_1 or (not b_1 and b_2): a multiplexer, no symmetric function."""
FUNCTIONS: Mapping[str, dict[str, Any]] = {
    "AND": {},
    "OR": {"function": "or"},
    "majority": {"function": "majority"},
    "not all equal": {"function": (0, 1, 1, 0)},
    "multiplexer": {"function": TABLE},
    "XOR": {"function": "xor"},
}
SPARSITIES: Mapping[str, dict[str, Any]] = {f"AND of {k}": {"k": k} for k in (1, 2, 4)}
NETS: Mapping[str, ay.Net] = {
    "AND, one head": NET.replace(heads=1, d_attention=64),
    "AND, width 128": NET.replace(d_embedding=128, d_attention=8, d_mlp=512),
    "AND, no dropout": NET.replace(dropout=0.0),
}
LOGISTIC = "AND, l1 logistic regression"

MIRRORED = Claim(
    id="E5",
    source="Edelman, Goel, Kakade, Zhang 2022, section 5",
    statement="Conjunctions and disjunctions are learnt from as many samples: they are the same task by symmetry.",
    kind="experiment",
    criterion="success counts of AND and OR at every size: Fisher's exact test p >= 0.01",
)
PARITIES_ARE_HARD = Claim(
    id="X1",
    source="Edelman, Goel, Kakade, Zhang 2022, section 5; Edelman 2024, section 4.5",
    statement="From samples that are enough for conjunctions, parities of as many bits are not learnt.",
    kind="experiment",
    criterion="at the largest size at least 3/4 of the replicates succeed for AND, at most 1/4 for XOR",
)
SPARSER_IS_EASIER = Claim(
    id="X2",
    source="Edelman, Goel, Kakade, Zhang 2022, section 4.3: norms and capacity grow with s",
    statement="Conjunctions of fewer bits are learnt from fewer samples.",
    kind="experiment",
    criterion={
        "smoke": "AND of 1 bit: at least 3/4 of the replicates succeed at m = 64",
        "desk": "successes over all sizes: AND of 1 >= AND of 2 >= AND of 4, and AND of 1 > AND of 4",
        "paper": "successes over all sizes: AND of 1 >= AND of 2 >= AND of 4, and AND of 1 > AND of 4",
    },
)


def variants(scale: str) -> dict[str, ay.Trial]:
    length, _, _, _, budget, sample = GRID[scale]
    trial = TRIAL.replace(
        budget=budget,
        solve=validation(sample),
        record=ay.Record(measures=("train/error", "train/loss", "eval/error"), steps=(budget,)),
    )
    task = ay.SparseBoolean(n=length)
    found = {name: trial.replace(task=task.replace(**changes)) for name, changes in FUNCTIONS.items()}
    sparsities = dict(list(SPARSITIES.items())[:1]) if scale == "smoke" else SPARSITIES
    found |= {name: trial.replace(task=task.replace(**changes)) for name, changes in sparsities.items()}
    if scale != "smoke":
        found |= {name: trial.replace(task=task, net=net) for name, net in NETS.items()}
    return found


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    _, sizes, count, restarts, *_ = GRID[scale]
    return {
        name: ay.Sweep(trial, samples(*sizes), replicates(count, restarts)) for name, trial in variants(scale).items()
    }


def sweep(scale: str) -> ay.Sweep:
    first, *rest = sweeps(scale).values()
    return sum(rest, first)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    names = [(trial.identity, name) for name, each in sweeps(scale).items() for trial in each.trials()]
    variant = pl.DataFrame(names, schema={"trial": pl.String, "variant": pl.String}, orient="row")
    frame = runs.frame.rename({"data.samples": "m"}).join(variant, on="trial")
    best = best_of_restarts(frame, ["variant", "m"])
    rows = pl.concat([best.select("variant", "m", "seed", "success"), _logistic(scale)], how="vertical_relaxed")
    counted = rows.group_by("variant", "m", maintain_order=True).agg(
        replicates=pl.len(), successes=pl.sum("success"), rate=pl.mean("success")
    )
    ends = [wilson(k, n) for k, n in counted.select("successes", "replicates").rows()]
    order = {name: i for i, name in enumerate([*sweeps(scale), LOGISTIC])}
    counted = counted.with_columns(low=pl.Series([e[0] for e in ends]), high=pl.Series([e[1] for e in ends]))
    return counted.sort(pl.col("variant").replace_strict(order, return_dtype=pl.Int64), "m")


def _logistic(scale: str) -> pl.DataFrame:
    """l1-regularised logistic regression at the best of four penalties, on the training sets of AND."""
    length, sizes, count, *_, sample = GRID[scale]
    rows = []
    for size in sizes:
        task = ay.SparseBoolean(n=length, screened=size)
        for seed in range(count):
            x, held_out = (
                task.bits(seed, name, number, task.draw(seed)) for name, number in (("data", size), ("eval", sample))
            )
            y, truth = task.labels(seed, x), task.labels(seed, held_out)
            right = 0.0
            for inverse in (0.1, 1.0, 10.0, 100.0):
                model = LogisticRegression(l1_ratio=1, C=inverse, solver="liblinear", max_iter=1000)
                right = max(right, float(np.mean(model.fit(x, y).predict(held_out) == truth)))
            rows.append((LOGISTIC, size, seed, right > 0.99))
    return pl.DataFrame(rows, schema=["variant", "m", "seed", "success"], orient="row")


def figure(table: pl.DataFrame) -> Display:
    return HeatTable(
        table, row="variant", column="m", value="rate", centre=None, scale="linear", ends=(0.0, 1.0),
        title="Other functions, sparsities and learners",
        caption="Fraction of replicates with validation accuracy above 0.99, by function of 3 bits (unless said "
        "otherwise) and "
        "size m of the training set; the published Transformer, unless said otherwise. Same protocol as Edelman, Goel, "
        "Kakade, Zhang 2022, appendix A.3.1.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    by_cell = {(v, m): (k, n) for v, m, k, n in table.select("variant", "m", "successes", "replicates").rows()}
    _, sizes, *_ = GRID[scale]
    tests = []
    for m in sizes:
        (a, n), (b, k) = by_cell["AND", m], by_cell["OR", m]
        tests.append(float(stats.fisher_exact([[a, n - a], [b, k - b]])[1]))
    largest = max(sizes)
    conjunction, parity = (by_cell[name, largest][0] / by_cell[name, largest][1] for name in ("AND", "XOR"))
    total = {name: sum(k for (v, _), (k, _) in by_cell.items() if v == name) for name in SPARSITIES}
    one = total["AND of 1"]
    if scale == "smoke":
        easier = one >= 0.75 * by_cell["AND of 1", largest][1]
    else:
        easier = one >= total["AND of 2"] >= total["AND of 4"] and one > total["AND of 4"]
    words = ", ".join(f"{name} {count}" for name, count in total.items() if count or scale != "smoke")
    return [
        MIRRORED.judged(min(tests) >= 0.01, min(tests), note="value: smallest p"),
        PARITIES_ARE_HARD.judged(conjunction >= 0.75 and parity <= 0.25, parity, note=f"AND {conjunction:.2f}"),
        SPARSER_IS_EASIER.judged(easier, float(one), note="successes: " + words),
    ]


experiment = Experiment(
    name="extensions",
    title="Other functions, sparsities and learners",
    source="section 5, and beyond",
    claims=(MIRRORED, PARITIES_ARE_HARD, SPARSER_IS_EASIER),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
