"""Sparse parity: x uniform on {-1,+1}^n, y = prod_{i in S} x_i for a hidden S of size k.

Barak, Edelman, Goel, Kakade, Malach, Zhang 2022, "Hidden progress in deep learning", section 2. The characters
chi_S are orthonormal, so every wrong subset has correlation 0 with the label: chance is 1/2 and nothing short of
S helps. An input is packed into 32-bit words: bit i%32 of word i//32 is 1 where x_i = -1, and the label is the
parity of popcount(words & mask of S).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, UInt32

from assay.config import at_least, between, host, is_zero, shape, value
from assay.errors import ConfigError
from assay.maths import streams
from assay.maths.streams import Key
from assay.tasks.base import Batch, Task

ENUMERABLE = 20
"""Largest n whose 2^n inputs are enumerated."""


class Parity(Task, kind="parity"):
    """(n, k)-sparse parity with label noise."""

    n: int = shape(check=between(1, 4096), doc="number of coordinates")
    k: int = host(check=at_least(1), doc="number of relevant coordinates")
    subset: str | tuple[int, ...] = host(
        default="first", doc="first, random (by the seed), or the coordinates themselves"
    )
    noise: float = value(
        default=0.0, check=between(0, 0.5), gate=True, doc="probability that a training label is flipped"
    )

    def validate(self) -> None:
        if self.k > self.n:
            raise ConfigError(f"{self.kind}.k", self.k, f"at most n = {self.n}", "lower k or raise n")
        if isinstance(self.subset, str):
            if self.subset not in ("first", "random"):
                raise ConfigError(f"{self.kind}.subset", self.subset, "first, random or a list of coordinates")
        elif len(set(self.subset)) != self.k or not all(0 <= i < self.n for i in self.subset):
            allowed = f"{self.k} different coordinates between 0 and {self.n - 1}"
            raise ConfigError(f"{self.kind}.subset", self.subset, allowed)

    @property
    def inputs(self) -> int:
        return self.n

    @property
    def chance(self) -> float:
        return 0.5

    @property
    def degree(self) -> int:
        return self.k

    @property
    def size(self) -> int | None:
        return 2**self.n if self.n <= ENUMERABLE else None

    @property
    def num_words(self) -> int:
        return -(-self.n // 32)

    def coordinates(self, seed: int) -> tuple[int, ...]:
        """The hidden subset S, sorted."""
        if self.subset == "first":
            return tuple(range(self.k))
        if self.subset == "random":
            chosen = streams.generator(seed, "hidden").choice(self.n, self.k, replace=False)
            return tuple(sorted(int(i) for i in chosen))
        return tuple(sorted(int(i) for i in self.subset))

    def secret(self, seed: int) -> UInt32[np.ndarray, " Q"]:
        """The mask of S, packed like an input."""
        mask = np.zeros(self.num_words, np.uint32)
        for i in self.coordinates(seed):
            mask[i // 32] |= np.uint32(1 << (i % 32))
        return mask

    def examples(self, secret: Any, key: Key, index: UInt32[Array, " B"]) -> Batch:
        return self._unpack(secret, streams.words(key, index, self.num_words))

    def population(self, secret: Any, index: UInt32[Array, " B"]) -> Batch:
        if self.size is None:
            raise ConfigError("population of parity with n", self.n, f"at most {ENUMERABLE}", "use online data")
        return self._unpack(secret, index.astype(jnp.uint32)[:, None])

    def corrupt(self, key: Key, index: UInt32[Array, " B"], y: Float[Array, " B"]) -> Float[Array, " B"]:
        if is_zero(self.noise):
            return y
        return jnp.where(streams.uniform(key, index) < self.noise, -y, y)

    def _unpack(self, mask: Any, packed: UInt32[Array, "B Q"]) -> Batch:
        coordinate = np.arange(self.n)
        bits = (packed[:, coordinate // 32] >> (coordinate % 32).astype(np.uint32)) & 1
        x = 1 - 2 * bits.astype(jnp.float32)
        odd = jnp.sum(jax.lax.population_count(packed & mask), axis=1) & 1
        return x, 1 - 2 * odd.astype(jnp.float32)
