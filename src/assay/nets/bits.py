"""Attention of one query over bits: at each position one of two tokens, and [CLS] behind them.

Scores and values belong to tokens and not to examples, so they are worked out once for a batch and each example takes
its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def attend(
    x: Float[Array, "B n"], scores: Sequence[Float[Array, "H _"]], values: Sequence[Float[Array, "H a _"]]
) -> Float[Array, "B H a"]:
    """Mean value under softmax; scores and values of zeros [n], of ones [n] and of [CLS] [1]."""
    zero, one, start = scores
    is_one = (x > 0)[:, None, :]  # [B, 1, n]
    own = jnp.broadcast_to(start, (x.shape[0], *start.shape))
    weights = jax.nn.softmax(jnp.concatenate([jnp.where(is_one, one, zero), own], axis=-1), axis=-1)
    mixed = jnp.einsum("bht,hat->bha", jnp.where(is_one, 0.0, weights[..., :-1]), values[0])
    mixed = mixed + jnp.einsum("bht,hat->bha", jnp.where(is_one, weights[..., :-1], 0.0), values[1])
    return mixed + weights[..., -1:] * values[2][..., 0]
