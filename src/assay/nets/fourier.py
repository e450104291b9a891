"""Random Fourier features: cos(w.x + b) approximates the Gaussian kernel exp(-|x - y|^2 / (2 h^2)).

Rahimi and Recht 2008: w normal of deviation 1/h, b uniform on a period.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array

from assay.config import above, value
from assay.maths.streams import Key
from assay.nets.init import Gaussian, Init, Uniform


class Fourier(Init, kind="fourier"):
    """For a first layer of cosines: weights N(0, 1/h^2), biases uniform on [-pi, pi]; other layers as Uniform."""

    bandwidth: float = value(check=above(0), doc="h")

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        if not first:
            return Uniform().weight(key, size, fan_in)
        return Gaussian(scale=0.5**0.5).weight(key, size, 1) / self.bandwidth

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return jnp.float32(jnp.pi) * Uniform().weight(key, size, 1)
