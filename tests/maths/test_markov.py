"""Stationary laws and counting, against eigenvectors and plain loops."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.maths.markov import divergence, followers, lifted, ngram, stationary

rng = np.random.default_rng(0)


@pytest.mark.parametrize("states", [1, 2, 3, 7])
def test_the_stationary_law_is_a_law_that_stays(states: int):
    transition = rng.dirichlet(np.ones(states), (50, states))
    law = stationary(transition)
    assert (law >= 0).all()
    np.testing.assert_allclose(law.sum(axis=-1), 1)
    np.testing.assert_allclose(np.einsum("ni,nij->nj", law, transition), law, atol=1e-14)


def test_the_stationary_law_is_accurate_where_a_state_is_hardly_left():
    law = stationary(np.array([[1 - 1e-15, 1e-15], [1e-12, 1 - 1e-12]]))
    np.testing.assert_allclose(law, np.array([1e-12, 1e-15]) / (1e-12 + 1e-15), rtol=1e-12)


def test_jax_finds_the_same_law():
    transition = rng.dirichlet(np.ones(4), (3, 4))
    np.testing.assert_allclose(stationary(jnp.asarray(transition, jnp.float32)), stationary(transition), rtol=1e-5)


def test_a_lifted_chain_shifts_its_contexts():
    chain = rng.dirichlet(np.ones(3), 9)  # trigrams of three symbols
    transition = lifted(chain)
    for u1 in range(3):
        for u2 in range(3):
            for j in range(3):
                assert transition[3 * u1 + u2, 3 * u2 + j] == chain[3 * u1 + u2, j]
    np.testing.assert_allclose(transition.sum(axis=1), 1)


@given(st.lists(st.integers(0, 2), min_size=3, max_size=12), st.integers(1, 3))
def test_counting_is_what_a_loop_counts(symbols: list[int], n: int):
    x, t = np.array(symbols), len(symbols)
    follows = [s >= n - 1 and symbols[s - n + 1 : s] == symbols[t - n + 1 :] for s in range(t)]
    counts = [sum(1 for s in range(t) if follows[s] and symbols[s] == j) for j in range(3)]
    np.testing.assert_array_equal(followers(x, n), follows)
    expected = (np.array(counts) + 1) / (sum(counts) + 3)
    np.testing.assert_allclose(ngram(x, 3, n, np.float64), expected)


def test_jax_counts_alike():
    x = rng.integers(3, size=(4, 12))
    for n in range(4):
        np.testing.assert_allclose(ngram(jnp.asarray(x), 3, n, jnp.float32), ngram(x, 3, n, np.float64), rtol=1e-6)


def test_without_counts_the_guess_is_uniform():
    np.testing.assert_array_equal(ngram(np.array([0, 1, 2]), 4, 0, np.float64), np.full(4, 0.25))
    np.testing.assert_array_equal(ngram(np.array([0, 1, 2]), 4, 2, np.float64), np.full(4, 0.25))


def test_divergence_is_zero_of_a_law_from_itself_and_counts_nothing_where_there_is_none():
    p = rng.dirichlet(np.ones(3), 5)
    np.testing.assert_allclose(divergence(p, p), 0, atol=1e-16)
    assert divergence(np.array([1.0, 0.0]), np.array([0.5, 0.5])) == pytest.approx(np.log(2))
