"""Distributions over Markov chains: where the transition probabilities of an example come from.

Edelman, Edelman, Goel, Malach and Tsilivis 2024: flat Dirichlet rows (section 8.1), chains with a uniform stationary
law, "Unigrams", and mixtures of both (figures 8.4a and E.6), and two-state chains near the coin (proposition E.3).
"""

from __future__ import annotations

import abc
import math
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, UInt32

from assay.config import Config, above, between, shape, value
from assay.maths import streams
from assay.maths.streams import Key

Chains = Float[Array, "B contexts k"]


class Prior(Config, family="prior"):
    """Base of the distributions over chains."""

    pairs_only = True
    """Whether it is one over transitions between single symbols: no n-grams beyond n = 2."""

    @abc.abstractmethod
    def chains(self, key: Key, index: UInt32[Array, " B"], contexts: int, k: int) -> Chains:
        """The laws of the next symbol, one row a context, of the chains number `index` of a stream."""


class Dirichlet(Prior, kind="dirichlet"):
    """Every row of its own from Dirichlet(alpha, ..., alpha); alpha = 1 is uniform on the simplex."""

    alpha: float = shape(default=1.0, check=above(0))
    pairs_only = False

    def chains(self, key: Key, index: UInt32[Array, " B"], contexts: int, k: int) -> Chains:
        weights = _gamma(key, index, contexts * k, self.alpha).reshape(-1, contexts, k)
        return weights / jnp.sum(weights, axis=-1, keepdims=True)


class Iid(Prior, kind="iid"):
    """One row for all contexts, uniform on the simplex: symbols are independent, and counting them is optimal."""

    def chains(self, key: Key, index: UInt32[Array, " B"], contexts: int, k: int) -> Chains:
        return jnp.repeat(Dirichlet().chains(key, index, 1, k), contexts, axis=1)


class DoublyStochastic(Prior, kind="doubly-stochastic"):
    """Uniform on the doubly stochastic matrices, whose stationary law is uniform: counting symbols tells nothing.

    The rows but the last are uniform on the simplex, kept if no column has more than 1, so that the last row is a law
    as well. A fraction 1, 0.50, 0.22, 0.075 of the draws is kept for k = 2, ..., 5: it is the volume of the Birkhoff
    polytope (Chan and Robbins 1999) times (k-1)!^(k-1), which makes this practical up to about k = 8.
    """

    def chains(self, key: Key, index: UInt32[Array, " B"], contexts: int, k: int) -> Chains:
        def draw(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            turn, found, kept = carry
            rows = Dirichlet().chains(streams.fold_in(key, turn), index, k - 1, k)
            left = 1 - jnp.sum(rows, axis=1, keepdims=True)
            new = jnp.concatenate([rows, left], axis=1)
            fits = jnp.all(left >= 0, axis=(1, 2))
            return turn + 1, jnp.where((fits & ~kept)[:, None, None], new, found), kept | fits

        start = (jnp.uint32(0), jnp.zeros((*index.shape, k, k), jnp.float32), jnp.zeros(index.shape, bool))
        return jax.lax.while_loop(lambda carry: ~jnp.all(carry[2]), draw, start)[1]


class Mixture(Prior, kind="mixture"):
    """Doubly stochastic with probability `share`, else independent symbols."""

    share: float = value(default=0.5, check=between(0, 1), doc="probability of a doubly stochastic chain")

    def chains(self, key: Key, index: UInt32[Array, " B"], contexts: int, k: int) -> Chains:
        coin = streams.uniform(streams.fold_in(key, 0), index)
        two = DoublyStochastic().chains(streams.fold_in(key, 1), index, contexts, k)
        one = Iid().chains(streams.fold_in(key, 2), index, contexts, k)
        return jnp.where((coin < self.share)[:, None, None], two, one)


class NearCoin(Prior, kind="near-coin"):
    """Two states, kept with the same probability a ~ U[1/2 - eps, 1/2 + eps]; with eps = 1/2 doubly stochastic."""

    eps: float = value(default=0.25, check=between(0, 0.5))

    def chains(self, key: Key, index: UInt32[Array, " B"], contexts: int, k: int) -> Chains:
        stay = 0.5 + self.eps * (2 * streams.uniform(key, index) - 1)
        move = 1 - stay
        return jnp.stack([stay, move, move, stay], axis=-1).reshape(-1, 2, 2)


def _gamma(key: Key, index: UInt32[Array, " B"], count: int, alpha: float) -> Float[Array, "B count"]:
    """Gamma(alpha, 1) numbers. At alpha = 1 minus the logarithm of a uniform number; else by the squeeze-free rejection
    of Marsaglia and Tsang 2000, which keeps more than 95 % of its draws, with their boost below 1."""
    if alpha == 1:
        return -jnp.log(_open(streams.uniforms(key, index, count)))
    boost = alpha < 1
    d = alpha + boost - 1 / 3
    c = 1 / math.sqrt(9 * d)

    def draw(carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        turn, found, kept = carry
        numbers = _open(streams.uniforms(streams.fold_in(key, turn), index, 2 * count))
        normal = math.sqrt(2) * jax.lax.erf_inv(2 * numbers[:, :count] - 1)
        v = (1 + c * normal) ** 3
        log_v = jnp.log(jnp.where(v > 0, v, 1.0))
        fits = (v > 0) & (jnp.log(numbers[:, count:]) < normal**2 / 2 + d * (1 - v + log_v))
        return turn + 1, jnp.where(fits & ~kept, d * v, found), kept | fits

    size = (*index.shape, count)
    start = (jnp.uint32(1), jnp.zeros(size, jnp.float32), jnp.zeros(size, bool))
    found = jax.lax.while_loop(lambda carry: ~jnp.all(carry[2]), draw, start)[1]
    if boost:
        found = found * _open(streams.uniforms(streams.fold_in(key, 0), index, count)) ** (1 / alpha)
    return found


def _open(numbers: Any) -> Any:
    """Uniform numbers off the end 0, by half a grid step."""
    return numbers + 2**-25
