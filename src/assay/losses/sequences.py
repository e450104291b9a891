"""Losses for labels y_p in {0, ..., C-1} at every position p of a sequence, and C logits there: means over positions.

Edelman, Edelman, Goel, Malach and Tsilivis 2024, equations 8.6 and 8.7.
"""

from __future__ import annotations

import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int

from assay.config import above, value
from assay.losses.base import Loss


class SequenceCrossEntropy(Loss, kind="sequence-cross-entropy"):
    """mean_p -log softmax(f_p)_{y_p}."""

    classes = True
    sequences = True

    def each(self, output: Float[Array, "B t C"], y: Int[Array, "B t"]) -> Float[Array, " B"]:
        return jnp.mean(optax.losses.softmax_cross_entropy_with_integer_labels(output, y), axis=-1)


class SequenceMargin(Loss, kind="sequence-margin"):
    """mean_p 1/C sum_{i != y_p} max(0, Delta + f_{p,i} - f_{p,y_p}); with a large Delta it is linear in f."""

    margin: float = value(default=1.0, check=above(0), doc="Delta")
    classes = True
    sequences = True

    def each(self, output: Float[Array, "B t C"], y: Int[Array, "B t"]) -> Float[Array, " B"]:
        own = jnp.take_along_axis(output, y[..., None], axis=-1)
        hinges = jnp.maximum(self.margin + output - own, 0.0)
        # the term i = y is the margin itself, whatever the output
        return jnp.mean(jnp.sum(hinges, axis=-1) - self.margin, axis=-1) / output.shape[-1]
