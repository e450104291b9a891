"""Boolean functions of few bits as truth tables: named functions, the input bias that balances them, and every
subset of coordinates on which one fits a sample.

A table has 2^k bits; the entry number u = sum_j 2^j b_j is the value at (b_0, ..., b_{k-1}), b_j being the bit of the
j-th smallest relevant coordinate. Edelman, Goel, Kakade, Zhang 2022, "Inductive biases and variable creation in
self-attention mechanisms", section 4.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Bool, Float, Int64, UInt8, UInt64

from assay.errors import ConfigError
from assay.maths.gf2 import pack

NAMED = ("and", "or", "xor", "majority")
LARGEST = 10
"""Most bits of a table: 1024 entries."""


def patterns(k: int) -> UInt8[np.ndarray, "{2**k} {k}"]:
    """Row u holds the bits b_0, ..., b_{k-1} of u."""
    return (np.arange(2**k)[:, None] >> np.arange(k) & 1).astype(np.uint8)


def named_table(name: str, k: int) -> UInt8[np.ndarray, " {2**k}"]:
    """The table of and, or, xor, or majority (more than half of the bits are 1)."""
    ones = patterns(k).sum(axis=1, dtype=np.int64)
    known = {"and": ones == k, "or": ones > 0, "xor": ones % 2 == 1, "majority": 2 * ones > k}
    return known[name].astype(np.uint8)


def symmetric_table(by_count: UInt8[np.ndarray, " {k}+1"], k: int) -> UInt8[np.ndarray, " {2**k}"]:
    """The table of a function of the number of ones alone."""
    return by_count[patterns(k).sum(axis=1, dtype=np.int64)]


def is_symmetric(table: UInt8[np.ndarray, " entries"]) -> bool:
    """Whether the value depends on the number of ones alone."""
    ones = patterns(_bits(table)).sum(axis=1)
    return all(len(set(table[ones == count].tolist())) == 1 for count in range(_bits(table) + 1))


def frequency(table: UInt8[np.ndarray, " entries"], p: float) -> float:
    """Pr[f = 1] when each bit is 1 with probability p: sum_u f(u) p^|u| (1-p)^(k-|u|)."""
    return float(_frequencies(table, np.array([p]))[0])


def balanced_bias(table: UInt8[np.ndarray, " entries"]) -> float:
    """The p nearest to 1/2 at which Pr[f = 1] = 1/2, the larger of two as near; 1/2 where there is none.

    For AND it is 2^(-1/k), for OR one minus that.
    """
    # Pr[f = 1] is a polynomial of degree k: its crossings of 1/2 are bracketed on a grid and bisected
    grid = np.linspace(0, 1, 2001)
    above = _frequencies(table, grid) - 0.5
    above[np.abs(above) < 1e-13] = 0.0
    crossed = np.flatnonzero(above[:-1] * above[1:] < 0)
    low, high, rising = grid[crossed], grid[crossed + 1], above[crossed + 1] > 0
    for _ in range(50):
        middle = (low + high) / 2
        before = (_frequencies(table, middle) > 0.5) != rising
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    roots = [*grid[above == 0].tolist(), *low.tolist()]
    return min(roots, key=lambda p: (round(abs(p - 0.5), 9), -p), default=0.5)


def _frequencies(table: UInt8[np.ndarray, " entries"], p: Float[np.ndarray, " many"]) -> Float[np.ndarray, " many"]:
    k = _bits(table)
    by_count = np.bincount(patterns(k).sum(axis=1), weights=table, minlength=k + 1)  # tables' ones by number of bits
    ones = np.arange(k + 1)
    return (by_count * p[:, None] ** ones * (1 - p[:, None]) ** (k - ones)).sum(axis=1)


def log2_hypotheses(n: int, k: int) -> float:
    """log2 C(n, k): examples that any learner of the hidden subset needs, since a label says at most one bit."""
    return math.log2(math.comb(n, k))


def fitting_subsets(
    x: UInt8[np.ndarray, "m n"], y: UInt8[np.ndarray, " m"], table: UInt8[np.ndarray, " entries"]
) -> Int64[np.ndarray, "fits k"]:
    """Every k-subset S of the coordinates with y = f(x_S) on the whole sample, one a row, members increasing.

    Subsets are extended from their smallest members. An example whose bits so far fix the value of f refutes the
    beginning if its label is another one; so conjunctions keep only the coordinates that are 1 in every positive
    example, and the search is quick at any n. Parities fix nothing before the last bit: there it is enumeration.
    """
    k = _bits(table)
    columns, labels = pack(x.T), pack(y)  # [n, W], [W]
    everywhere = pack(np.ones(len(y), np.uint8))
    wrong_if = {0: labels, 1: labels ^ everywhere}  # examples refuting a value
    members = np.zeros((1, 0), np.int64)
    inside = np.broadcast_to(everywhere, (1, 1, len(labels)))  # [prefix, pattern of its bits, W]
    for depth in range(1, k + 1):
        members, inside = _extended(members, inside, columns, room=k - depth)
        fixed = table.reshape(2 ** (k - depth), 2**depth)  # what is left is high, what is there is low
        refuted = np.zeros(len(members), bool)
        for pattern in range(2**depth):
            values = set(fixed[:, pattern].tolist())
            if len(values) == 1:
                refuted |= (inside[:, pattern] & wrong_if[values.pop()]).any(axis=1)
        members, inside = members[~refuted], inside[~refuted]
    return members


def fits_every_table(
    x: UInt8[np.ndarray, "m n"], y: UInt8[np.ndarray, " m"], subsets: Int64[np.ndarray, "some k"]
) -> Bool[np.ndarray, " some"]:
    """Whether some function of k bits fits on each subset: equal bits have equal labels."""
    columns, labels = pack(x.T), pack(y)
    everywhere = pack(np.ones(len(y), np.uint8))
    result = np.ones(len(subsets), bool)
    for pattern in patterns(subsets.shape[1]):
        flipped = np.where(pattern[None, :, None] == 1, columns[subsets], columns[subsets] ^ everywhere)
        inside = np.bitwise_and.reduce(flipped, axis=1)
        result &= ~((inside & labels).any(axis=1) & (inside & ~labels).any(axis=1))
    return result


def _extended(
    members: Int64[np.ndarray, "prefixes depth"],
    inside: UInt64[np.ndarray, "prefixes patterns W"],
    columns: UInt64[np.ndarray, "n W"],
    room: int,
) -> tuple[Int64[np.ndarray, "longer depth+1"], UInt64[np.ndarray, "longer 2*patterns W"]]:
    """Each prefix with each larger coordinate that leaves room for as many again."""
    n = len(columns)
    first = members[:, -1] + 1 if members.shape[1] else np.zeros(len(members), np.int64)
    counts = np.maximum(n - room - first, 0)
    parent = np.repeat(np.arange(len(members)), counts)
    added = np.arange(len(parent)) - np.repeat(np.cumsum(counts) - counts, counts) + first[parent]
    zero = inside[parent] & ~columns[added][:, None, :]
    one = inside[parent] & columns[added][:, None, :]
    return np.column_stack([members[parent], added]), np.concatenate([zero, one], axis=1)


def _bits(table: UInt8[np.ndarray, " entries"]) -> int:
    k = len(table).bit_length() - 1
    if len(table) != 2**k or not 1 <= k <= LARGEST:
        raise ConfigError("table", len(table), f"2^k entries with k between 1 and {LARGEST}")
    return k
