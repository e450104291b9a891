"""Initialisations of the theory: weights of size 1 whatever the fan-in. Barak et al. 2022, section 4 and appendix B."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array

from assay.config import at_least, one_of, shape, value
from assay.maths.streams import Key
from assay.nets.init import Gaussian, Init, Sign, Uniform


class Unit(Init, kind="unit"):
    """All ones, independent signs, or N(0, 1); biases 0. The disjoint-PolyNet's (Theorems 6 and 7)."""

    law: str = shape(default="signs", check=one_of("ones", "signs", "normal"))

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        if self.law == "ones":
            return jnp.ones(size, jnp.float32)
        return (Sign() if self.law == "signs" else Gaussian(scale=0.5**0.5)).weight(key, size, 1)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return jnp.zeros(size, jnp.float32)


class Mirrored(Init, kind="mirrored"):
    """Pairs of neurons with equal weights and biases and opposite second-layer weights: f = 0 at the start (Theorem 4).

    Weights of both layers are signs, biases uniform on the 2k-1 numbers j/k, |j| < k. For nets of one hidden layer
    without output bias; of an odd number of neurons one has no partner."""

    degree: int = value(default=2, check=at_least(1), doc="k, which sets the grid of the biases")

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        if len(size) < 2:
            return Sign().weight(key, size, 1)
        neurons = 0 if first else 1  # the axis
        half = [-(-count // 2) if axis == neurons else count for axis, count in enumerate(size)]
        signs = Sign().weight(key, tuple(half), 1)
        pairs = jnp.concatenate([signs, signs if first else -signs], axis=neurons)
        return lax.slice_in_dim(pairs, 0, size[neurons], axis=neurons)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        drawn = Uniform().weight(key, tuple(-(-count // 2) for count in size), 1)  # of [-1, 1)
        step = jnp.floor((drawn + 1) / 2 * (2 * self.degree - 1))
        grid = (step - (self.degree - 1)) / self.degree
        return jnp.concatenate([grid, grid])[: size[0]] if size else grid
