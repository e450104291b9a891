"""Composition in a finite group: x = (a, b), y = ab. Of Z_p it is addition modulo p.

Power, Burda, Edwards, Babuschkin, Misra 2022 (grokking); Chughtai, Chan, Nanda 2023 (groups); Morwani, Edelman,
Oncescu, Zhao, Kakade 2023, section 7.1.1, where training sees the whole population of n^2 pairs. An input is a pair of
numbers of elements, each standing for its unit vector: nets look rows up and never multiply by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, UInt32

from assay.config import shape
from assay.errors import ConfigError
from assay.maths import streams
from assay.maths.groups import Group, named
from assay.maths.streams import Key
from assay.tasks.base import Batch, Rows, Task


class Composition(Task, kind="composition"):
    """The product of two uniform elements of a group."""

    shown: ClassVar[Mapping[str, Any]] = {"group": "S3"}

    group: str = shape(doc="Z7, S4, A5, D5, Q8, Z2xS3, Z7:Z3, or G16.3 for number 3 of order 16")

    def validate(self) -> None:
        if self.elements.order < 2:
            raise ConfigError("composition.group", self.group, "a group of two elements or more")

    @property
    def elements(self) -> Group:
        return named(self.group)

    @property
    def inputs(self) -> int:
        return 2

    @property
    def outputs(self) -> int:
        return self.elements.order

    @property
    def chance(self) -> float:
        return 1 - 1 / self.elements.order

    @property
    def size(self) -> int:
        return self.elements.order**2

    @property
    def rows(self) -> int:
        return self.elements.order

    def examples(self, secret: Any, key: Key, index: UInt32[Array, " B"]) -> Batch:
        return self.population(secret, streams.below(key, index, self.size))

    def population(self, secret: Any, index: UInt32[Array, " B"]) -> Batch:
        number = index.astype(jnp.int32)
        pair = jnp.stack([number // self.rows, number % self.rows], axis=1)
        return pair, self._table().reshape(-1)[number]

    def row_batch(self, secret: Any, first: Array) -> tuple[Rows, Array]:
        return Rows(first, self.rows), self._table()[first].reshape(-1)

    def _table(self) -> Array:
        return jnp.asarray(self.elements.table, jnp.int32)
