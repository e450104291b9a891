"""Sparse Boolean functions: y = f(x_S) for a known f of k bits and a hidden subset S of n coordinates.

Edelman, Goel, Kakade, Zhang 2022, "Inductive biases and variable creation in self-attention mechanisms", section 4 and
appendix A.3.1 (there n is T and k is s). x_i = +1 stands for the bit 1 and y = +1 for f = 1. Bits are independent and 1
with the probability at which both labels are equally frequent: 2^(-1/k) for AND, 1 - 2^(-1/k) for OR, 1/2 for XOR and
majority of an odd number of bits. Any learner needs log2 C(n, k) examples, since a label says at most one bit about S.
"""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt8, UInt32

from assay.config import at_least, between, host, shape
from assay.errors import ConfigError
from assay.maths import juntas, streams
from assay.maths.streams import Key
from assay.tasks.base import Batch, Task

ENUMERABLE = 20
"""Largest n whose 2^n inputs are enumerated."""
MOST_DRAWS = 2000
"""Training sets that are drawn before the screening gives up."""


class SparseBoolean(Task, kind="sparse-boolean"):
    """A Boolean function of k out of n bits.

    `function` is and, or, xor, majority, the k+1 values of a symmetric function by the number of ones, or a truth table
    of 2^k bits (entry u: bit j of u is the bit of the j-th smallest relevant coordinate). With `screened` = m all
    examples of a seed are drawn anew until the first m training examples fit a single subset: a training set that fits
    several is rejected.
    """

    n: int = shape(check=between(1, 4096), doc="number of coordinates")
    k: int = shape(default=3, check=between(1, juntas.LARGEST), doc="number of relevant coordinates")
    function: str | tuple[int, ...] = host(default="and", doc="and, or, xor, majority, or a table of 0 and 1")
    subset: str | tuple[int, ...] = host(default="random", doc="first, random (by the seed), or the coordinates")
    bias: float | None = host(default=None, check=between(0, 1), doc="probability of the bit 1; balanced if none")
    screened: int = host(default=0, check=at_least(0), doc="training examples that must fit one subset only; 0: none")

    def validate(self) -> None:
        if self.k > self.n:
            raise ConfigError(f"{self.kind}.k", self.k, f"at most n = {self.n}", "lower k or raise n")
        if isinstance(self.function, str):
            if self.function not in juntas.NAMED:
                allowed = f"{', '.join(juntas.NAMED)}, or a table of 0 and 1"
                raise ConfigError(f"{self.kind}.function", self.function, allowed)
        elif len(self.function) not in (self.k + 1, 2**self.k) or set(self.function) != {0, 1}:
            allowed = f"{self.k + 1} or {2**self.k} values 0 and 1, both among them"
            raise ConfigError(f"{self.kind}.function", self.function, allowed)
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
        often = juntas.frequency(self.table, self.p)
        return min(often, 1 - often)

    @property
    def degree(self) -> int:
        return self.k

    @property
    def size(self) -> int | None:
        return 2**self.n if self.n <= ENUMERABLE and self.p == 0.5 else None

    @functools.cached_property
    def table(self) -> UInt8[np.ndarray, " entries"]:
        """The truth table."""
        if isinstance(self.function, str):
            return juntas.named_table(self.function, self.k)
        given = np.array(self.function, np.uint8)
        return given if len(given) == 2**self.k else juntas.symmetric_table(given, self.k)

    @functools.cached_property
    def p(self) -> float:
        """Probability that a bit is 1."""
        return juntas.balanced_bias(self.table) if self.bias is None else self.bias

    @property
    def threshold(self) -> np.uint32:
        """Random words below it are the bit 1."""
        return np.uint32(min(round(self.p * 2**32), 2**32 - 1))

    def coordinates(self, seed: int) -> tuple[int, ...]:
        """The hidden subset S, sorted."""
        if self.subset == "first":
            return tuple(range(self.k))
        if self.subset == "random":
            chosen = streams.generator(seed, "hidden").choice(self.n, self.k, replace=False)
            return tuple(sorted(int(i) for i in chosen))
        return tuple(sorted(int(i) for i in self.subset))

    def secret(self, seed: int) -> dict[str, np.ndarray]:
        """S, the table, the threshold below which a random word is the bit 1, and how often all was drawn anew."""
        return {
            "coordinates": np.array(self.coordinates(seed), np.int32),
            "table": np.where(self.table == 1, 1.0, -1.0).astype(np.float32),
            "threshold": np.array(self.threshold),
            "draw": np.array(self.draw(seed), np.uint32),
        }

    def examples(self, secret: Any, key: Key, index: UInt32[Array, " B"]) -> Batch:
        words = streams.words(streams.fold_in(key, secret["draw"]), index, self.n)
        return self._labelled(secret, jnp.where(words < secret["threshold"], 1.0, -1.0))

    def population(self, secret: Any, index: UInt32[Array, " B"]) -> Batch:
        if self.size is None:
            why = f"n at most {ENUMERABLE} and equally likely bits"
            raise ConfigError(f"population of {self.kind} with n, p", (self.n, self.p), why, "use online data")
        bits = index.astype(jnp.uint32)[:, None] >> np.arange(self.n, dtype=np.uint32) & 1
        return self._labelled(secret, 2.0 * bits.astype(jnp.float32) - 1.0)

    def _labelled(self, secret: Any, x: Any) -> Batch:
        relevant = (x[:, secret["coordinates"]] > 0).astype(jnp.int32)
        return x, jnp.asarray(secret["table"])[relevant @ (1 << np.arange(self.k, dtype=np.int32))]

    # -- on the host -------------------------------------------------------------------------------------------------

    def bits(self, seed: int, stream: str, count: int, draw: int) -> UInt8[np.ndarray, "{count} n"]:
        """The first examples of a named stream as bits: those of `examples`, by numpy."""
        index = np.arange(count, dtype=np.uint32)
        words = streams.host_words(streams.host_key(seed, stream, draw), index, self.n)
        return (words < self.threshold).astype(np.uint8)

    def labels(self, seed: int, bits: UInt8[np.ndarray, "m n"]) -> UInt8[np.ndarray, " m"]:
        """f of the relevant bits."""
        return self.table[bits[:, list(self.coordinates(seed))] @ (1 << np.arange(self.k))]

    def draw(self, seed: int) -> int:
        """Number of training sets of size `screened` that fit several subsets, and so are rejected."""
        if self.screened == 0:
            return 0
        return _first_unique(self, seed)


@functools.lru_cache(maxsize=1 << 14)
def _first_unique(task: SparseBoolean, seed: int) -> int:
    for draw in range(MOST_DRAWS):
        x = task.bits(seed, "data", task.screened, draw)
        if len(juntas.fitting_subsets(x, task.labels(seed, x), task.table)) == 1:
            return draw
    raise ConfigError(
        f"{task.kind}.screened", task.screened, f"enough that one of {MOST_DRAWS} training sets fits one subset only",
        f"a learner needs at least {juntas.log2_hypotheses(task.n, task.k):.1f} examples",
    )  # fmt: skip
