"""What an induction head that was built by hand answers, in the limit of infinite sharpness (proposition 8.2)."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int


def answers(x: Int[np.ndarray, "N t"], k: int) -> Float[np.ndarray, "N t k"]:
    """The mean of what followed earlier copies of each symbol, the first counting as following itself; where there was
    no copy, the mean of all symbols so far."""
    before = np.concatenate([x[:, :1], x[:, :-1]], axis=1)
    matches = before[:, None, :] == x[:, :, None]  # [N, query, key]
    causal = np.tri(x.shape[1], dtype=bool)
    found = matches & causal
    weights = np.where(found.any(axis=2, keepdims=True), found, causal).astype(float)
    return np.einsum("nij,njk->nik", weights / weights.sum(axis=2, keepdims=True), np.eye(k)[x])


def counted(x: Int[np.ndarray, "N t"], k: int, lag: int) -> Float[np.ndarray, "N t k"]:
    """How often each symbol followed a copy of the current one (lag 1), or was there at all (lag 0): fact 8.3."""
    one = np.eye(k)[x]
    causal = np.tri(x.shape[1])
    if lag == 0:
        return causal @ one
    before = np.concatenate([np.full_like(x[:, :1], -1), x[:, :-1]], axis=1)
    return ((before[:, None, :] == x[:, :, None]) * causal) @ one
