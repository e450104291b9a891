"""Chains and sequences drawn with numpy, for values that are means over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from assay.maths.markov import lifted, stationary

Chains = Float[np.ndarray, "N contexts k"]
PriorName = Literal["full", "iid", "doubly-stochastic", "mixture"]


def full(rng: np.random.Generator, count: int, contexts: int, k: int) -> Chains:
    """Every row uniform on the simplex."""
    return rng.dirichlet(np.ones(k), (count, contexts))


def iid(rng: np.random.Generator, count: int, contexts: int, k: int) -> Chains:
    """One row for all contexts."""
    return np.repeat(full(rng, count, 1, k), contexts, axis=1)


def doubly_stochastic(rng: np.random.Generator, count: int, contexts: int, k: int) -> Chains:
    """Uniform on the doubly stochastic matrices: rows but the last uniform on the simplex, kept where a law is left."""
    kept = np.empty((0, k, k))
    while len(kept) < count:
        rows = full(rng, count, k - 1, k)
        left = 1 - rows.sum(axis=1, keepdims=True)
        fits = (left >= 0).all(axis=(1, 2))
        kept = np.concatenate([kept, np.concatenate([rows, left], axis=1)[fits]])
    return kept[:count]


def mixture(rng: np.random.Generator, count: int, contexts: int, k: int) -> Chains:
    """Doubly stochastic or one row for all, with probability 1/2 each."""
    coin = rng.random(count)[:, None, None] < 0.5
    return np.where(coin, doubly_stochastic(rng, count, contexts, k), iid(rng, count, contexts, k))


PRIORS: Mapping[str, Callable[[np.random.Generator, int, int, int], Chains]] = {
    "full": full,
    "iid": iid,
    "doubly-stochastic": doubly_stochastic,
    "mixture": mixture,
}


def walk(rng: np.random.Generator, chains: Chains, length: int) -> Int[np.ndarray, "N t"]:
    """Sequences that start in the stationary law of the contexts."""
    count, contexts, k = chains.shape
    order = round(np.log(contexts) / np.log(k))
    law = stationary(lifted(chains) if order > 1 else chains)
    context = _inverse(law, rng.random(count))
    symbols = np.empty((count, length), np.int64)
    for j in range(order):
        symbols[:, j] = context // k ** (order - 1 - j) % k
    ends = np.cumsum(chains, axis=2)
    for p in range(order, length):
        symbols[:, p] = (ends[np.arange(count), context, :-1] <= rng.random(count)[:, None]).sum(axis=1)
        context = (context * k + symbols[:, p]) % contexts
    return symbols


def truth(chains: Chains, x: Int[np.ndarray, "N t"]) -> Float[np.ndarray, "N k"]:
    """The law of what comes after each sequence."""
    _, contexts, k = chains.shape
    order = round(np.log(contexts) / np.log(k))
    context = x[:, x.shape[1] - order :] @ k ** np.arange(order - 1, -1, -1)
    return chains[np.arange(len(chains)), context]


def _inverse(law: Float[np.ndarray, "N S"], number: Float[np.ndarray, " N"]) -> Int[np.ndarray, " N"]:
    return (np.cumsum(law, axis=1)[:, :-1] <= number[:, None]).sum(axis=1)
