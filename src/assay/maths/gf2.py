"""Linear algebra over GF(2), the integers modulo 2: reduced row echelon form, rank, solutions, null space.

A matrix is an array of 0 and 1. Inside, rows are packed into 64-bit words, bit j % 64 of word j // 64 being entry j, so
that adding a row to all others is one XOR of words: n^3 / 64 word operations for n rows and columns (as in M4RI:
Albrecht, Bard, Hart 2010, without their tables).
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Integer, UInt8, UInt64

WORD_BITS = 64


def pack(bits: Integer[np.ndarray, "*batch columns"]) -> UInt64[np.ndarray, "*batch words"]:
    """Rows of 0 and 1 as words; the unused high bits of the last word are 0."""
    octets = np.packbits(bits.astype(bool), axis=-1, bitorder="little")
    padding = -octets.shape[-1] % (WORD_BITS // 8)
    padded = np.pad(octets, [(0, 0)] * (octets.ndim - 1) + [(0, padding)])
    return np.ascontiguousarray(padded).view("<u8").astype(np.uint64)


def unpack(words: UInt64[np.ndarray, "*batch words"], columns: int) -> UInt8[np.ndarray, "*batch {columns}"]:
    """The first entries of packed rows."""
    octets = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=columns, bitorder="little")


def row_reduce(
    words: UInt64[np.ndarray, "rows words"], columns: int
) -> tuple[UInt64[np.ndarray, "rank words"], list[int]]:
    """Reduced row echelon form of the first `columns` entries, without its zero rows, and its pivots.

    Entries beyond them follow along. Each of the rows that are left is a sum of the same rank-many independent ones.
    """
    rows = words.copy()
    pivots: list[int] = []
    for column in range(columns):
        rank = len(pivots)
        if rank == len(rows):
            break
        word, bit = divmod(column, WORD_BITS)
        ones = (rows[:, word] & np.uint64(1 << bit)) != 0
        pivot = rank + int(ones[rank:].argmax())
        if not ones[pivot]:
            continue
        ones[pivot] = False
        rows[ones, word:] ^= rows[pivot, word:]  # a row that is no pivot yet is 0 in all words before
        if pivot != rank:
            rows[[rank, pivot]] = rows[[pivot, rank]]
        pivots.append(column)
    return rows[: len(pivots)], pivots


def rank(matrix: Integer[np.ndarray, "rows columns"]) -> int:
    """The number of independent rows."""
    return len(row_reduce(pack(matrix), matrix.shape[1])[1])


def solve(
    matrix: Integer[np.ndarray, "rows columns"], right: Integer[np.ndarray, " rows"]
) -> UInt8[np.ndarray, " columns"] | None:
    """One x with A x = b, 0 where x is free; None where there is none."""
    columns = matrix.shape[1]
    reduced, pivots = row_reduce(pack(np.concatenate([matrix, right[:, None]], axis=1)), columns + 1)
    if columns in pivots:
        return None
    solution = np.zeros(columns, np.uint8)
    solution[pivots] = unpack(reduced, columns + 1)[:, columns]
    return solution


def null_space(matrix: Integer[np.ndarray, "rows columns"]) -> UInt8[np.ndarray, "free columns"]:
    """A basis of all x with A x = 0, as rows: one for each free column, 1 there and 0 in the other free ones."""
    columns = matrix.shape[1]
    reduced, pivots = row_reduce(pack(matrix), columns)
    free = np.setdiff1d(np.arange(columns), pivots)
    basis = np.zeros((len(free), columns), np.uint8)
    basis[np.arange(len(free)), free] = 1
    basis[:, pivots] = unpack(reduced, columns)[:, free].T
    return basis
