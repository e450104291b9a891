"""Loss and error on training and held-out examples.

train/*: all training examples where there are finitely many, else the batch that the step is about to see, with the
labels as trained on. eval/*: the trial's fixed held-out sample, with clean labels. Barak et al. 2022, appendix C.1.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.measures.base import View, measure


@measure("train/loss")
def train_loss(view: View) -> Float[Array, ""]:
    """Mean training loss."""
    return jnp.mean(view.train()[0])


@measure("train/error")
def train_error(view: View) -> Float[Array, ""]:
    """Fraction of training examples answered wrongly."""
    return jnp.mean(~view.train()[1])


@measure("eval/loss")
def eval_loss(view: View) -> Float[Array, ""]:
    """Mean loss on the held-out sample."""
    return jnp.mean(view.held_out()[0])


@measure("eval/error")
def eval_error(view: View) -> Float[Array, ""]:
    """Fraction of the held-out sample answered wrongly."""
    return jnp.mean(~view.held_out()[1])
