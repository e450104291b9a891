"""Box plots as tables: quartiles, whiskers and extremes of solve times, runs that were not solved included.

Whiskers end at the most extreme times within 1.5 interquartile ranges of the box (Tukey 1977). An unsolved run has the
time +infinity, so a box, a whisker or an extreme may be infinite: null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from jaxtyping import Float

from assay.analysis import frames, survival
from assay.analysis.quantiles import quantile_with_infinities

Array = np.ndarray

NUMBERS = ("solved_fraction", "low", "whisker_low", "q25", "q50", "q75", "whisker_high", "high")
SCHEMA = pl.Schema({"n": pl.Int64} | dict.fromkeys(NUMBERS, pl.Float64))


def summary(runs: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """One row a group: n, solved_fraction, and the box: low and high are the smallest and the largest solve time."""
    frames.require(runs, [*by, "outcome", "step"], "the runs frame")
    frames.check_names(by, SCHEMA.names())
    keys, groups = frames.split(runs.select(*by, survival.solve_time()), by)
    return frames.join(keys, [box(group["solve_time"].to_numpy()) for group in groups], SCHEMA)


def box(times: Float[Array, " N"]) -> Mapping[str, object]:
    """The numbers of one box; infinite where they are."""
    ordered = np.sort(times)
    q25, q50, q75 = quantile_with_infinities(ordered, (0.25, 0.5, 0.75))
    reach = 1.5 * (q75 - q25) if np.isfinite(q25) else np.inf
    return {
        "n": len(ordered), "solved_fraction": float(np.isfinite(ordered).mean()),
        "low": ordered[0], "whisker_low": ordered[ordered >= q25 - reach][0] if np.isfinite(q25) else ordered[0],
        "q25": q25, "q50": q50, "q75": q75,
        "whisker_high": ordered[ordered <= q75 + reach][-1], "high": ordered[-1],
    }  # fmt: skip
