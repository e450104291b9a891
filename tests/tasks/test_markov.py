"""Sequences are drawn from the chains that the task says, and the chains from their priors."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest
from scipy import stats

import assay as ay
from assay.errors import ConfigError
from assay.maths import streams
from assay.maths.markov import lifted, stationary
from tests import light

COUNT = 4000
INDEX = np.arange(COUNT, dtype=np.uint32)


def drawn(task: ay.MarkovChains) -> tuple[np.ndarray, np.ndarray]:
    """Chains, and sequences of length t + 1."""
    key = streams.stream(0, "data")
    made: Any = light.jit(lambda index: (task.chains(key, index), *task.examples((), key, index)))(INDEX)
    chains, x, y = (np.asarray(part) for part in made)
    np.testing.assert_array_equal(x[:, 1:], y[:, :-1])
    return chains, np.concatenate([x, y[:, -1:]], axis=1)


@pytest.mark.parametrize(("states", "n"), [(2, 2), (3, 2), (2, 3)])
def test_sequences_start_in_the_stationary_law_and_follow_their_chain(states: int, n: int):
    task = ay.MarkovChains(states=states, length=6, n=n)
    chains, symbols = drawn(task)
    windows = np.lib.stride_tricks.sliding_window_view(symbols, n - 1, axis=1) @ states ** np.arange(n - 2, -1, -1)
    law = stationary(lifted(chains.astype(float)) if n > 2 else chains.astype(float))
    first = np.bincount(windows[:, 0], minlength=task.contexts)
    assert stats.chisquare(first, COUNT * law.sum(axis=0) / law.sum()).pvalue > 1e-3
    for p in (n - 1, 6):  # the first and the last that is drawn from the chain
        expected = chains[INDEX, windows[:, p - n + 1]].astype(float).sum(axis=0)
        assert (
            stats.chisquare(np.bincount(symbols[:, p], minlength=states), COUNT * expected / expected.sum()).pvalue
            > 1e-3
        )
        # not only the margin: the log-likelihood of what was drawn is what it should be
        rows = chains[INDEX, windows[:, p - n + 1]].astype(float)
        surprise = -np.log(rows[INDEX, symbols[:, p]])
        entropy = stats.entropy(rows, axis=1)
        assert abs((surprise - entropy).mean()) < 4 * (surprise - entropy).std() / COUNT**0.5


def test_the_truth_is_the_row_of_the_last_context():
    task = ay.MarkovChains(states=3, length=5, n=3)
    chains, symbols = drawn(task)
    x = symbols[:, :-1]
    found = np.asarray(task.truth(jax.numpy.asarray(chains), jax.numpy.asarray(x)))
    np.testing.assert_array_equal(found, chains[INDEX, 3 * x[:, -2] + x[:, -1]])


@pytest.mark.parametrize("alpha", [pytest.param(0.3, marks=pytest.mark.slow), 1.0, 4.0])
def test_entries_of_dirichlet_rows_are_beta(alpha: float):
    chains, _ = drawn(ay.MarkovChains(states=3, length=3, prior=ay.Dirichlet(alpha=alpha)))
    np.testing.assert_allclose(chains.sum(axis=2), 1, atol=1e-6)
    assert stats.kstest(chains[:, 1, 2], stats.beta(alpha, 2 * alpha).cdf).pvalue > 1e-3


@pytest.mark.slow
def test_doubly_stochastic_chains_are_uniform_on_the_polytope():
    """For k = 2 one number is uniform; for k = 3 E[P_ij^2] is known from the vertices: the polytope is the union of
    simplices, and by symmetry of rows and columns all entries have one law."""
    two, _ = drawn(ay.MarkovChains(states=2, length=3, prior=ay.DoublyStochastic()))
    assert stats.kstest(two[:, 0, 0], "uniform").pvalue > 1e-3
    three, _ = drawn(ay.MarkovChains(states=3, length=3, prior=ay.DoublyStochastic()))
    assert (three >= 0).all()
    np.testing.assert_allclose(three.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(three.sum(axis=2), 1, atol=1e-6)
    # the plain way: a uniform 2 x 2 block, kept where the rest is not negative
    block = np.random.default_rng(0).random((60_000, 2, 2))
    rest = np.concatenate([1 - block.sum(axis=1), 1 - block.sum(axis=2), block.sum(axis=(1, 2))[:, None] - 1], axis=1)
    kept = block[(rest >= 0).all(axis=1)]
    assert len(kept) / len(block) == pytest.approx(1 / 8, abs=0.006)  # the volume of the polytope
    for i, j in ((0, 0), (1, 1)):
        assert stats.ks_2samp(three[:, i, j], kept[:, i, j]).pvalue > 1e-3
        assert stats.ks_2samp(three[:, 2 - i, j], kept[:, i, j]).pvalue > 1e-3


@pytest.mark.slow
def test_a_mixture_has_its_share_and_near_coins_keep_close():
    mixed, _ = drawn(ay.MarkovChains(states=3, length=3, prior=ay.Mixture(share=0.25)))
    alike = np.ptp(mixed, axis=1).max(axis=1) < 1e-7
    assert abs(np.mean(~alike) - 0.25) < 4 * (0.25 * 0.75 / COUNT) ** 0.5
    np.testing.assert_allclose(mixed[~alike].sum(axis=1), 1, atol=1e-6)
    near, _ = drawn(ay.MarkovChains(states=2, length=3, prior=ay.NearCoin(eps=0.1)))
    np.testing.assert_array_equal(near[:, 0, 0], near[:, 1, 1])
    assert stats.kstest(near[:, 0, 0], stats.uniform(0.4, 0.2).cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n": 3, "prior": ay.Iid()}, "prior must be dirichlet for n = 3"),
        ({"states": 3, "prior": ay.NearCoin()}, "states must be 2"),
        ({"states": 9, "n": 4}, r"states\^\(n-1\) <= 256"),
        ({"n": 5, "length": 4}, "length must be at least n = 5"),
    ],
)
def test_what_cannot_be_is_refused_in_words(changes: dict[str, Any], words: str):
    with pytest.raises(ConfigError, match=words):
        ay.MarkovChains(**changes)


def test_labels_of_sequences_want_a_loss_for_sequences():
    with pytest.raises(ConfigError, match="sequence-cross-entropy"):
        ay.Trial(task=ay.MarkovChains(), net=ay.MinimalInduction())
    with pytest.raises(ConfigError, match=r"one of .*hinge.* for parity"):
        ay.Trial(task=ay.Parity(n=5, k=2), net=ay.MLP(width=2), loss=ay.SequenceCrossEntropy())


def test_a_measure_of_sequences_is_refused_for_parities():
    record = ay.Record(measures=("markov/truth",), every=10)
    with pytest.raises(ConfigError, match="task of measure markov/truth must be one of markov-chains"):
        ay.Trial(task=ay.Parity(n=5, k=2), net=ay.MLP(width=2), record=record)
