"""Losses for labels y in {-1, +1} and one output f an example. Barak et al. 2022, section 2 and appendix C.1."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.losses.base import Loss


class Hinge(Loss, kind="hinge"):
    """max(0, 1 - y f), with derivative 0 at y f = 1."""

    def each(self, output: Float[Array, " B"], y: Float[Array, " B"]) -> Float[Array, " B"]:
        margin = y * output
        # written so that NaN stays NaN: a diverged net must not look like a satisfied one
        return jnp.where(margin >= 1, 0.0, 1 - margin)


class Square(Loss, kind="square"):
    """(y - f)^2."""

    def each(self, output: Float[Array, " B"], y: Float[Array, " B"]) -> Float[Array, " B"]:
        return (y - output) ** 2


class Logistic(Loss, kind="logistic"):
    """log(1 + exp(-y f))."""

    def each(self, output: Float[Array, " B"], y: Float[Array, " B"]) -> Float[Array, " B"]:
        return jnp.logaddexp(0.0, -y * output)


class Correlation(Loss, kind="correlation"):
    """-y f, the loss of the theory: its gradient at any net is the correlation with the label."""

    def each(self, output: Float[Array, " B"], y: Float[Array, " B"]) -> Float[Array, " B"]:
        return -y * output
