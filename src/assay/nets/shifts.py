"""Matrices of lags by padding and reshaping, without gathers, which are slow to differentiate on a CPU."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float


def by_lag(rows: Float[Array, "*more t t"]) -> Float[Array, "*more t t"]:
    """rows[i, i-j] at (i, j), for j <= i; what is above the diagonal means nothing (Dai et al. 2019, appendix B)."""
    *more, t, _ = rows.shape
    padded = jnp.pad(rows[..., ::-1], [(0, 0)] * (len(more) + 1) + [(1, 0)])
    return padded.reshape(*more, t + 1, t)[..., 1:, :]


def toeplitz(lags: Float[Array, "*more t"]) -> Float[Array, "*more t t"]:
    """lags[i-j] at (j, i) for j <= i, else 0."""
    *more, t = lags.shape
    padded = jnp.pad(lags, [(0, 0)] * len(more) + [(0, t)])
    repeated = jnp.broadcast_to(padded[..., None, :], (*more, t, 2 * t)).reshape(*more, 2 * t * t)
    return repeated[..., : t * (2 * t - 1)].reshape(*more, t, 2 * t - 1)[..., :t]
