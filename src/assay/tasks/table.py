"""A real table as a task: an example is a row, drawn at random; the population is all rows.

Train on a part of it with `Holdout`, which never shows the rows that are held out. Edelman, Goel, Kakade, Malach, Zhang
2023, section 5.2 and appendix C.3; tables: `assay.tasks.tables`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import jax.numpy as jnp
from jaxtyping import Array, UInt32

from assay.config import shape
from assay.maths import streams
from assay.maths.streams import Key
from assay.tasks.base import Batch, Task
from assay.tasks.tables import find, load


class TableTask(Task, kind="table"):
    """Two balanced classes, inputs standardised over the table."""

    shown: ClassVar[Mapping[str, Any]] = {"table": "breast-cancer"}

    table: str = shape(doc="its name: breast-cancer, magic-telescope, ...")
    chance = 0.5

    def validate(self) -> None:
        find(self.table)

    @property
    def inputs(self) -> int:
        return find(self.table).inputs

    @property
    def size(self) -> int:
        return find(self.table).rows

    def secret(self, seed: int) -> Any:
        """The whole table, whatever the seed: which rows are trained on is the data's to say."""
        return load(self.table)

    def examples(self, secret: Any, key: Key, index: UInt32[Array, " B"]) -> Batch:
        return self.population(secret, streams.below(key, index, self.size))

    def population(self, secret: Any, index: UInt32[Array, " B"]) -> Batch:
        inputs, labels = secret
        return jnp.asarray(inputs)[index], jnp.asarray(labels)[index]
