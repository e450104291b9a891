"""MNIST-parity: a strip of k handwritten digits side by side, and whether their sum is even.

Daniely and Malach 2020, section 6. Each digit of a strip is an image drawn uniformly; training strips are made of
training images and held-out strips of test images. Pixels are standardised. A parity with a hint: each digit is a bit
that has to be read off its image first.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt32

from assay.config import at_least, one_of, shape
from assay.maths import streams
from assay.maths.streams import Key
from assay.tasks.base import Batch, Task
from assay.tasks.digits import SOURCES, available, load


class DigitStrips(Task, kind="digit-strips"):
    """Parity of the sum of k digits: +1 if even. Chance is 1/2 but for the part of odd digits."""

    digits: int = shape(check=at_least(1), doc="k, the number of images side by side")
    source: str = shape(default="scikit", check=one_of(*SOURCES), doc="mnist, from files; or scikit, images of 8 x 8")

    @property
    def inputs(self) -> int:
        return self.digits * SOURCES[self.source].pixels

    @property
    def chance(self) -> float:
        return 0.5

    @property
    def available(self) -> bool:
        """Whether the images are at hand."""
        return available(self.source)

    def secret(self, seed: int) -> dict[str, np.ndarray]:
        """All images, and which digits are odd: not hidden, but nothing that a program should be compiled with."""
        found = load(self.source)
        odd, test_odd = found.train_label & 1, found.test_label & 1
        return {"train": found.train, "train_odd": odd, "test": found.test, "test_odd": test_odd}

    def examples(self, secret: Any, key: Key, index: UInt32[Array, " B"]) -> Batch:
        return self._strips(secret["train"], secret["train_odd"], key, index)

    def held_out(self, secret: Any, key: Key, index: UInt32[Array, " B"]) -> Batch:
        return self._strips(secret["test"], secret["test_odd"], key, index)

    def _strips(self, images: Any, odd: Any, key: Key, index: Array) -> Batch:
        keys = streams.fold_in(key, jnp.arange(self.digits))
        chosen = jnp.stack([streams.below(keys[j], index, images.shape[0]) for j in range(self.digits)], axis=1)
        source = SOURCES[self.source]
        x = jnp.asarray(images)[chosen].reshape(index.shape[0], self.inputs).astype(jnp.float32)
        x = (x / source.top - source.mean) / source.deviation
        count = jnp.sum(jnp.asarray(odd)[chosen].astype(jnp.int32), axis=1)
        return x, 1 - 2 * (count & 1).astype(jnp.float32)
