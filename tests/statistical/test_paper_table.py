"""10th percentiles of solve times beside the paper's own: Barak et al. 2022, figure 7, n = 30.

The paper's entries rest on 25 runs each. So a cell agrees if the paper's number lies where the 10th percentile of 25 of
our runs lies with probability 99.9 % (30 cells), and over all cells the geometric mean of ours over theirs must be near
1. Learning rates are the best of the paper's grid 1, 0.1, 0.01 where it is without doubt which that is; for (iv) and
(xiv) the paper's numbers rule out its 1.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import assay as ay
from assay.engine.base import Control, Result
from assay.engine.xla.engine import Xla

PAPER: dict[str, dict[int, tuple[float, float, float]]] = {  # setting -> batch -> 10th percentile at k = 2, 3, 4
    "i": {32: (30, 318, 2032), 128: (20, 188, 326)},
    "ii": {32: (30, 174, 806), 128: (20, 124, 240)},
    "iv": {32: (40, 104, 3350), 128: (34, 94, 368)},
    "xiv": {32: (20, 60, 168), 128: (20, 50, 150)},
    "xv": {32: (20, 94, 234), 128: (10, 20, 34)},
}
NETS: dict[str, ay.Net] = {
    "i": ay.MLP(width=10),
    "ii": ay.MLP(width=100),
    "iv": ay.MLP(width=10, activation="power"),
    "xiv": ay.Neuron(),
    "xv": ay.PolyNet(),
}
RUNS = 200
BUDGET = 12_000


def rate(setting: str, k: int, batch: int) -> float:
    if setting in ("i", "ii"):
        return 1.0
    if setting == "xv":
        return 1.0 if batch == 128 or k == 2 else 0.1
    return 0.01 if (setting, k, batch) == ("iv", 4, 32) else 0.1


def tenth(times: np.ndarray) -> float:
    """The paper's statistic: linear interpolation, unsolved runs infinite."""
    ordered = np.sort(times)
    place = 0.1 * (len(times) - 1)
    low, high = ordered[int(place)], ordered[math.ceil(place)]
    return float(low if low == high else low + (place % 1) * (high - low)) if math.isfinite(high) else math.inf


def solve_times(setting: str, k: int, batch: int) -> np.ndarray:
    optimiser = ay.SGD(learning_rate=rate(setting, k, batch))
    trial = ay.Trial(task=ay.Parity(n=30, k=k), net=NETS[setting], optimiser=optimiser, batch=batch, budget=BUDGET)
    runs = Xla().run([trial.reseeded(seed) for seed in range(RUNS)], Control())
    return np.array([run.step if run.outcome == "solved" else math.inf for run in runs if isinstance(run, Result)])


@pytest.mark.slow
def test_tenth_percentiles_agree_with_the_papers_table():
    rows, outside, ratios = [], [], []
    for setting, batches in PAPER.items():
        for batch, papers in batches.items():
            for k, paper in zip((2, 3, 4), papers, strict=True):
                times = solve_times(setting, k, batch)
                draws = np.random.default_rng(0).choice(times, (20_000, 25))
                low, high = np.quantile([tenth(draw) for draw in draws], (0.0005, 0.9995), method="inverted_cdf")
                row = f"({setting}) B={batch} k={k}: paper {paper:g}, ours {tenth(times):g}, of 25 {low:g} to {high:g}"
                rows.append(row)
                ratios.append(tenth(times) / paper)
                if not low - 10 <= paper <= high + 10:  # a check every 10 steps moves a percentile by up to 10
                    outside.append(row)
    near = np.mean(np.abs(np.log(ratios)) <= math.log(1.3))
    mean = math.exp(np.log(ratios).mean())
    print(*rows, f"geometric mean of ours over theirs {mean:.3f}; within a factor 1.3: {near:.0%} of cells", sep="\n")
    assert not outside
    assert 0.9 <= mean <= 1.1
