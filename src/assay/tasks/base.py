"""What a task is: a distribution over (x, y) whose every example has an address.

`examples(secret, key, index)` returns the examples number `index` of the stream `key`, and nothing else decides
what they are. So a fresh batch, a training set of m examples, a held-out sample and any block of it are all the
same call with other keys and indices; a training set costs no memory; and every engine sees the same data.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, UInt32

from assay.config import Config
from assay.errors import ConfigError
from assay.maths.streams import Key

Batch = tuple[Array, Array]
"""Inputs x, one row an example, and labels y."""


class Rows(NamedTuple):
    """Inputs (a, b) for each a in `first` and all b = 0, ..., second - 1, in this order, without writing them out."""

    first: Int[Array, " A"]
    second: int


class Task(Config, family="task"):
    """Base of all tasks. A subclass `class Name(Task, kind="name")` in its own file is registered by being imported."""

    shown: ClassVar[Mapping[str, Any]] = {}
    """Fields of an example of the task that fits on a line, where small numbers do not make one."""

    @property
    @abc.abstractmethod
    def inputs(self) -> int:
        """Size of one input."""

    @property
    def outputs(self) -> int:
        """Size of one output of a net: 1 for labels +-1, else the number of classes."""
        return 1

    @property
    def positions(self) -> int | None:
        """Number of answers to one example, where labels are sequences [B, positions]; None: a single answer."""
        return None

    @property
    @abc.abstractmethod
    def chance(self) -> float:
        """Error of the best constant answer."""

    @property
    def degree(self) -> int | None:
        """The order of interaction that a net must represent, where the task has one."""
        return None

    @property
    def size(self) -> int | None:
        """Number of inputs in the population, where it can be enumerated."""
        return None

    @property
    def rows(self) -> int | None:
        """Number of values of the first of two operands, where the population is the table of all pairs."""
        return None

    def secret(self, seed: int) -> Any:
        """What is hidden from the learner, as numpy arrays of fixed shape; made on the host from the seed."""
        return ()

    @abc.abstractmethod
    def examples(self, secret: Any, key: Key, index: UInt32[Array, " B"]) -> Batch:
        """The examples number `index` of the stream `key`, with clean labels."""

    def held_out(self, secret: Any, key: Key, index: UInt32[Array, " B"]) -> Batch:
        """The examples of held-out samples, where training has others: by default they are of one kind."""
        return self.examples(secret, key, index)

    def population(self, secret: Any, index: UInt32[Array, " B"]) -> Batch:
        """The inputs number `index` of the enumerated population, with clean labels."""
        raise ConfigError(f"data for task {self.kind}", "population", "online or offline", "it cannot be enumerated")

    def row_batch(self, secret: Any, first: Int[Array, " A"]) -> tuple[Rows, Array]:
        """The part of the population with these first operands, with clean labels."""
        raise ConfigError(f"rows of task {self.kind}", "none", "a task of two operands")

    def corrupt(self, key: Key, index: UInt32[Array, " B"], y: Array) -> Array:
        """Training labels from clean ones: label noise, addressed like the examples. Evaluation never calls it."""
        return y

    def correct(self, output: Array, y: Array) -> Bool[Array, " B"]:
        """Which answers are right: sign and label agree, or the label's logit is the largest. Strictly: an output
        of 0, a tie or a NaN is an error."""
        if output.ndim == 1:
            return output * y > 0
        own = jax.nn.one_hot(classes(y), output.shape[1], dtype=bool)
        rest = jnp.where(own, -jnp.inf, output).max(axis=1)
        return jnp.where(own, output, -jnp.inf).max(axis=1) > rest


def classes(y: Array) -> Int[Array, " B"]:
    """Labels as class numbers: those of a task with labels +-1 are 1 for +1 and 0 for -1."""
    return (y > 0).astype(jnp.int32) if jnp.issubdtype(y.dtype, jnp.floating) else y.astype(jnp.int32)
