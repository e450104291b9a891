"""How a net's predictions compare with strategies that count: KL divergences at the last position, in nats.

Edelman, Edelman, Goel, Malach and Tsilivis 2024, figures 8.1 and 8.3: the test loss is KL(truth || net), against the
transition probabilities themselves; the distance to a strategy s is KL(s || net). Means over the held-out sample.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.maths import markov
from assay.measures.base import BLOCK, View, measure
from assay.tasks.markov import MarkovChains
from assay.tasks.priors import Dirichlet, DoublyStochastic, Iid, Prior

STRATEGIES = ("uniform", "unigram", "bigram", "trigram")
"""By the number of symbols that they look at: the n-gram rules for n = 0, ..., 3."""

Number = Float[Array, ""]


@measure("markov/truth", task=MarkovChains)
def truth(view: View) -> Number:
    """KL(truth || net): the test loss."""
    return view.once(_own)["truth"]


@measure("markov/uniform", task=MarkovChains)
def uniform(view: View) -> Number:
    """KL(uniform || net)."""
    return view.once(_own)["uniform"]


@measure("markov/unigram", task=MarkovChains)
def unigram(view: View) -> Number:
    """KL(unigram || net), with (n_j + 1) / (t + k)."""
    return view.once(_own)["unigram"]


@measure("markov/bigram", task=MarkovChains)
def bigram(view: View) -> Number:
    """KL(bigram || net), with equation 8.3."""
    return view.once(_own)["bigram"]


@measure("markov/trigram", task=MarkovChains)
def trigram(view: View) -> Number:
    """KL(trigram || net)."""
    return view.once(_own)["trigram"]


@measure("markov/unigram_line", task=MarkovChains)
def unigram_line(view: View) -> Number:
    """KL(truth || unigram): the loss of that strategy on the same sample."""
    return view.once(_own)["unigram_line"]


@measure("markov/bigram_line", task=MarkovChains)
def bigram_line(view: View) -> Number:
    """KL(truth || bigram) on the same sample."""
    return view.once(_own)["bigram_line"]


@measure("markov/trigram_line", task=MarkovChains)
def trigram_line(view: View) -> Number:
    """KL(truth || trigram) on the same sample."""
    return view.once(_own)["trigram_line"]


@measure("markov/reversed", task=MarkovChains)
def reverse(view: View) -> dict[str, Array]:
    """KL(net || s) for every strategy s: the other direction."""
    own = view.once(_own)
    return {name: own[f"reversed_{name}"] for name in STRATEGIES}


@measure("markov/truth_full", task=MarkovChains)
def truth_full(view: View) -> Number:
    """The test loss on chains with flat Dirichlet rows, whatever the net was trained on."""
    return view.once(_full)["truth"]


@measure("markov/uniform_full", task=MarkovChains)
def uniform_full(view: View) -> Number:
    """KL(uniform || net) there."""
    return view.once(_full)["uniform"]


@measure("markov/unigram_full", task=MarkovChains)
def unigram_full(view: View) -> Number:
    """KL(unigram || net) there."""
    return view.once(_full)["unigram"]


@measure("markov/bigram_full", task=MarkovChains)
def bigram_full(view: View) -> Number:
    """KL(bigram || net) there."""
    return view.once(_full)["bigram"]


@measure("markov/truth_iid", task=MarkovChains)
def truth_iid(view: View) -> Number:
    """The test loss on independent symbols."""
    return _divergences(view, Iid())["truth"]


@measure("markov/truth_balanced", task=MarkovChains)
def truth_balanced(view: View) -> Number:
    """The test loss on doubly stochastic chains."""
    return _divergences(view, DoublyStochastic())["truth"]


def _own(view: View) -> dict[str, Array]:
    return _divergences(view, None)


def _full(view: View) -> dict[str, Array]:
    return _divergences(view, Dirichlet())


def _divergences(view: View, prior: Prior | None) -> dict[str, Array]:
    """All means at once, block by block; on chains of another prior if one is given."""
    task = view.task
    assert isinstance(task, MarkovChains)
    if prior is not None:
        task = dataclasses.replace(task, prior=prior)
    k = task.states

    def block(index: Array) -> dict[str, Array]:
        x, _ = task.examples(view.secret, view.keys["eval"], index)
        true = task.truth(task.chains(view.keys["eval"], index), x)
        net = jax.nn.softmax(last_logits(view.net, view.params, x), axis=-1)
        found = {"truth": markov.divergence(true, net)}
        for n, name in enumerate(STRATEGIES):
            strategy = markov.ngram(x, k, n, jnp.float32)
            found |= {name: markov.divergence(strategy, net), f"reversed_{name}": markov.divergence(net, strategy)}
            found |= {f"{name}_line": markov.divergence(true, strategy)}
        return {name: jnp.where(index < view.sample, values, 0.0) for name, values in found.items()}

    blocks = -(-view.sample // BLOCK)
    size = -(-view.sample // blocks)
    index = jnp.arange(blocks * size, dtype=jnp.uint32).reshape(blocks, size)
    return {name: jnp.sum(values) / view.sample for name, values in jax.lax.map(block, index).items()}


def last_logits(net: Any, params: Any, x: Array) -> Float[Array, "B k"]:
    """Logits at the last position, by the net's own short cut where it has one."""
    if not hasattr(net, "last"):
        return net.apply(params, x)[:, -1]
    found = net.last(params, x)
    return found[0] if isinstance(found, tuple) else found
