"""Parities with a hint: half of the inputs give the hidden bits away, and then the rest can be learnt.

Daniely and Malach 2020, "Learning parities with neural networks", section 3: x in {-1/sqrt n, +1/sqrt n}^n and
y = prod_{i in A} sign(x_i) for a hidden A of odd size k. With probability 1/2 x is uniform; else the bits of A are all
equal, and then y is the sign of each. So E[y x_j] is 1/(2 sqrt n) for j in A and 0 for all others: a linear signal that
tells which bits matter, and no more. It answers the hint alone; on uniform inputs the label is a parity as ever.

Under a `hint` of 1/2 the population is a multiset of 2^(n+1) inputs: each of the cube once, and each with equal bits in
A another 2^(k-1) times.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt32

from assay.config import between, host
from assay.errors import ConfigError
from assay.maths import streams
from assay.maths.streams import Key
from assay.tasks.base import Batch
from assay.tasks.parity import ENUMERABLE, Parity

Secret = dict[str, np.ndarray]
"""mask: A, packed like an input; hint: how often its bits are equal, of 2^24."""


class EasyParity(Parity, kind="easy-parity"):
    """The (n, k)-parity on a mixture of uniform inputs and of inputs whose relevant bits are equal; k odd."""

    hint: float = host(default=0.5, check=between(0, 1), doc="probability that all relevant bits are equal")

    def validate(self) -> None:
        super().validate()
        if self.k % 2 == 0:
            raise ConfigError(f"{self.kind}.k", self.k, "odd", "where all of k bits are equal an even parity is 1")

    @property
    def size(self) -> int | None:
        return 2 ** (self.n + 1) if self.n < ENUMERABLE and self.hint == 0.5 else None

    def secret(self, seed: int) -> Secret:  # type: ignore[override]
        return {"mask": super().secret(seed), "hint": np.array(round(self.hint * 2**24), np.uint32)}

    def examples(self, secret: Any, key: Key, index: UInt32[Array, " B"]) -> Batch:
        words = streams.words(key, index, self.num_words + 1)
        packed, coin = words[:, :-1], words[:, -1]
        return self._told(secret["mask"], packed, (coin >> 8) < secret["hint"], coin & 1)

    def population(self, secret: Any, index: UInt32[Array, " B"]) -> Batch:
        if self.size is None:
            raise ConfigError(
                "population of easy-parity with (n, hint)", (self.n, self.hint), f"n < {ENUMERABLE} and a hint of 0.5",
                "use online or offline data",
            )  # fmt: skip
        index, mask = index.astype(jnp.uint32), secret["mask"]
        lowest = mask[0] & (~mask[0] + 1)
        return self._told(mask, index[:, None] & (2**self.n - 1), index >> self.n == 1, (index & lowest) // lowest)

    def _told(self, mask: Any, packed: Array, told: Array, bit: Array) -> Batch:
        """Inputs with the bits of A replaced by `bit` where they are told, and their labels."""
        equal = (packed & ~mask) | jnp.where(bit[:, None] == 1, mask, 0)
        x, y = self._unpack(mask, jnp.where(told[:, None], equal, packed))
        return x * np.float32(self.n**-0.5), y


def without_hint(task: Any, secret: Any) -> Any:
    """The secret of the same task on uniform inputs only; that of another task as it is."""
    if not isinstance(task, EasyParity):
        return secret
    return secret | {"hint": jnp.zeros_like(secret["hint"])}
