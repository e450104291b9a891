"""Searching subsets: the two warm-up algorithms that trade data, time and luck without any gradient.

Exhaustive search keeps the k-subset with the fewest wrong labels: about k log n examples, C(n,k) checks. A random part
of
all subsets costs fewer checks and succeeds in proportion. Edelman et al. 2023, section 3.2.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Int8, Int64

from assay.errors import ConfigError
from assay.maths.subsets import subset_masks

MOST = 200_000
"""Subsets of one search."""


def search(n: int, k: int, samples: int, rng: np.random.Generator, queries: int | None = None) -> tuple[bool, int]:
    """Whether a search of `queries` random k-subsets (all if none) finds the hidden one from `samples` examples, and
    how many subsets it looked at. Ties are broken at random; the subset is random too."""
    total = math.comb(n, k)
    if total > MOST:
        raise ConfigError("C(n, k)", total, f"at most {MOST}", "the subsets are enumerated")
    masks = subset_masks(n, k)
    hidden = int(rng.integers(total))
    tried = np.arange(total) if queries is None else rng.choice(total, size=queries, replace=False)
    points = rng.integers(0, 1 << n, size=samples)
    labels = _labels(masks[[hidden]], points)[0]
    wrong = (_labels(masks[tried], points) != labels).sum(axis=1)
    best = np.flatnonzero(wrong == wrong.min())
    return bool(tried[rng.choice(best)] == hidden), len(tried)


def _labels(masks: Int64[np.ndarray, " subsets"], points: Int64[np.ndarray, " m"]) -> Int8[np.ndarray, "subsets m"]:
    return (np.bitwise_count(masks[:, None] & points) & 1).astype(np.int8)
