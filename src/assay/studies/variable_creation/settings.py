"""The setting of Edelman, Goel, Kakade, Zhang 2022, appendix A.3.1, as in Edelman 2024, appendix A.3, and its protocol.

One-layer Transformer, full-batch AdamW with minGPT's groups (weight decay on the matrices of linear layers alone),
gradient norm clipped at 1, a validation sample tested every 10 steps, and restarts: fresh weights and fresh dropout on
the same data, best of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
from scipy import stats

import assay as ay

UNDECAYED = ("embed_positions", "embed_start", "embed_tokens", "norm_heads", "norm_mlp", "norm_output")
BIASED = ("heads_key", "heads_out", "heads_query", "heads_value", "mlp_in", "mlp_out")
ADAM = ay.AdamW(
    learning_rate=1e-3,
    weight_decay=1e-4,
    clip=1.0,
    rates=(
        *(ay.Rate(layer=layer, weight_decay=0.0) for layer in UNDECAYED),
        *(ay.Rate(layer=layer, array="bias", weight_decay=0.0) for layer in BIASED),
    ),
)
TRIAL = ay.Trial(
    task=ay.SparseBoolean(n=16),
    net=ay.ClsTransformer(),
    init=ay.Normal(),
    loss=ay.CrossEntropy(),
    optimiser=ADAM,
    data=ay.Offline(samples=64),
    batch="all",
    budget=1000,
)
SOLVED = 0.9901
"""Smallest accuracy above 0.99 that a sample of 10,000 can show."""


def validation(sample: int) -> ay.Solve:
    """Stops at the first step, a multiple of 10, with accuracy > 0.99: the criterion is a maximum over steps."""
    return ay.Solve(accuracy=SOLVED, sample=sample, every=10)


def samples(*sizes: int) -> Any:
    """Training sets of these sizes, each drawn anew until it fits one hypothesis only."""
    return ay.zipped(ay.axis("data.samples", *sizes), ay.axis("task.screened", *sizes))


def replicates(count: int, restarts: int) -> Any:
    """Every training set with every initialisation: restarts are fresh weights and dropout on the same data."""
    return ay.product(ay.axis("init.seed", *range(restarts)), ay.seeds(count))


def best_of_restarts(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """One row a replicate: whether any of its restarts was solved, at which step first, and whether the first one
    was."""
    ordered = frame.sort(*by, "seed", "init.seed")
    solved = pl.col("outcome") == "solved"
    return ordered.group_by(*by, "seed", maintain_order=True).agg(
        success=solved.any(), first=solved.first(), restarts=pl.len(), step=pl.col("step").filter(solved).min()
    )


def wilson(count: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a fraction."""
    interval = stats.binomtest(count, total).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)
