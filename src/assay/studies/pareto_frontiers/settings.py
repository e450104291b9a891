"""What the parity runs of Edelman et al. 2023 have in common (section 5, appendix C.1), and what was chosen for them.

The loss is not stated: hinge, which the research line's offline runs used at the same rate and batch. Weight decay is
PyTorch's, on all parameters; batches are independent draws from the training set. Solved: at most 10 % of 10,000
held-out examples wrong, checked every 200 steps.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping

import polars as pl
from scipy import stats

import assay as ay

SOLVE = ay.Solve(accuracy=0.9, sample=10_000, every=200)
INITS: Mapping[str, ay.Init] = {"dense": ay.Uniform(), "sparse": ay.Sparse(nonzeros=2)}
WIDTHS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
SIZES = (100, 200, 300, 600, 1000, 2000, 3000, 6000, 10_000, 20_000, 30_000, 60_000, 100_000, 200_000, 300_000,
         600_000, 1_000_000)  # fmt: skip
CELL = ("bits", "k", "init", "width", "samples")
"""What tells the cells of a sweep apart; bits is n, since n counts runs."""
ONLINE = 0
"""The size that stands for fresh examples at every step, in tables and figures."""


def trial(n: int, k: int, *, width: int = 100, samples: int = ONLINE, init: str = "dense", budget: int) -> ay.Trial:
    """A run under the settings of the sweeps."""
    return ay.Trial(
        task=ay.Parity(n=n, k=k),
        net=ay.MLP(width=width),
        init=INITS[init],
        optimiser=ay.SGD(learning_rate=0.1, weight_decay=0.01),
        data=source(samples),
        batch=32,
        budget=budget,
        solve=SOLVE,
    )


def source(samples: int) -> ay.Offline | ay.Online:
    """A training set of so many examples, or fresh ones."""
    return ay.Online() if samples == ONLINE else ay.Offline(samples=samples, order="replacement")


def together(parts: Iterable[ay.Sweep]) -> ay.Sweep:
    """The sum of sweeps."""
    return functools.reduce(operator.add, parts)


def cells(frame: pl.DataFrame) -> pl.DataFrame:
    """The runs with the columns of `CELL`; samples is 0 where examples are fresh."""
    samples = pl.col("data.samples") if "data.samples" in frame.columns else pl.lit(None, pl.Int64)
    return frame.with_columns(
        bits="task.n", k="task.k", init=pl.col("init.kind").replace("uniform", "dense"), width="net.width",
        samples=samples.fill_null(ONLINE),
    )  # fmt: skip


def wilson(count: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a fraction."""
    interval = stats.binomtest(count, total).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)
