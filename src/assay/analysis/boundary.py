"""Where a fraction crosses one half along x: the boundary m_50 of a success frontier, from a grid of runs.

The fractions are made non-decreasing by isotonic regression, and log x is interpolated linearly to the level. The
interval is that of the crossing when each cell's success probability is drawn from its Beta(1/2 + solved,
1/2 + not solved) posterior (Jeffreys), widened to the two neighbouring x between which the crossing lies: between two
points of a grid nothing is known. A boundary off the grid is null, and so is an end of an interval that lies there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from jaxtyping import Float
from scipy.optimize import isotonic_regression

from assay.analysis import frames
from assay.errors import ConfigError

SCHEMA = pl.Schema(dict.fromkeys(["crossing", "crossing_low", "crossing_high"], pl.Float64))


def crossings(
    cells: pl.DataFrame, x: str, by: Sequence[str], level: float = 0.5, draws: int = 500, seed: int = 0
) -> pl.DataFrame:
    """One row a group: the x at which the fraction `solved` / `n` of its cells crosses the level, and its interval."""
    if not 0 < level < 1:
        raise ConfigError("level", level, "between 0 and 1, both excluded")
    frames.require(cells, [x, "n", "solved", *by], "the table of cells")
    frames.check_names(by, SCHEMA.names())
    keys, groups = frames.split(cells, by)
    rows = [_crossing(group.sort(x), x, level, draws, np.random.default_rng(seed)) for group in groups]
    return frames.join(keys, rows, SCHEMA)


def _crossing(rows: pl.DataFrame, x: str, level: float, draws: int, rng: np.random.Generator) -> dict[str, float]:
    at = np.log(rows[x].to_numpy().astype(np.float64))
    solved, n = rows["solved"].to_numpy(), rows["n"].to_numpy()
    found = where(at, solved / n, n, level)
    sampled = rng.beta(0.5 + solved, 0.5 + n - solved, size=(draws, len(n)))
    spread = np.sort([where(at, each, n, level) for each in sampled])
    low, high = spread[int(0.025 * draws)], spread[int(0.975 * draws)]
    if np.isfinite(found):
        low, high = min(low, at[at <= found].max()), max(high, at[at >= found].min())
    ends = [np.exp(value) if np.isfinite(value) else np.inf for value in (found, low, high)]
    return dict(zip(SCHEMA.names(), ends, strict=True))


def where(at: Float[np.ndarray, " N"], fraction: Float[np.ndarray, " N"], weight: np.ndarray, level: float) -> float:
    """Where the isotonic fit crosses the level; -inf below the first point, +inf beyond the last."""
    fit = isotonic_regression(fraction, weights=np.asarray(weight, np.float64)).x
    if fit[0] >= level:
        return -np.inf
    if fit[-1] < level:
        return np.inf
    right = int(np.argmax(fit >= level))
    share = (level - fit[right - 1]) / (fit[right] - fit[right - 1])
    return float(at[right - 1] + share * (at[right] - at[right - 1]))
