"""What a net knows beyond the hint of its task: its error on inputs that give nothing away.

Daniely and Malach 2020, section 3: of an easy parity, one relevant bit answers the hinted half of the inputs, so that
an error of 1/4 needs no parity at all. Linear methods are told from nets on the uniform half: chance there is 1/2.
"""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.measures.base import View, measure
from assay.tasks.easy_parity import without_hint


@measure("eval/uniform_error")
def uniform_error(view: View) -> Float[Array, ""]:
    """Fraction answered wrongly of held-out inputs without a hint: P[sign f(x) != y] on uniform x."""
    plain = dataclasses.replace(view, secret=without_hint(view.task, view.secret))
    return jnp.mean(~plain.held_out()[1])
