"""What strategies that count lose: mean KL(truth || strategy) at the last position, with standard errors.

Edelman, Edelman, Goel, Malach and Tsilivis 2024, sections 2 and 8.1. The bigram rule is Bayes optimal if the first
symbol says nothing about the chain (remark 8.1); from a stationary start the optimum weighs the posterior of the chain
by the stationary probability of the first symbol:

    E_P[pi_{x_1}(P) P_{x_t, j}] / E_P[pi_{x_1}(P)],   P ~ Dirichlet(counts + 1)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int

from assay.maths.markov import divergence, followers, lifted, ngram, one_hot, stationary
from assay.theory.markov.chains import PRIORS, truth, walk

BLOCK = 10_000
"""Sequences at a time."""
BAYES_NUMBERS = 16_000_000
"""Posterior numbers drawn for the Bayes rule, over all sequences."""
POSTERIOR = 200
"""Chains drawn from the posterior of a sequence."""
NAMES = ("uniform", "unigram", "bigram", "trigram", "4-gram")


@dataclasses.dataclass(frozen=True)
class Mean:
    """A mean over sequences and its standard error."""

    value: float
    error: float

    @classmethod
    def of(cls, numbers: Float[np.ndarray, " N"]) -> Mean:
        return cls(float(numbers.mean()), float(numbers.std(ddof=1) / len(numbers) ** 0.5))


def strategy_losses(
    prior: str, k: int, length: int, n: int = 2, samples: int = 100_000, seed: int = 0, counting_only: bool = False
) -> dict[str, Mean]:
    """KL(truth || s) for the n-gram rules up to n and, where there is a formula and it is asked for, the Bayes rule.

    That of the Bayes rule is that of the best counting rule less what it gains on a smaller sample of the same
    sequences, which varies far less.
    """
    rng = np.random.default_rng(seed)
    contexts = k ** (n - 1)
    losses: dict[str, list[np.ndarray]] = {name: [] for name in NAMES[: n + 1]}
    gains: list[np.ndarray] = []
    wanted = max(BLOCK // 10, min(samples, BAYES_NUMBERS // (POSTERIOR * contexts * k)))
    best = "unigram" if prior == "iid" else NAMES[n]
    for start in range(0, samples, BLOCK):
        count = min(BLOCK, samples - start)
        chains = PRIORS[prior](rng, count, contexts, k)
        x = walk(rng, chains, length)
        true = truth(chains, x)
        for m, name in enumerate(losses):
            losses[name].append(divergence(true, ngram(x, k, m, np.float64)))
        some = 0 if counting_only else min(count, wanted - sum(map(len, gains)))
        if some > 0:
            found = bayes(rng, prior, x[:some], k, n)
            if found is not None:
                gains.append(losses[best][-1][:some] - divergence(true[:some], found))
    means = {name: Mean.of(np.concatenate(parts)) for name, parts in losses.items()}
    if gains:
        gain = Mean.of(np.concatenate(gains))
        error = float(np.hypot(means[best].error, gain.error))
        means |= {"bayes": Mean(means[best].value - gain.value, error), "gain": gain}
    return means


def strategy_distances(prior: str, k: int, length: int, samples: int, seed: int = 0) -> dict[tuple[str, str], Mean]:
    """KL(s || s') between the strategies, the truth and the stationary law, in the order of table 2.4."""
    rng = np.random.default_rng(seed)
    found: dict[tuple[str, str], list[np.ndarray]] = {}
    for start in range(0, samples, BLOCK):
        count = min(BLOCK, samples - start)
        chains = PRIORS[prior](rng, count, k, k)
        x = walk(rng, chains, length)
        laws = {name: ngram(x, k, m, np.float64) for m, name in enumerate(NAMES[:3])}
        laws |= {"true": truth(chains, x), "stationary": stationary(chains)}
        for pair in PAIRS:
            found.setdefault(pair, []).append(divergence(laws[pair[0]], laws[pair[1]]))
    return {pair: Mean.of(np.concatenate(parts)) for pair, parts in found.items()}


PAIRS = (
    ("true", "uniform"),
    ("true", "unigram"),
    ("true", "bigram"),
    ("true", "stationary"),
    ("bigram", "unigram"),
    ("unigram", "bigram"),
    ("unigram", "uniform"),
    ("bigram", "uniform"),
)


def bayes(
    rng: np.random.Generator, prior: str, x: Int[np.ndarray, "N t"], k: int, n: int = 2
) -> Float[np.ndarray, "N k"] | None:
    """The Bayes rule; None where no formula is known: doubly stochastic chains of three states and more."""
    if prior == "full":
        return _posterior_mean(rng, x, k, n)
    if prior == "iid":
        return ngram(x, k, 1, np.float64)
    if k > 2:
        return None
    return _two_states(x, mixed=prior == "mixture")


def _posterior_mean(rng: np.random.Generator, x: Int[np.ndarray, "N t"], k: int, n: int) -> Float[np.ndarray, "N k"]:
    """By chains from the posterior given all but the first n-1 symbols, weighed by the probability of those."""
    contexts, t = k ** (n - 1), x.shape[1]
    place = k ** np.arange(n - 2, -1, -1)
    windows = np.lib.stride_tricks.sliding_window_view(x, n - 1, axis=1) @ place  # the context at each position
    pairs = windows[:, :-1] * k + x[:, n - 1 :]
    counts = one_hot(pairs, contexts * k, np.float64).sum(axis=1).reshape(-1, contexts, k)
    found = np.empty((len(x), k))
    size = max(1, 2_000_000 // (POSTERIOR * contexts * k))
    for start in range(0, len(x), size):
        part = slice(start, start + size)
        drawn = rng.standard_gamma(np.repeat(counts[part, None] + 1, POSTERIOR, axis=1))
        drawn /= drawn.sum(axis=-1, keepdims=True)
        law = stationary(lifted(drawn) if n > 2 else drawn)
        weight = np.take_along_axis(law, windows[part, :1, None], axis=2)[:, :, 0]
        rows = np.take_along_axis(drawn, windows[part, -1][:, None, None, None], axis=2)[:, :, 0]
        found[part] = np.einsum("nm,nmj->nj", weight, rows) / weight.sum(axis=1, keepdims=True)
    assert t == windows.shape[1] + n - 2
    return found


def _two_states(x: Int[np.ndarray, "N t"], mixed: bool) -> Float[np.ndarray, "N 2"]:
    """Two states: a chain that stays with probability a ~ U(0, 1), or as likely independent symbols if `mixed`. The
    rule of each, weighed by how probable it makes the sequence; each starts with probability 1/2 in either state."""
    from scipy.special import betaln

    stays = (x[:, 1:] == x[:, :-1]).sum(axis=1)
    moves = x.shape[1] - 1 - stays
    stay = ((stays + 1) / (stays + moves + 2))[:, None]
    current = one_hot(x[:, -1], 2, np.float64)
    chain = current * stay + (1 - current) * (1 - stay)
    if not mixed:
        return chain
    ones = x.sum(axis=1)
    zeros = x.shape[1] - ones
    evidence = betaln(ones + 1, zeros + 1) - (betaln(stays + 1, moves + 1) - np.log(2))
    independent = (1 / (1 + np.exp(-evidence)))[:, None]
    return independent * ngram(x, 2, 1, np.float64) + (1 - independent) * chain


def no_skill(k: int, length: int, samples: int = 20_000, seed: int = 0) -> Mean:
    """Fraction of positions that follow an earlier copy of the last symbol: what uniform attention puts on them."""
    rng = np.random.default_rng(seed)
    x = walk(rng, PRIORS["full"](rng, samples, k, k), length)
    return Mean.of(followers(x, 2).mean(axis=1))


PUBLISHED: Mapping[tuple[str, int, int], tuple[float, float, float]] = {
    # prior, k, t -> KL of the truth from uniform, unigram, bigram; 40,000 sequences, standard errors <= 0.001, 0.001,
    # 0.0005
    ("full", 2, 100): (0.2102, 0.0858, 0.0093),
    ("full", 2, 200): (0.2117, 0.0875, 0.0048),
    ("full", 3, 100): (0.2798, 0.1692, 0.0260),
    ("full", 3, 200): (0.2799, 0.1660, 0.0141),
    ("full", 4, 100): (0.3123, 0.2266, 0.0486),
    ("full", 5, 200): (0.3323, 0.2578, 0.0422),
    ("full", 8, 200): (0.3623, 0.3244, 0.0973),
    ("doubly-stochastic", 2, 100): (0.1921, 0.1917, 0.0099),
    ("doubly-stochastic", 3, 100): (0.2156, 0.2254, 0.0275),
    ("doubly-stochastic", 4, 100): (0.2489, 0.2632, 0.0502),
    ("iid", 2, 100): (0.1937, 0.0048, 0.0092),
    ("iid", 3, 100): (0.2666, 0.0095, 0.0248),
    ("iid", 4, 100): (0.3008, 0.0141, 0.0448),
}
"""Values measured once by an independent program."""
