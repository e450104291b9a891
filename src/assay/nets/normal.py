"""Initialisation of language models: the same spread whatever the fan-in."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array

from assay.config import above, value
from assay.maths.streams import Key
from assay.nets.init import Gaussian, Init


class Normal(Init, kind="normal"):
    """N(0, std^2) for weights, biases 0 (Radford et al. 2019: std = 0.02)."""

    std: float = value(default=0.02, check=above(0))

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        return Gaussian(scale=0.5**0.5).weight(key, size, 1) * self.std

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return jnp.zeros(size, jnp.float32)
