"""How exponents grow with a parameter: least squares of exponents on k, with the interval that theirs imply.

alpha = sum_i c_i exponent_i with c_i = (k_i - mean k) / sum_j (k_j - mean k)^2. The exponents rest on different runs,
so their errors are independent and variances add up: half^2(alpha) = sum_i c_i^2 half^2(exponent_i), where half is
half the width of a 95 % interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from assay.analysis import frames

SCHEMA = pl.Schema(dict.fromkeys(["alpha", "alpha_low", "alpha_high", "r2"], pl.Float64) | {"ks": pl.Int64})


def growth(laws: pl.DataFrame, k: str, by: Sequence[str]) -> pl.DataFrame:
    """One row a group of `powerlaw.fit_solve_times`: the slope `alpha` of exponents on `k` with its 95 % interval, the
    r2 of that line, and the number `ks` of exponents. Exponents without an interval are left out; null with fewer than
    two."""
    frames.require(laws, [*by, k, "exponent", "exponent_low", "exponent_high"], "the table of laws")
    frames.check_names(by, SCHEMA.names())
    keys, groups = frames.split(laws, by)
    return frames.join(keys, [_growth(group, k) for group in groups], SCHEMA)


def _growth(group: pl.DataFrame, k: str) -> Mapping[str, object]:
    rows = group.drop_nulls(["exponent", "exponent_low", "exponent_high"])
    at, exponent, low, high = (rows[name].to_numpy() for name in (k, "exponent", "exponent_low", "exponent_high"))
    if len(np.unique(at)) < 2:
        return dict.fromkeys(["alpha", "alpha_low", "alpha_high", "r2"], math.nan) | {"ks": rows.height}
    weights = (at - at.mean()) / ((at - at.mean()) ** 2).sum()
    alpha = float(weights @ exponent)
    half = math.sqrt(float((weights**2) @ ((high - low) / 2) ** 2))
    spread = ((exponent - exponent.mean()) ** 2).sum()
    left = ((exponent - exponent.mean() - alpha * (at - at.mean())) ** 2).sum()
    r2 = float(1 - left / spread) if spread else math.nan
    return {"alpha": alpha, "alpha_low": alpha - half, "alpha_high": alpha + half, "r2": r2, "ks": rows.height}
