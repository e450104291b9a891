"""Where the heads of a sequence Transformer look: at the previous symbol in the first layer, in the last one at what
followed earlier copies of the current symbol. An induction head is the two together.

Edelman, Edelman, Goel, Malach and Tsilivis 2024, figures 8.2, 8.3 and E.5. Weights are those after the softmax, means
over held-out sequences.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from assay.errors import ConfigError
from assay.maths.markov import followers
from assay.measures.base import View, measure
from assay.nets.sequence import SequenceTransformer
from assay.tasks.markov import MarkovChains

SEQUENCES = 64
"""Held-out sequences whose attention is averaged."""
FIRST = 20
"""First position whose attention counts: before it there are few lags. Of short sequences it is at a quarter."""
SHOWN = 24
"""Symbols of the sequence whose attention is kept as a map."""


@measure("attention/lags", MarkovChains, SequenceTransformer)
def lags(view: View) -> Float[Array, "heads t"]:
    """Mean weight of the first layer at each lag, of queries at positions >= 20."""
    return view.once(_lags)


@measure("attention/previous", MarkovChains, SequenceTransformer)
def previous(view: View) -> Float[Array, ""]:
    """Mean weight of the first layer on the previous symbol: lag 1, of the head with the most."""
    return jnp.max(view.once(_lags)[:, 1])


@measure("attention/followers", MarkovChains, SequenceTransformer)
def found(view: View) -> Float[Array, ""]:
    """Mean weight of the last query, in the last layer, on symbols that follow earlier copies of the current one, of
    the head with the most. Without skill it is the fraction of such positions: 0.61, 0.42, 0.28 for k = 2, 3, 4."""
    net, x = _transformer(view), _sequences(view)
    _, weights = net.last(view.params, x)
    on = jnp.sum(jnp.where(followers(x, 2)[:, None], weights, 0.0), axis=-1)
    return jnp.max(jnp.mean(on, axis=0))


@measure("attention/encoding", MarkovChains, SequenceTransformer)
def encoding(view: View) -> Float[Array, "heads t"]:
    """The effective positional encoding: softmax over lags of (e_x W_Q) v_lag^T / sqrt(d), mean over the symbols x
    (section 8.2). The text has W_K for W_Q; by equation 8.5 the table multiplies the query."""
    net = _transformer(view)
    if net.positions != "relative":
        raise ConfigError("attention/encoding of positions", net.positions, "relative")
    return jnp.mean(jax.nn.softmax(net.lag_scores(view.params), axis=-1), axis=1)


@measure("attention/match", MarkovChains, SequenceTransformer)
def match(view: View) -> Float[Array, ""]:
    """How much better a symbol matches its own copies than other symbols in the second layer, if the first gathered one
    symbol only: with S[x, y] = (e_x W_Q)(e_y W_V' W_K)^T / sqrt(d), the mean of S[x, x] minus that of S[x, y != x]."""
    net = _transformer(view)
    scores = net.match_scores(view.params)
    k = scores.shape[-1]
    own = jnp.trace(scores, axis1=-2, axis2=-1) / k
    rest = (jnp.sum(scores, axis=(-2, -1)) - own * k) / (k * (k - 1))
    return jnp.max(own - rest)


@measure("attention/maps", MarkovChains, SequenceTransformer)
def maps(view: View) -> dict[str, Array]:
    """Scores and weights of every layer on the first 24 symbols of held-out sequence 0, and the symbols."""
    net = _transformer(view)
    x = _sequences(view, 1)[:, :SHOWN]
    found = net.activations(view.params, x)
    causal = np.tril(np.ones((x.shape[1], x.shape[1]), bool))
    kept = {
        name: jnp.where(causal, array[0], 0.0)
        for name, array in found.items()
        if name.endswith((".scores", ".attention"))
    }
    return kept | {"symbols": x[0].astype(jnp.float32)}


def _lags(view: View) -> Float[Array, "heads t"]:
    net, x = _transformer(view), _sequences(view)
    weights = net.first_weights(view.params, x)  # [B, heads, t, t]
    t = x.shape[1]
    first = min(FIRST, t // 4)
    own = np.maximum(np.arange(t)[:, None] - np.arange(t), 0)  # the position at each lag of each query
    rows = jnp.take_along_axis(jnp.mean(weights, axis=0), own[None], axis=2) * np.tri(t)
    return jnp.mean(rows[:, first:], axis=1)


def _sequences(view: View, count: int = SEQUENCES) -> Array:
    return view.task.examples(view.secret, view.keys["eval"], jnp.arange(min(count, view.sample), dtype=jnp.uint32))[0]


def _transformer(view: View) -> SequenceTransformer:
    assert isinstance(view.net, SequenceTransformer)
    return view.net
