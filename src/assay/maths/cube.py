"""The cube {-1,+1}^n: its points in a fixed order, and its points as packed bits.

Bit 1 encodes -1, here and everywhere in Assay. Row r of the cube, 0 <= r < 2^n, is the point with x_i = -1
exactly where bit i of r is set: row 0 is all ones, row 2^n - 1 all minus ones, and the character of the subset
with bitmask S is chi_S(x_r) = (-1)^popcount(r & S). Packed words have 32 bits, little-endian in the coordinate:
coordinate i is bit i % 32 of word i // 32, so row r packs into the single word r.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float64, Int8, Real, UInt32

from assay.errors import ConfigError

MAX_BITS = 24
"""Largest n that is enumerated: the cube as int8 takes 2^n n bytes (403 MB), a function on it 2^n float64 (134 MB)."""

WORD_BITS = 32


def cube(n: int) -> Int8[np.ndarray, "points n"]:
    """Every point of {-1,+1}^n, row by row; for large n `cube_blocks` needs less memory."""
    check_bits(n)
    return _rows(0, 1 << n, n)


def cube_blocks(n: int, rows: int = 1 << 16) -> Iterator[Int8[np.ndarray, "block n"]]:
    """The same rows in the same order, at most `rows` of them at a time."""
    check_bits(n)
    if rows < 1:
        raise ConfigError("cube_blocks.rows", rows, ">= 1")
    return (_rows(start, min(start + rows, 1 << n), n) for start in range(0, 1 << n, rows))


def linear_form(weights: Real[np.ndarray, " n"], constant: float = 0.0) -> Float64[np.ndarray, " points"]:
    """w.x + b at every row of the cube, without the cube: each coordinate doubles what is already there."""
    n = len(weights)
    check_bits(n)
    values = np.empty(1 << n)
    values[0] = constant
    for i, weight in enumerate(weights):
        half = 1 << i
        np.subtract(values[:half], weight, out=values[half : 2 * half])
        values[:half] += weight
    return values


def pack(signs: Any) -> UInt32[np.ndarray, "*batch words"]:
    """Rows of -1 and +1 as 32-bit words; the unused high bits of the last word are 0."""
    signs = np.asarray(signs)
    wrong = signs[np.abs(signs) != 1]
    if wrong.size:
        raise ConfigError("pack.signs", wrong.flat[0].item(), "-1 or +1 in every entry")
    octets = np.packbits(signs < 0, axis=-1, bitorder="little")
    padding = -octets.shape[-1] % (WORD_BITS // 8)
    padded = np.pad(octets, [(0, 0)] * (octets.ndim - 1) + [(0, padding)])
    return padded.view("<u4").astype(np.uint32)


def unpack(words: UInt32[np.ndarray, "*batch words"], n: int) -> Int8[np.ndarray, "*batch n"]:
    """The first n coordinates of packed rows as -1 and +1; whatever the bits beyond n hold is ignored."""
    capacity = WORD_BITS * words.shape[-1]
    if not 0 <= n <= capacity:
        raise ConfigError("unpack.n", n, f"between 0 and {capacity}, the bits in {words.shape[-1]} words")
    octets = np.ascontiguousarray(words, dtype="<u4").view(np.uint8)
    signs = np.unpackbits(octets, axis=-1, count=n, bitorder="little").view(np.int8)
    signs *= -2  # in place: at n = 24 a copy is 400 MB
    signs += 1
    return signs


def check_bits(n: int) -> None:
    """Refuses a cube that is empty or too large to enumerate."""
    if not 1 <= n <= MAX_BITS:
        raise ConfigError("n", n, f"between 1 and {MAX_BITS} to enumerate all 2^n points")


def _rows(start: int, stop: int, n: int) -> Int8[np.ndarray, "block n"]:
    return unpack(np.arange(start, stop, dtype=np.uint32)[:, None], n)
