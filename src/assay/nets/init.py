"""Initialisation schemes; d is the fan-in of the layer.

Barak et al. 2022, appendix C.1, read as in the papers' own code: "default in deep learning packages" is PyTorch's
nn.Linear, U[-1/sqrt d, 1/sqrt d] for weights and biases. Sparse: Edelman et al. 2023, section 3.

Numbers are drawn by address from the stream `init`, so that every engine starts from the same weights.
"""

from __future__ import annotations

import abc
import math
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array

from assay.config import Config, above, at_least, between, one_of, shape, value
from assay.maths.streams import Key, uniform

BIASES = one_of("same", "zero", "uniform")


class Init(Config, family="init"):
    """Base of the schemes. With a seed of its own the weights are the same whatever the trial's seed."""

    seed: int | None = value(default=None, check=between(0, 2**32 - 1), doc="of the stream init; the trial's if none")

    def to_json(self) -> dict[str, Any]:
        """Where there is no seed it is left out: identities are older than this field."""
        plain = super().to_json()
        if self.seed is None:
            del plain["seed"]
        return plain

    @abc.abstractmethod
    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        """Weights of a layer; `first` marks the layer that reads the inputs, rows along its last axis."""

    @abc.abstractmethod
    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        """Biases of a layer."""


def _uniform(key: Key, size: tuple[int, ...]) -> Array:
    """U[-1, 1), number i of the array at address i."""
    return 2 * uniform(key, jnp.arange(math.prod(size), dtype=jnp.uint32)).reshape(size) - 1


class Uniform(Init, kind="uniform"):
    """U[-c, c] with c = scale / sqrt d, for weights and biases: PyTorch's default."""

    scale: float = value(default=1.0, check=above(0))

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        return self.scale / fan_in**0.5 * _uniform(key, size)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return self.scale / fan_in**0.5 * _uniform(key, size)


class Glorot(Init, kind="glorot"):
    """U[-c, c] with c = scale sqrt(6 / (fan-in + fan-out)) for weights, biases as Uniform: "Xavier" by the letter
    (Glorot and Bengio 2010). A layer's fan-out is the number of its weights over its fan-in."""

    scale: float = value(default=1.0, check=above(0))

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        return self.scale * (6 / (fan_in + math.prod(size) / fan_in)) ** 0.5 * _uniform(key, size)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return Uniform().bias(key, size, fan_in)


class Gaussian(Init, kind="gaussian"):
    """N(0, scale^2 * 2/d), "Kaiming"; biases the same, zero, or U[-1/sqrt d, 1/sqrt d]."""

    scale: float = value(default=1.0, check=above(0))
    biases: str = shape(default="same", check=BIASES)

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        # the normal quantile of a uniform number; half a grid step keeps it off the infinite end
        return self.scale * 2 / fan_in**0.5 * jax.lax.erf_inv(_uniform(key, size) + 2**-24)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return _biases(self.biases, self, key, size, fan_in)


class Sign(Init, kind="sign"):
    """Independent signs times scale / sqrt d ("Bernoulli"); biases the same, zero, or U[-1/sqrt d, 1/sqrt d]."""

    scale: float = value(default=1.0, check=above(0))
    biases: str = shape(default="same", check=BIASES)

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        return self.scale / fan_in**0.5 * jnp.where(_uniform(key, size) < 0, -1.0, 1.0)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return _biases(self.biases, self, key, size, fan_in)


class Sparse(Init, kind="sparse"):
    """Each neuron of the first layer reads s random coordinates with weight 1; all the rest as Uniform."""

    nonzeros: int = shape(default=2, check=at_least(1), doc="s, the number of ones in each row")

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        if not first:
            return Uniform().weight(key, size, fan_in)
        draws = _uniform(key, size)
        # the s smallest of independent uniforms are a uniform s-subset; ranks by double sorting keep ties exact
        ranks = jnp.argsort(jnp.argsort(draws, axis=-1), axis=-1)
        return (ranks < self.nonzeros).astype(jnp.float32)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return Uniform().bias(key, size, fan_in)


def _biases(rule: str, scheme: Init, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
    if rule == "zero":
        return jnp.zeros(size, jnp.float32)
    return Uniform().bias(key, size, fan_in) if rule == "uniform" else scheme.weight(key, size, fan_in)
