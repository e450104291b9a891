"""Spearman's rank correlation with a bootstrap interval.

Its use here: does an early measure foretell the solve time (rho of the movement of the weights at step t
against t_c)? Ranks make that a fair question for runs that were not solved: their solve time is +infinity,
they share the highest rank, and nothing is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from scipy import stats

from assay.analysis import frames
from assay.errors import ConfigError

SCHEMA = pl.Schema({"n": pl.Int64, "rho": pl.Float64, "rho_low": pl.Float64, "rho_high": pl.Float64, "p": pl.Float64})


def spearman(
    table: pl.DataFrame, x: str, y: str, by: Sequence[str] = (), resamples: int = 999, seed: int = 0
) -> pl.DataFrame:
    """One row a group: n, rho with its 95 % percentile interval over resampled rows, and the p-value of rho = 0.

    Values may be infinite, not null or NaN. Null results mean undefined: fewer than three rows or a constant column.
    """
    frames.check_resamples(resamples)
    frames.require(table, [*by, x, y], "the table")
    frames.check_names(by, SCHEMA.names())
    for column in (x, y):
        missing = table[column].cast(pl.Float64).fill_nan(None).null_count()
        if missing:
            advice = "write an unsolved run as +inf (survival.solve_time) and drop rows that have no value"
            raise ConfigError(f"column {column}", f"{missing} of them", "free of null and NaN", advice)
    keys, groups = frames.split(table, by)
    return frames.join(keys, [_correlation(group, x, y, resamples, seed) for group in groups], SCHEMA)


def _correlation(group: pl.DataFrame, x: str, y: str, resamples: int, seed: int) -> Mapping[str, object]:
    pair = [group[column].cast(pl.Float64).to_numpy() for column in (x, y)]
    if group.height < 3 or any(len(np.unique(values)) == 1 for values in pair):
        return {"n": group.height} | dict.fromkeys(["rho", "rho_low", "rho_high", "p"], np.nan)
    ranks = [stats.rankdata(values) for values in pair]
    whole = stats.spearmanr(*ranks)
    drawn = np.random.default_rng(seed).integers(group.height, size=(resamples, group.height))
    redrawn = _pearson(*(stats.rankdata(values[drawn], axis=1) for values in ranks))
    low, high = np.nanquantile(redrawn, (0.025, 0.975))
    return {"n": group.height, "rho": whole.statistic, "rho_low": low, "rho_high": high, "p": whole.pvalue}


def _pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Correlation of the rows; NaN where a resampled row is constant."""
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (x, y))
    norm = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    return np.divide((x * y).sum(axis=1), norm, out=np.full(len(norm), np.nan), where=norm > 0)
