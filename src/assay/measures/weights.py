"""How far the weights have moved, and the weights themselves.

Barak et al. 2022, section 3 ("hidden progress"): rho(w_{0:t}) = ||w_t - w_0||_inf over the first layer rises during the
plateau, while loss and accuracy stand still.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.measures.base import View, measure


def _first_layer_change(view: View) -> Float[Array, "..."]:
    layer = next(iter(view.params))
    return view.params[layer]["weight"] - view.start[layer]["weight"]


@measure("weights/movement_linf")
def movement_linf(view: View) -> Float[Array, ""]:
    """rho = max_ij |W_t - W_0|_ij of the first layer's weights."""
    return jnp.max(jnp.abs(_first_layer_change(view)))


@measure("weights/movement_l2")
def movement_l2(view: View) -> Float[Array, ""]:
    """||W_t - W_0||_F of the first layer's weights."""
    return jnp.sqrt(jnp.sum(_first_layer_change(view) ** 2))


@measure("weights/norm_l2")
def norm_l2(view: View) -> Float[Array, ""]:
    """||theta_t||_2 of all parameters."""
    return jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(view.params)))


@measure("weights/first_layer")
def first_layer(view: View) -> Float[Array, "..."]:
    """The first layer's weights."""
    return view.params[next(iter(view.params))]["weight"]


@measure("weights/snapshot")
def snapshot(view: View) -> dict[str, Array]:
    """All parameters, by name."""
    return view.net.readout(view.params)
