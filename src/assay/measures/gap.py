"""The Fourier gap: how far the gradient of the first layer tells the hidden coordinates of a parity from the others.

Of one neuron with gradient g of the correlation E[-y f] in its weights (Barak et al. 2022, appendix C.1, Definition 1):

    relaxed   Gamma = max_{i in S} |g_i| - max_{i not in S} |g_i|
    strict            min_{i in S} |g_i| - max_{i not in S} |g_i|

O(log n / Gamma^2) examples tell a member of S, or under the strict gap all of them, from the rest. The hinge loss has
the same gradient where |f| <= 1, so everywhere for a sinusoid neuron without second layer. One number a neuron: a
neuron's gap is a column of the curves, those of a layer an array. A disjoint-PolyNet counts as one neuron.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from assay.errors import ConfigError
from assay.losses import Correlation
from assay.measures.base import View, measure
from assay.measures.gradient import mean_gradient
from assay.nets.base import Params
from assay.nets.neuron import Neuron
from assay.tasks.parity import Parity

SAMPLED_BYTES = 1 << 24
"""Gradients of single examples held at a time."""


@measure("gradient/gap")
def gap(view: View) -> Float[Array, "..."]:
    """Relaxed gap of the gradient of the population: for a sinusoid neuron in closed form at any n, in n^2 operations;
    else by enumeration of all 2^n inputs."""
    inside, size = _relevant(view), jnp.abs(_exact_gradient(view))
    return _largest(size, inside) - _largest(size, ~inside)


@measure("gradient/strict_gap")
def strict_gap(view: View) -> Float[Array, "..."]:
    """Strict gap of the gradient of the population, likewise."""
    inside, size = _relevant(view), jnp.abs(_exact_gradient(view))
    return jnp.min(jnp.where(inside, size, jnp.inf), axis=-1) - _largest(size, ~inside)


@measure("gradient/sampled_gap")
def sampled_gap(view: View) -> Float[Array, "..."]:
    """Relaxed gap of the mean gradient over the held-out sample, where there are too many inputs to enumerate. Noise
    makes both maxima too large, the one over more coordinates by more."""
    return _sampled(view)[0]


@measure("gradient/sampled_gap_se")
def sampled_gap_se(view: View) -> Float[Array, "..."]:
    """Standard error of that gap: of the mean of the difference between the two coordinates that it compares."""
    return _sampled(view)[1]


def _exact_gradient(view: View) -> Float[Array, "..."]:
    net = view.net
    if isinstance(net, Neuron) and net.activation == "sinusoid":
        return _sinusoid_gradient(view, net)
    if view.task.size is None:
        advice = "record gradient/sampled_gap"
        raise ConfigError("gradient/gap of a net", net.kind, "a sinusoid neuron, or an enumerable task", advice)
    return _by_coordinate(view, mean_gradient(view, Correlation()))


def _sinusoid_gradient(view: View, net: Neuron) -> Float[Array, " n"]:
    """d/dw_i E[-y f] for f = u cos(pi/2 (s (w.x + b) - k)) + c: with a = pi s w / 2 and T = S ^ {i}, it is

    u s pi/2 E[chi_T sin(a.x + phi)] = u s pi/2 sin(phi + |T| pi/2) prod_{j in T} sin a_j prod_{j not in T} cos a_j
    """
    quarter = np.float32(np.pi / 2)
    weight, bias = view.params["neuron"]["weight"], view.params["neuron"]["bias"]
    a = quarter * net.scale * weight
    inside = _relevant(view)
    flipped = inside ^ jnp.eye(len(weight), dtype=bool)  # row i: S ^ {i}
    products = jnp.prod(jnp.where(flipped, jnp.sin(a), jnp.cos(a)), axis=1)
    turns = net.scale * bias + jnp.sum(flipped, axis=1, dtype=jnp.float32) - (net.degree or 1)
    height = view.params["output"]["weight"] if net.second_layer else 1.0
    return height * net.scale * quarter * jnp.sin(quarter * turns) * products


def _sampled(view: View) -> tuple[Float[Array, "..."], Float[Array, "..."]]:
    """The gap and its standard error, in two passes over the held-out sample: which coordinates, then how they vary."""
    most = max(1, SAMPLED_BYTES // (4 * sum(leaf.size for leaf in jax.tree.leaves(view.params))))
    blocks = -(-view.sample // most)
    size = -(-view.sample // blocks)
    index = jnp.arange(blocks * size, dtype=jnp.uint32).reshape(blocks, size)

    def each(x: Array, y: Array) -> Array:
        gradient = jax.grad(lambda params: -y * view.net.apply(params, x[None])[0])(view.params)
        return _by_coordinate(view, gradient)

    def mean(of: Callable[[Array], Array]) -> Array:
        def block(index: Array) -> Array:
            x, y = view.task.examples(view.secret, view.keys["eval"], index)
            values = of(jax.vmap(each)(x, y))
            real = (index < view.sample).reshape(-1, *[1] * (values.ndim - 1))  # the last block may run over the end
            return jnp.sum(jnp.where(real, values, 0.0), axis=0)

        return jnp.sum(jax.lax.map(block, index), axis=0) / view.sample

    gradient = mean(lambda values: values)
    inside, size_of = _relevant(view), jnp.abs(gradient)
    found = _largest(size_of, inside) - _largest(size_of, ~inside)

    def squared_deviation(values: Array) -> Array:
        parts = []
        for mask in (inside, ~inside):
            at = jnp.argmax(jnp.where(mask, size_of, -1.0), axis=-1, keepdims=True)
            sign = jnp.where(jnp.any(mask), jnp.sign(jnp.take_along_axis(gradient, at, -1)), 0.0)
            parts.append((sign * jnp.take_along_axis(values, at[None], -1))[..., 0])
        return (parts[0] - parts[1] - found) ** 2

    return found, jnp.sqrt(mean(squared_deviation) / (view.sample - 1))


def _largest(size: Float[Array, "*neurons n"], where: Bool[Array, " n"]) -> Float[Array, "*neurons"]:
    """The largest of the chosen coordinates; 0 of none."""
    return jnp.max(jnp.where(where, size, 0.0), axis=-1)


def _by_coordinate(view: View, gradient: Params) -> Float[Array, "*neurons n"]:
    """The first layer's part, coordinates along the last axis."""
    first = gradient[next(iter(gradient))]["weight"]
    return first if first.shape[-1] == view.task.inputs else first.reshape(view.task.inputs)


def _relevant(view: View) -> Bool[Array, " n"]:
    """Which coordinates are in S."""
    if not isinstance(view.task, Parity):
        raise ConfigError("Fourier gap of task", view.task.kind, "a parity")
    coordinate = np.arange(view.task.n)
    return (jnp.asarray(view.secret)[coordinate // 32] >> (coordinate % 32).astype(np.uint32)) & 1 == 1
