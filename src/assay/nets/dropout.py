"""Dropout (Srivastava et al. 2014): each number is kept with probability 1 - rate, and then divided by it.

Masks have addresses, as all random numbers have: example i of a batch has the mask number i of its key, whatever the
batch. Sixteen bits decide for each number, so that the rate is kept to 2^-17.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from assay.maths import streams
from assay.maths.streams import Key


def dropout(key: Key, rate: float, h: Float[Array, "B ..."]) -> Float[Array, "B ..."]:
    """h with each number set to 0 with probability `rate`, the others scaled up to keep the mean."""
    count = math.prod(h.shape[1:])
    index = jnp.arange(h.shape[0], dtype=jnp.uint32)
    words = streams.words(key, index, -(-count // 2))
    halves = jnp.concatenate([words & 0xFFFF, words >> 16], axis=1)[:, :count]
    kept = halves >= np.uint32(round(rate * 2**16))
    return jnp.where(kept.reshape(h.shape), h / (1 - rate), 0.0)
