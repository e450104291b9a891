"""k-subsets of {0, ..., n-1} as bitmasks (bit i set: i is in), and how many there are.

Subsets are listed by increasing bitmask, which is colexicographic order: the place of {c_1 < ... < c_k} in the
list is its rank C(c_1, 1) + C(c_2, 2) + ... + C(c_k, k) (Knuth, TAOCP 4A, 7.2.1.3), whatever n is.
Exact counts are `math.comb`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import numpy as np
from jaxtyping import Bool, Int64

from assay.errors import ConfigError

MAX_MASK_BITS = 62
"""Largest n whose masks fit an int64; masks that are Python integers have no such limit."""

MAX_LISTED = 1 << 26
"""Most subsets that are listed at once (512 MB); `iterate_subsets` has no such limit."""


def mask_of(subset: Collection[int], n: int) -> int:
    """The bitmask of a subset of {0, ..., n-1}, given as distinct members in any order."""
    if len(set(subset)) != len(subset) or not all(0 <= i < n for i in subset):
        raise ConfigError("subset", tuple(subset), f"distinct coordinates between 0 and {n - 1}")
    return sum(1 << i for i in subset)


def indicator(subset: Collection[int], n: int) -> Bool[np.ndarray, " n"]:
    """Which of the n coordinates are in a subset, given as distinct members in any order."""
    mask_of(subset, n)  # refuses what is none
    inside = np.zeros(n, dtype=bool)
    inside[list(subset)] = True
    return inside


def members(mask: int) -> tuple[int, ...]:
    """The members of a bitmask in increasing order."""
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


def count_subsets(n: int, k: int) -> int:
    """C(n, k) for 1 <= k <= n, if a float can hold it."""
    if not 1 <= k <= n:
        raise ConfigError("k", k, f"between 1 and n = {n}")
    if log_binomial(n, k) > 300 * math.log(10):
        raise ConfigError("(n, k)", (n, k), "such that C(n, k) is at most 1e300", "use a smaller k")
    return math.comb(n, k)


def iterate_subsets(n: int, k: int) -> Iterator[int]:
    """The masks of all k-subsets one by one, in increasing order."""
    _check_size(n, k)
    return _iterate(n, k)


def subset_masks(n: int, k: int) -> Int64[np.ndarray, " subsets"]:
    """The masks of all k-subsets in increasing order: those without the last coordinate, then those with it."""
    _check_size(n, k)
    if n > MAX_MASK_BITS or math.comb(n, k) > MAX_LISTED:
        raise ConfigError(
            "(n, k)", (n, k), f"n <= {MAX_MASK_BITS} and at most {MAX_LISTED} subsets", "use iterate_subsets"
        )
    # by_size[j] lists the j-subsets of the coordinates seen so far
    by_size = [np.zeros(1, np.int64)] + [np.empty(0, np.int64)] * k
    for i in range(n):
        for j in range(min(k, i + 1), max(0, k - (n - i)), -1):
            by_size[j] = np.concatenate([by_size[j], by_size[j - 1] | (1 << i)])
    return by_size[k]


def rank_of(subset: Collection[int]) -> int:
    """The place of a subset among all subsets of its size."""
    return sum(math.comb(c, place) for place, c in enumerate(sorted(subset), start=1))


def subset_at(rank: int, n: int, k: int) -> tuple[int, ...]:
    """The k-subset of {0, ..., n-1} at a rank, members increasing: the inverse of `rank_of`."""
    _check_size(n, k)
    if not 0 <= rank < math.comb(n, k):
        raise ConfigError("rank", rank, f"between 0 and {math.comb(n, k) - 1} for ({n}, {k})")
    chosen: list[int] = []
    for i in range(n - 1, -1, -1):
        without = math.comb(i, k - len(chosen))
        if len(chosen) < k and rank >= without:
            rank -= without
            chosen.append(i)
    return tuple(reversed(chosen))


def subsets_at(ranks: Int64[np.ndarray, " many"], n: int, k: int) -> Int64[np.ndarray, "many {k}"]:
    """The k-subsets at many ranks below C(n, k) <= 2^62, one a row, members increasing."""
    _check_size(n, k)
    chosen = np.empty((len(ranks), k), np.int64)
    for j in range(k, 0, -1):
        # the largest member c is the last with C(c, j) <= rank
        table = np.array([math.comb(c, j) for c in range(n)])
        chosen[:, j - 1] = np.searchsorted(table, ranks, side="right") - 1
        ranks = ranks - table[chosen[:, j - 1]]
    return chosen


def log_binomial(n: int, k: int) -> float:
    """ln C(n, k) = sum_{j <= k} ln((n-k+j) / j), to full relative accuracy since no term is negative."""
    _check_size(n, k)
    j = np.arange(1, min(k, n - k) + 1, dtype=np.float64)
    return float(np.sum(np.log((n - len(j) + j) / j)))


def _iterate(n: int, k: int) -> Iterator[int]:
    mask = (1 << k) - 1
    while mask < 1 << n:
        yield mask
        if mask == 0:
            return
        # the next larger number with as many ones (HAKMEM 175)
        low = mask & -mask
        carried = mask + low
        mask = carried | ((mask ^ carried) // low >> 2)


def _check_size(n: int, k: int) -> None:
    if not 0 <= k <= n:
        raise ConfigError("k", k, f"between 0 and n = {n}")
