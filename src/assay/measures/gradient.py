"""The gradient of the population: what infinitely many examples would do to the net.

By enumeration of all 2^n inputs, in float32 as the training itself. Barak et al. 2022, section 4.1: for one neuron its
entries are Fourier coefficients of x -> sigma'(w.x + b) at S without i (i in S) or S with i (i not in S).
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array

from assay.losses.base import Loss
from assay.measures.base import View, measure
from assay.nets.base import Params


@measure("gradient/population")
def population_gradient(view: View) -> dict[str, Array]:
    """grad_theta E[loss(y, f(x; theta))] over the whole population, by parameter name."""
    return view.net.readout(mean_gradient(view, view.loss))


def mean_gradient(view: View, loss: Loss) -> Params:
    """The gradient of the population's mean loss, for any loss; the task must be enumerable."""
    size = view.task.size or 0
    block = min(size, 1 << 12)

    def total(params: Params, index: Array) -> Array:
        x, y = view.task.population(view.secret, index)
        return jnp.sum(loss.each(view.net.apply(params, x), y)) / size

    def add(so_far: Params, index: Array) -> tuple[Params, None]:
        return jax.tree.map(jnp.add, so_far, jax.grad(total)(view.params, index)), None

    index = jnp.arange(size, dtype=jnp.uint32).reshape(-1, block)
    gradient, _ = jax.lax.scan(add, jax.tree.map(jnp.zeros_like, view.params), index)
    return gradient
