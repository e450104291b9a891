"""Losses for labels y in {0, ..., C-1} and C logits an example."""

from __future__ import annotations

import optax
from jaxtyping import Array, Float

from assay.losses.base import Loss
from assay.tasks.base import classes


class CrossEntropy(Loss, kind="cross-entropy"):
    """-log softmax(f)_y."""

    classes = True

    def each(self, output: Float[Array, "B C"], y: Array) -> Float[Array, " B"]:
        return optax.losses.softmax_cross_entropy_with_integer_labels(output, classes(y))
