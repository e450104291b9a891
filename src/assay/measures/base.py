"""What a measure is: a pure function of one trial at one step, found by its name `group/name`.

A measure returns a number (a column of the curves) or an array, or a dictionary of arrays (kept in the arrays of the
store, stacked over the recorded steps). It reads a `View`; what it does not read is never computed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool

from assay.errors import ConfigError, UnknownName
from assay.losses.base import Loss
from assay.nets.base import Net, Params
from assay.tasks.base import Batch, Task
from assay.tasks.data import Data, Keys

BLOCK = 512
"""Examples evaluated at a time: bounds the memory of wide nets."""


@dataclasses.dataclass(frozen=True)
class View:
    """A trial at a step, as measures see it."""

    task: Task
    net: Net
    loss: Loss
    data: Data
    batch: int
    sample: int  # size of the held-out sample
    secret: Any
    keys: Keys
    step: Any
    start: Params  # parameters at step 0
    params: Params
    found: dict[Any, Any] = dataclasses.field(default_factory=dict)  # what measures share

    def once(self, of: Callable[[View], Any]) -> Any:
        """of(view), worked out once for all measures of a moment that ask for it."""
        if of not in self.found:
            self.found[of] = of(self)
        return self.found[of]

    def train(self) -> tuple[Array, Array]:
        """(loss, right or wrong) of each training example; of the next batch where examples are fresh."""
        count = self.data.count(self.task) or self.batch
        return self._score(count, lambda index: self.data.fetch(self.task, self.secret, self.keys, index, self.step))

    def held_out(self) -> tuple[Array, Array]:
        """(loss, right or wrong) of each example of the trial's fixed held-out sample, with clean labels."""
        key = self.keys["eval"]
        fetch = self.data.held_out
        return self._score(self.sample, lambda index: fetch(self.task, self.secret, key, self.keys, index))

    def _score(self, count: int, fetch: Callable[[Array], Batch]) -> tuple[Array, Bool[Array, " N"]]:
        def block(index: Array) -> tuple[Array, Array]:
            x, y = (self.precise(part) for part in fetch(index))
            output = self.net.apply(self.params, x)
            return self.loss.each(output, y), self.task.correct(output, y)

        # the last block may run over the end: its surplus examples are cut off
        blocks = -(-count // BLOCK)
        size = -(-count // blocks)
        index = jnp.arange(blocks * size, dtype=jnp.uint32).reshape(blocks, size)
        losses, right = jax.lax.map(block, jnp.minimum(index, count - 1))
        return losses.reshape(-1)[:count], right.reshape(-1)[:count]

    def precise(self, array: Array) -> Array:
        """Numbers in the precision of the parameters; symbols as they are."""
        dtype = jax.tree.leaves(self.params)[0].dtype
        return array.astype(dtype) if jnp.issubdtype(array.dtype, jnp.floating) else array


Measure = Callable[[View], Any]
MEASURES: dict[str, Measure] = {}


NEEDS: dict[str, tuple[type[Task], type[Net]]] = {}
"""The kinds of task and net that a measure is made for."""


def measure(name: str, task: type[Task] = Task, net: type[Net] = Net) -> Callable[[Measure], Measure]:
    """Registers a measure under its name; other tasks and nets than those it is made for cannot record it."""

    def register(function: Measure) -> Measure:
        MEASURES[name], NEEDS[name] = function, (task, net)
        return function

    return register


def check_fits(name: str, task: Task, net: Net) -> None:
    """Raises ConfigError where a measure says nothing about a task or a net."""
    for has, wanted in zip((task, net), NEEDS[name], strict=True):
        if not isinstance(has, wanted):
            kinds = sorted(kind for kind, each in wanted.members.items() if issubclass(each, wanted))
            raise ConfigError(f"{wanted.family} of measure {name}", has.kind, f"one of {', '.join(kinds)}")


def find(name: str) -> Measure:
    if name not in MEASURES:
        raise UnknownName("measure", name, MEASURES)
    return MEASURES[name]
