"""Markov chains learnt in context: each example is a sequence from a chain of its own, each of its symbols a question.

Edelman, Edelman, Goel, Malach and Tsilivis 2024, "The evolution of statistical induction heads", section 2 (chapter 8
of Edelman 2024): draw transition probabilities from a prior, the first symbol from their stationary law, and t symbols
more. Inputs are x_1 ... x_t, labels x_2 ... x_{t+1}. The best prediction counts what followed earlier copies of the
current symbol (the bigram rule); counting symbols alone is worse, and the uniform guess worse still. With n > 2 the
next symbol depends on the n-1 before it (section 8.3.4); the first n-1 are drawn from the stationary law of contexts.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, UInt32

from assay.config import at_least, between, shape
from assay.errors import ConfigError
from assay.maths import markov, streams
from assay.maths.streams import Key
from assay.tasks.base import Batch, Task
from assay.tasks.priors import Chains, Dirichlet, NearCoin, Prior

MOST_CONTEXTS = 256


class MarkovChains(Task, kind="markov-chains"):
    """Next symbols of sequences, each from a fresh n-gram chain."""

    states: int = shape(default=2, check=between(2, 64), doc="k, the number of symbols")
    length: int = shape(default=100, check=at_least(2), doc="t, the number of inputs of a sequence")
    n: int = shape(default=2, check=at_least(2), doc="of the n-grams: 2 for Markov chains, 3 for trigrams")
    prior: Prior = shape(default=Dirichlet(), doc="of the transition probabilities")

    def validate(self) -> None:
        if self.contexts > MOST_CONTEXTS:
            raise ConfigError(
                f"{self.kind}.n", self.n, f"one with states^(n-1) <= {MOST_CONTEXTS}", "lower n or states"
            )
        if self.length < self.n:
            raise ConfigError(f"{self.kind}.length", self.length, f"at least n = {self.n}")
        if self.prior.pairs_only and self.n != 2:
            raise ConfigError(f"{self.kind}.prior", self.prior.kind, f"dirichlet for n = {self.n}")
        if isinstance(self.prior, NearCoin) and self.states != 2:
            raise ConfigError(f"{self.kind}.states", self.states, "2 with the prior near-coin")

    @property
    def inputs(self) -> int:
        return self.length

    @property
    def outputs(self) -> int:
        return self.states

    @property
    def positions(self) -> int:
        return self.length

    @property
    def chance(self) -> float:
        return 1 - 1 / self.states

    @property
    def contexts(self) -> int:
        """Number of contexts, k^(n-1)."""
        return self.states ** (self.n - 1)

    def chains(self, key: Key, index: UInt32[Array, " B"]) -> Chains:
        """The law of the next symbol after each context, for the examples number `index` of a stream."""
        return self.prior.chains(streams.fold_in(key, 0), index, self.contexts, self.states)

    def examples(self, secret: Any, key: Key, index: UInt32[Array, " B"]) -> Batch:
        symbols = self._walk(self.chains(key, index), streams.fold_in(key, 1), index)
        return symbols[:, :-1], symbols[:, 1:]

    def truth(self, chains: Chains, x: Int[Array, "B t"]) -> Float[Array, "B k"]:
        """The law of what comes after each sequence."""
        place = self.states ** jnp.arange(self.n - 2, -1, -1)
        context = jnp.sum(x[:, x.shape[1] - self.n + 1 :] * place, axis=1)
        return jnp.take_along_axis(chains, context[:, None, None], axis=1)[:, 0]

    def correct(self, output: Float[Array, "B t k"], y: Int[Array, "B t"]) -> Bool[Array, " B"]:
        """Whether the symbol after the whole sequence has the largest logit: evaluation is at the last position."""
        return super().correct(output[:, -1], y[:, -1])

    def _walk(self, chains: Chains, key: Key, index: UInt32[Array, " B"]) -> Int[Array, "B symbols"]:
        steps = self.length + 2 - self.n
        numbers = streams.uniforms(key, index, steps + 1)
        law = markov.stationary(markov.lifted(chains) if self.n > 2 else chains)
        start = _inverse(law, numbers[:, 0])
        # where each context leads at each step; what is left for the loop is to look it up
        leads = _inverse(chains[None], numbers[:, 1:].T[:, :, None])  # [steps, B, contexts]

        def step(context: Array, lead: Array) -> tuple[Array, Array]:
            symbol = jnp.take_along_axis(lead, context[:, None], axis=1)[:, 0]
            return (context * self.states + symbol) % self.contexts, symbol

        rest = jax.lax.scan(step, start, leads)[1].T
        first = start[:, None] // self.states ** jnp.arange(self.n - 2, -1, -1) % self.states
        return jnp.concatenate([first, rest], axis=1)


def _inverse(law: Float[Array, "*more k"], number: Float[Array, " ..."]) -> Int[Array, " ..."]:
    """The symbol whose part of [0, 1) a uniform number falls into."""
    ends = jnp.cumsum(law, axis=-1)[..., :-1]
    return jnp.sum(ends <= number[..., None], axis=-1, dtype=jnp.int32)
