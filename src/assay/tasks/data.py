"""Where training examples come from: fresh ones, a fixed training set, or the whole population.

Each kind answers one question: which examples does step t see? (Barak et al. 2022, section 2; Edelman et al. 2023, 2.3)
"""

from __future__ import annotations

import abc
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array

from assay.config import Config, between, one_of, shape
from assay.errors import ConfigError
from assay.maths import streams
from assay.maths.streams import Key
from assay.tasks.base import Batch, Task

Keys = dict[str, Key]
"""The named streams of a trial."""

ORDER = one_of("epochs", "replacement")
MOST = 2**31 - 1
"""Training examples are counted in 32-bit integers, as steps are."""


class Data(Config, family="data"):
    """Base of the sources of training examples."""

    def count(self, task: Task) -> int | None:
        """Number of training examples, None where they are fresh."""
        return None

    @abc.abstractmethod
    def fetch(self, task: Task, secret: Any, keys: Keys, index: Array, step: Any) -> Batch:
        """Training examples number `index`; `step` matters only where they are fresh."""

    def held_out(self, task: Task, secret: Any, key: Key, keys: Keys, index: Array) -> Batch:
        """Held-out examples number `index` of the stream `key`, with clean labels: fresh ones, wherever training
        examples may come again."""
        return task.held_out(secret, key, index)

    def batch(self, task: Task, secret: Any, keys: Keys, step: Any, batch: int) -> Batch:
        """What step `step` trains on; a batch of 0 stands for all examples there are."""
        count = self.count(task)
        if count is None:
            return self.fetch(task, secret, keys, jnp.arange(batch, dtype=jnp.uint32), step)
        if batch == 0:
            return self.fetch(task, secret, keys, jnp.arange(count, dtype=jnp.uint32), step)
        return self.fetch(task, secret, keys, self._indices(keys, step, batch, count), step)

    def _indices(self, keys: Keys, step: Any, batch: int, count: int) -> Array:
        order = keys["order"]
        position = jnp.arange(batch, dtype=jnp.uint32)
        if self.order == "replacement":  # type: ignore[attr-defined]
            return streams.below(streams.fold_in(order, step), position, count)
        # each epoch is a new ordering; the count % batch examples left over are dropped, as drop_last does
        per_epoch = count // batch
        epoch, turn = step // per_epoch, step % per_epoch
        position = position + jnp.asarray(turn * batch, jnp.uint32)
        return streams.shuffled(streams.fold_in(order, epoch), position, count)


class Online(Data, kind="online"):
    """Fresh examples at every step."""

    def fetch(self, task: Task, secret: Any, keys: Keys, index: Array, step: Any) -> Batch:
        x, y = task.examples(secret, streams.fold_in(keys["data"], step), index)
        return x, task.corrupt(streams.fold_in(keys["noise"], step), index, y)


class Offline(Data, kind="offline"):
    """A training set of m examples drawn once; label noise is drawn once as well."""

    samples: int = shape(check=between(1, MOST), doc="m, the number of training examples")
    order: str = shape(default="epochs", check=ORDER, doc="epochs (reshuffled) or replacement (independent draws)")

    def count(self, task: Task) -> int:
        return self.samples

    def fetch(self, task: Task, secret: Any, keys: Keys, index: Array, step: Any) -> Batch:
        x, y = task.examples(secret, keys["data"], index)
        return x, task.corrupt(keys["noise"], index, y)


class Population(Data, kind="population"):
    """Every input of an enumerable task, in full with `batch="all"`, else in minibatches."""

    order: str = shape(default="epochs", check=ORDER, doc="epochs (reshuffled) or replacement (independent draws)")

    def count(self, task: Task) -> int | None:
        return task.size

    def fetch(self, task: Task, secret: Any, keys: Keys, index: Array, step: Any) -> Batch:
        x, y = task.population(secret, index)
        return x, task.corrupt(keys["noise"], index, y)


class Split(Data, kind="split"):
    """A random part of the population to train on; held out is the rest, which no step ever sees.

    Which inputs they are is decided by the stream `data`: the first ones of a random ordering. Held-out examples are
    the rest in this order, over and over, so that a sample as large as the rest is the rest (Power et al. 2022)."""

    fraction: float = shape(check=between(0.01, 0.99), doc="of the population to train on")
    order: str = shape(default="epochs", check=ORDER, doc="epochs (reshuffled) or replacement (independent draws)")

    def count(self, task: Task) -> int | None:
        return None if task.size is None else max(1, round(self.fraction * task.size))

    def fetch(self, task: Task, secret: Any, keys: Keys, index: Array, step: Any) -> Batch:
        chosen = streams.shuffled(keys["data"], index, self._size(task))
        x, y = task.population(secret, chosen)
        return x, task.corrupt(keys["noise"], chosen, y)

    def held_out(self, task: Task, secret: Any, key: Key, keys: Keys, index: Array) -> Batch:
        first, size = self.count(task) or 0, self._size(task)
        chosen = streams.shuffled(keys["data"], first + index % (size - first), size)
        return task.population(secret, chosen)

    def _size(self, task: Task) -> int:
        if task.size is None:
            raise ConfigError("trial.data", "split", "online or offline", f"{task.kind} is too large to enumerate")
        return task.size


class Holdout(Data, kind="holdout"):
    """A random part of the population is held out, and a part of the rest is trained on: learning curves of a table.

    Of a random ordering (stream `data`) the last `test` of all are held out, over and over, so that a sample as large
    as they are is they; the first `fraction` of the others are trained on (Edelman et al. 2023, appendix C.3)."""

    fraction: float = shape(default=1.0, check=between(0, 1), doc="of what is not held out, to train on")
    test: float = shape(default=0.1, check=between(0.01, 0.99), doc="of the population, held out")
    order: str = shape(default="epochs", check=ORDER, doc="epochs (reshuffled) or replacement (independent draws)")

    def tests(self, task: Task) -> int:
        """How many are held out."""
        return max(1, round(self.test * self._size(task)))

    def count(self, task: Task) -> int:
        return max(1, round(self.fraction * (self._size(task) - self.tests(task))))

    def fetch(self, task: Task, secret: Any, keys: Keys, index: Array, step: Any) -> Batch:
        chosen = streams.shuffled(keys["data"], index, self._size(task))
        x, y = task.population(secret, chosen)
        return x, task.corrupt(keys["noise"], chosen, y)

    def held_out(self, task: Task, secret: Any, key: Key, keys: Keys, index: Array) -> Batch:
        size, tests = self._size(task), self.tests(task)
        chosen = streams.shuffled(keys["data"], size - tests + index % tests, size)
        return task.population(secret, chosen)

    def _size(self, task: Task) -> int:
        if task.size is None:
            raise ConfigError("trial.data", "holdout", "online or offline", f"{task.kind} is too large to enumerate")
        return task.size
