"""Initialisation schemes; d is the fan-in of the layer.

Barak et al. 2022, appendix C.1, read as in the papers' own code: "default in deep learning packages" is PyTorch's
nn.Linear, U[-1/sqrt d, 1/sqrt d] for weights and biases. Sparse: Edelman et al. 2023, section 3.
"""

from __future__ import annotations

import abc

import jax
import jax.numpy as jnp
from jaxtyping import Array

from assay.config import Config, above, at_least, one_of, shape, value
from assay.maths.streams import Key, fold_in, typed

BIASES = one_of("same", "zero", "uniform")


class Init(Config, family="init"):
    """Base of the schemes."""

    @abc.abstractmethod
    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        """Weights of a layer; `first` marks the layer that reads the inputs, rows along its last axis."""

    @abc.abstractmethod
    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        """Biases of a layer."""


def _uniform(key: Key, size: tuple[int, ...], bound: Array | float) -> Array:
    return bound * jax.random.uniform(typed(key), size, jnp.float32, -1.0, 1.0)


class Uniform(Init, kind="uniform"):
    """U[-c, c] with c = scale / sqrt d, for weights and biases: PyTorch's default."""

    scale: float = value(default=1.0, check=above(0))

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        return _uniform(key, size, self.scale / fan_in**0.5)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return _uniform(key, size, self.scale / fan_in**0.5)


class Gaussian(Init, kind="gaussian"):
    """N(0, scale^2 * 2/d), "Kaiming"; biases the same, zero, or U[-1/sqrt d, 1/sqrt d]."""

    scale: float = value(default=1.0, check=above(0))
    biases: str = shape(default="same", check=BIASES)

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        return self.scale * (2 / fan_in) ** 0.5 * jax.random.normal(typed(key), size, jnp.float32)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return _biases(self.biases, self, key, size, fan_in)


class Sign(Init, kind="sign"):
    """Independent signs times scale / sqrt d ("Bernoulli"); biases the same, zero, or U[-1/sqrt d, 1/sqrt d]."""

    scale: float = value(default=1.0, check=above(0))
    biases: str = shape(default="same", check=BIASES)

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        return self.scale / fan_in**0.5 * jax.random.rademacher(typed(key), size, jnp.float32)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return _biases(self.biases, self, key, size, fan_in)


class Sparse(Init, kind="sparse"):
    """Each neuron of the first layer reads s random coordinates with weight 1; all the rest as Uniform."""

    nonzeros: int = shape(default=2, check=at_least(1), doc="s, the number of ones in each row")

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        if not first:
            return Uniform().weight(key, size, fan_in)
        draws = jax.random.uniform(typed(key), size)
        # the s smallest of independent uniforms are a uniform s-subset; ranks by double sorting keep ties exact
        ranks = jnp.argsort(jnp.argsort(draws, axis=-1), axis=-1)
        return (ranks < self.nonzeros).astype(jnp.float32)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return Uniform().bias(key, size, fan_in)


def _biases(rule: str, scheme: Init, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
    if rule == "zero":
        return jnp.zeros(size, jnp.float32)
    return Uniform().bias(key, size, fan_in) if rule == "uniform" else scheme.weight(key, size, fan_in)


def split(key: Key, number: int) -> list[Key]:
    """Independent keys for the parts of a net, by address: adding a part changes no other."""
    return [fold_in(key, part) for part in range(number)]
