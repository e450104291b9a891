"""Random streams: one seed, many named and independently addressable sequences.

Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3")
is a bijection of a 64-bit counter for each 64-bit key, so every number has an address: word j of example i of
stream `name` of seed s. No state is carried, nothing depends on who else is drawing, and any engine that
implements these few lines draws the same numbers. `jax.random` uses the same cipher (`fold_in` agrees with it
exactly), but neither promises its layout between versions nor hands out both output words.

A key is an array of two uint32. Inside programs everything is jax; on the host use `generator`.
"""

from __future__ import annotations

import zlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, UInt32

Key = UInt32[Array, "2"]

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)


def threefry(key0: Any, key1: Any, x0: Any, x1: Any) -> tuple[Any, Any]:
    """The cipher itself on uint32 arrays of numpy or jax: (x0, x1) -> two words."""
    schedule = (key0, key1, key0 ^ key1 ^ _PARITY)
    x0, x1 = x0 + key0, x1 + key1
    for group in range(5):
        for r in _ROTATIONS[group % 2]:
            x0 = x0 + x1
            x1 = ((x1 << np.uint32(r)) | (x1 >> np.uint32(32 - r))) ^ x0
        x0 = x0 + schedule[(group + 1) % 3]
        x1 = x1 + schedule[(group + 2) % 3] + np.uint32(group + 1)
    return x0, x1


def root(seed: Any) -> Key:
    """The key of a seed."""
    return jnp.stack([jnp.zeros((), jnp.uint32), jnp.asarray(seed, jnp.uint32)])


def fold_in(key: Key, number: Any) -> Array:
    """The key of sub-stream `number`; for an array of numbers, one row each."""
    number = jnp.array(number, jnp.uint32)
    return jnp.stack(threefry(key[0], key[1], jnp.zeros_like(number), number), axis=-1)


def split(key: Key, count: int) -> UInt32[Array, "{count} 2"]:
    """Keys 0, ..., count-1 below a key. The barrier keeps the compiler from working them out again for every number
    that is drawn with them, which triples the time to compile a net's initialisation."""
    return jax.lax.optimization_barrier(fold_in(key, jnp.arange(count)))


def name_number(name: str) -> int:
    """What a stream's name is folded in as."""
    return zlib.crc32(name.encode())


def stream(seed: Any, name: str) -> Key:
    """The key of a named stream of a seed; adding a name changes no other stream."""
    return fold_in(root(seed), name_number(name))


NAMES = ("init", "data", "order", "noise", "eval")
"""The streams of a trial that programs read; `hidden` is a stream of the host."""


def streams(seed: Any) -> dict[str, Key]:
    """All the keys of a trial, made in one go."""
    keys = fold_in(root(seed), [name_number(name) for name in NAMES])
    return dict(zip(NAMES, keys, strict=True))


def words(key: Key, index: UInt32[Array, " B"], count: int) -> UInt32[Array, "B {count}"]:
    """`count` random 32-bit words for each address in `index`; words 2j and 2j+1 come from counter (index, j)."""
    blocks = (count + 1) // 2
    address = jnp.repeat(index.astype(jnp.uint32), blocks)
    block = jnp.tile(jnp.arange(blocks, dtype=jnp.uint32), index.shape[0])
    pair = threefry(key[0], key[1], address, block)
    return jnp.stack(pair, axis=-1).reshape(index.shape[0], 2 * blocks)[:, :count]


def uniform(key: Key, index: UInt32[Array, " B"]) -> Float[Array, " B"]:
    """One number of [0, 1) with 24 random bits for each address."""
    return (words(key, index, 1)[:, 0] >> 8).astype(jnp.float32) * np.float32(2**-24)


def uniforms(key: Key, index: UInt32[Array, " B"], count: int) -> Float[Array, "B {count}"]:
    """`count` such numbers for each address."""
    return (words(key, index, count) >> 8).astype(jnp.float32) * np.float32(2**-24)


def below(key: Key, index: UInt32[Array, " B"], bound: int) -> UInt32[Array, " B"]:
    """One whole number of {0, ..., bound-1} for each address: the upper 32 bits of word * bound
    (Lemire 2019; the bias is below bound / 2^32), by 16-bit halves since jax has no 64-bit integers here."""
    word = words(key, index, 1)[:, 0]
    high, low = word >> 16, word & 0xFFFF
    bound_high, bound_low = np.uint32(bound >> 16), np.uint32(bound & 0xFFFF)
    middle = high * bound_low + ((low * bound_low) >> 16)
    carry = low * bound_high + (middle & 0xFFFF)
    return high * bound_high + (middle >> 16) + (carry >> 16)


def shuffled(key: Key, position: UInt32[Array, " B"], size: int) -> UInt32[Array, " B"]:
    """The element at each position of a random ordering of {0, ..., size-1}, without making the ordering.

    A Feistel network with Threefry as its round function is a bijection of the next power of four; walking
    its cycles until one is back inside makes a bijection of {0, ..., size-1} (Black and Rogaway 2002; for
    shuffling, Mitchell et al. 2022). So epochs need no memory and any step of any epoch can be asked for.
    """
    half = max(1, ((size - 1).bit_length() + 1) // 2)
    low_bits = np.uint32(2**half - 1)

    def rounds(number: UInt32[Array, " B"]) -> UInt32[Array, " B"]:
        left, right = number >> half, number & low_bits
        for turn in range(6):
            mixed = threefry(key[0], key[1], right, jnp.full_like(right, turn))[0]
            left, right = right, left ^ (mixed & low_bits)
        return (left << half) | right

    outside = lambda number: jnp.any(number >= size)  # noqa: E731
    walk = lambda number: jnp.where(number >= size, rounds(number), number)  # noqa: E731
    return jax.lax.while_loop(outside, walk, rounds(position.astype(jnp.uint32)))


def typed(key: Key) -> Array:
    """The same key for the functions of `jax.random`."""
    return jax.random.wrap_key_data(key, impl="threefry2x32")


def host_key(seed: int, name: str, *numbers: int) -> UInt32[np.ndarray, "2"]:
    """The key of a named stream, with numbers folded in, by numpy: no shape has to be compiled."""
    key = np.array([0, seed], np.uint32)
    for number in (name_number(name), *numbers):
        folded = threefry(key[:1], key[1:], np.zeros(1, np.uint32), np.array([number], np.uint32))
        key = np.concatenate(folded)
    return key


def host_words(
    key: UInt32[np.ndarray, "2"], index: UInt32[np.ndarray, " B"], count: int
) -> UInt32[np.ndarray, "B {count}"]:
    """The same numbers as `words`, by numpy."""
    blocks = (count + 1) // 2
    address, block = np.repeat(index, blocks), np.tile(np.arange(blocks, dtype=np.uint32), len(index))
    pair = threefry(key[:1], key[1:], address, block)
    return np.stack(pair, axis=-1).reshape(len(index), 2 * blocks)[:, :count]


def generator(seed: int, name: str) -> np.random.Generator:
    """The named stream of a seed for work on the host."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, name_number(name)], np.uint64)))
