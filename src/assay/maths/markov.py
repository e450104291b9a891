"""Markov chains on contexts: stationary laws, and predictions by counting. On arrays of numpy or jax alike.

An n-gram chain draws the next symbol from a law that depends on the n-1 symbols before it, its *context*; contexts are
numbered in base k, the latest symbol last. For n = 2 contexts are states and the chain is a Markov chain.
"""

from __future__ import annotations

from typing import Any

Floats = Any
"""An array of numpy or jax."""


def stationary(transition: Floats) -> Floats:
    """The stationary law of each [..., S, S] matrix of transition probabilities.

    By elimination of states without a subtraction (Grassmann, Taksar and Heyman 1985): leaving state i, one comes back
    to the lower states in proportion to where it leads; so no entry is ever negative.
    """
    xp = transition.__array_namespace__()
    into = []
    rest = transition
    for last in range(transition.shape[-1] - 1, 0, -1):
        leaving = rest[..., last, :last]
        arriving = rest[..., :last, last] / xp.sum(leaving, axis=-1, keepdims=True)
        into.append(arriving)
        rest = rest[..., :last, :last] + arriving[..., :, None] * leaving[..., None, :]
    law = xp.ones_like(transition[..., 0, :1])
    for arriving in reversed(into):
        law = xp.concatenate([law, xp.sum(law * arriving, axis=-1, keepdims=True)], axis=-1)
    return law / xp.sum(law, axis=-1, keepdims=True)


def lifted(chain: Floats) -> Floats:
    """The transition matrix between the contexts of an n-gram chain [..., k^(n-1), k]: (u_1, ..., u_{n-1}) goes to
    (u_2, ..., u_{n-1}, j) with probability chain[u, j]."""
    xp = chain.__array_namespace__()
    contexts, k = chain.shape[-2:]
    goes = (xp.arange(contexts)[:, None] * k) % contexts + xp.arange(k)  # [contexts, k]
    onto = xp.astype(goes[..., None] == xp.arange(contexts), chain.dtype)
    return xp.sum(chain[..., None] * onto, axis=-2)


def one_hot(x: Any, k: int, dtype: Any) -> Floats:
    """Symbols as rows of one 1."""
    xp = x.__array_namespace__()
    return xp.astype(x[..., None] == xp.arange(k, dtype=x.dtype), dtype)


def followers(x: Any, n: int) -> Any:
    """Which positions follow an earlier copy of the last n-1 symbols: [..., t] truth values; all of them for n = 1."""
    xp = x.__array_namespace__()
    t = x.shape[-1]
    matched = xp.arange(t) >= n - 1
    matched = xp.broadcast_to(matched, x.shape)
    for lag in range(1, n):
        before = xp.concatenate([xp.full_like(x[..., :lag], -1), x[..., : t - lag]], axis=-1)
        matched = matched & (before == x[..., t - lag : t - lag + 1])
    return matched


def ngram(x: Any, k: int, n: int, dtype: Any, alpha: float = 1.0) -> Floats:
    """The n-gram prediction of what comes after x: (count of j after the last n-1 symbols + alpha) / (all counts + k
    alpha). The posterior mean under Dirichlet(alpha) rows; the unigram rule for n = 1, uniform for n = 0.

    Edelman, Edelman, Goel, Malach and Tsilivis 2024, equation 8.3 (n = 2).
    """
    xp = x.__array_namespace__()
    if n == 0:
        return xp.full((*x.shape[:-1], k), 1 / k, dtype=dtype)
    seen = xp.sum(one_hot(x, k, dtype) * xp.astype(followers(x, n), dtype)[..., None], axis=-2)
    return (seen + alpha) / (xp.sum(seen, axis=-1, keepdims=True) + k * alpha)


def divergence(p: Floats, q: Floats) -> Floats:
    """KL(p || q) in nats along the last axis, with 0 log 0 = 0."""
    xp = p.__array_namespace__()
    return xp.sum(xp.where(p > 0, p * (xp.log(xp.where(p > 0, p, 1.0)) - xp.log(q)), 0.0), axis=-1)
