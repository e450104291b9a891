"""Margins over a whole population (Morwani et al. 2023, section 7.2; for any net, Wei et al. 2019).

    g(x, y) = f(x)[y] - max_{y' != y} f(x)[y'];  of a net with one output and labels +-1, g = y f(x)
    normalised margin = min_x g / sum_i ||omega_i||_2^nu = min_x g(theta / ||theta||_{2,nu}, x)

nu is the degree of homogeneity of the net, omega_i the weights into and out of neuron i.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.measures.base import BLOCK, View, measure
from assay.tasks.base import classes


@measure("margin/least")
def least(view: View) -> Float[Array, ""]:
    """min_x g, over the population."""
    return jnp.min(view.once(_margins)[0])


@measure("margin/mean")
def mean(view: View) -> Float[Array, ""]:
    """E g, over the population."""
    return jnp.mean(view.once(_margins)[0])


@measure("margin/weighted")
def weighted(view: View) -> Float[Array, ""]:
    """E g', g' = f(x)[y] - mean_{y' != y} f(x)[y']: the class-weighted margin with equal weights, never below E g."""
    return jnp.mean(view.once(_margins)[1])


@measure("margin/normalised")
def normalised(view: View) -> Float[Array, ""]:
    """min_x g / rho."""
    return least(view) / mass(view)


@measure("margin/mass")
def mass(view: View) -> Float[Array, ""]:
    """rho = sum_i ||omega_i||_2^nu."""
    squares = jnp.sum(view.net.neurons(view.params) ** 2, axis=1)
    return jnp.sum(squares ** (view.net.homogeneity / 2))


def _margins(view: View) -> tuple[Float[Array, " N"], Float[Array, " N"]]:
    """g and g' of every input."""
    count = view.task.size or 0
    blocks = -(-count // BLOCK)
    size = -(-count // blocks)

    def block(index: Array) -> tuple[Array, Array]:
        x, y = view.task.population(view.secret, index)
        output = view.net.apply(view.params, view.precise(x))
        if output.ndim == 1:
            return view.precise(y) * output, view.precise(y) * output
        own = jax.nn.one_hot(classes(y), output.shape[1], dtype=bool)
        right = jnp.sum(jnp.where(own, output, 0.0), axis=1)
        highest = jnp.max(jnp.where(own, -jnp.inf, output), axis=1)
        others = jnp.sum(jnp.where(own, 0.0, output), axis=1) / (output.shape[1] - 1)
        return right - highest, right - others

    # the last block may run over the end: its surplus inputs are cut off
    index = jnp.arange(blocks * size, dtype=jnp.uint32).reshape(blocks, size)
    least, mean = jax.lax.map(block, jnp.minimum(index, count - 1))
    return least.reshape(-1)[:count], mean.reshape(-1)[:count]
