"""Losses of strategies and gradients of the minimal model, against values of other programs and automatic gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.losses import SequenceMargin
from assay.maths.markov import ngram, stationary
from assay.theory.commands import find_theory_command
from assay.theory.markov import gradient, lag_sums, steps, strategies
from assay.theory.markov.chains import PRIORS, walk
from tests import light


@pytest.mark.parametrize("case", [("full", 2, 100), ("doubly-stochastic", 3, 100), ("iid", 3, 100)], ids=str)
def test_losses_of_strategies_are_those_of_another_program(case: tuple[str, int, int]):
    prior, k, length = case
    means = strategies.strategy_losses(prior, k, length, samples=8000)
    published = zip(("uniform", "unigram", "bigram"), strategies.PUBLISHED[case], (1e-3, 1e-3, 5e-4), strict=True)
    for name, value, error in published:
        assert abs(means[name].value - value) < 4 * np.hypot(means[name].error, error)


@pytest.mark.slow
def test_the_bayes_rule_is_best_and_gains_most_on_short_sequences():
    """Remark 8.1: from a stationary start the first symbol tells of the chain."""
    short, long = (strategies.strategy_losses("full", 2, t, samples=10_000)["gain"] for t in (5, 100))
    assert abs(short.value - 0.0078) < 4 * np.hypot(short.error, 0.0007)
    assert abs(long.value) < 5e-4


@pytest.mark.slow
def test_the_bayes_rule_of_short_sequences_is_the_mean_over_chains_that_could_have_made_them():
    rng = np.random.default_rng(0)
    chains = PRIORS["full"](rng, 400_000, 3, 3)
    x = np.array([[0, 1, 1, 2, 0, 1]])
    likelihood = stationary(chains)[:, 0] * np.prod([chains[:, i, j] for i, j in zip(x[0], x[0, 1:], strict=False)], 0)
    by_hand = (likelihood[:, None] * chains[:, 1]).sum(axis=0) / likelihood.sum()
    found = np.mean([rule for _ in range(50) if (rule := strategies.bayes(rng, "full", x, 3)) is not None], axis=0)
    np.testing.assert_allclose(found[0], by_hand, atol=0.004)
    assert np.abs(found - ngram(x, 3, 2, np.float64)).max() > 0.01


@pytest.mark.parametrize("prior", ["doubly-stochastic", "mixture"])
def test_two_states_have_their_bayes_rules(prior: str):
    rng = np.random.default_rng(0)
    chains = PRIORS[prior](rng, 400_000, 2, 2)
    x = np.array([[0, 0, 1, 1, 1]])
    likelihood = np.prod([chains[:, i, j] for i, j in zip(x[0], x[0, 1:], strict=False)], 0) * stationary(chains)[:, 0]
    by_hand = (likelihood[:, None] * chains[:, 1]).sum(axis=0) / likelihood.sum()
    found = strategies.bayes(rng, prior, x, 2)
    assert found is not None
    np.testing.assert_allclose(found[0], by_hand, atol=0.003)


@pytest.mark.slow
def test_the_query_answers_and_refuses_in_words():
    query = find_theory_command("strategy-kl")
    found = query(states=2, length=20, samples=5000)
    assert found["value"] == found["bayes"] < found["bigram"] + 3 * found["bigram_error"] < found["unigram"]
    assert found["standard_error"] == max(found[f"{name}_error"] for name in ("uniform", "unigram", "bigram", "bayes"))
    trigrams = query(states=2, length=30, n=3, samples=2000)
    assert trigrams["trigram"] < trigrams["bigram"]
    assert query(prior="doubly-stochastic", states=3, length=20, samples=1000)["bayes"] is None
    for wrong in ({"states": 1}, {"length": 1}, {"samples": 10}, {"n": 9}, {"prior": "iid", "n": 3}):
        with pytest.raises(ConfigError):
            query(**{"states": 2, "length": 10, **wrong})


@pytest.mark.parametrize("k", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_the_population_gradient_is_that_of_sampled_sequences(k: int):
    """The margin loss of the trainable model, by automatic differentiation on sequences of a few chains."""
    rng = np.random.default_rng(0)
    chains = rng.dirichlet(np.ones(k), (4, k))
    length, count = 8, 40_000
    start = gradient.Weights(rng.normal(size=(k, k)), rng.normal(size=length))
    exact = start.ascent(gradient.correlations(gradient.sampled(chains), length))
    symbols = jnp.asarray(walk(rng, np.repeat(chains, count // 4, axis=0), length + 1), jnp.int32)
    net = ay.MinimalInduction(states=k, length=length)
    params = {"match": {"weight": jnp.float32(start.match)}, "lags": {"weight": jnp.float32(start.lags)}}
    loss = SequenceMargin(margin=1e4)

    def each(params: dict, row: jax.Array) -> jax.Array:
        return loss.each(net.apply(params, row[None, :-1]), row[None, 1:])[0]

    found = light.jit(jax.vmap(jax.grad(each), (None, 0)))(params, symbols)
    for name, ascent in (("match", exact.match), ("lags", exact.lags)):
        sampled = -np.asarray(found[name]["weight"], float)
        error = sampled.std(axis=0) / count**0.5
        assert (np.abs(sampled.mean(axis=0) - ascent) < 4.5 * error + 1e-6).all()


def test_constants_are_their_integrals():
    for constant in steps.constants(gradient.full(100)):
        assert constant.closed == pytest.approx(constant.integral, abs=1e-8), constant.name


def test_the_printed_sums_are_the_gradient_of_one_chain():
    a, b, length = 0.3, 0.9, 20
    chain = gradient.sampled(np.array([[[a, 1 - a], [1 - b, b]]]))
    exact = gradient.Weights.constant(1.0, 1.0, length).ascent(gradient.correlations(chain, length))
    np.testing.assert_allclose(steps.printed_match_gradient(a, b, length), exact.match, rtol=1e-10)


def test_two_steps_raise_odd_lags():
    """Values of another program: c = 0.02, eta = 0.03, t = 100."""
    found = steps.two_steps(100, 0.02, 0.03, gradient.full(40))
    np.testing.assert_allclose(found.first.match, [[0.06902, 0.03098], [0.03098, 0.06902]], atol=1e-5)
    lags = found.second.lags
    np.testing.assert_allclose(lags[:4], [0.034890, 0.035913, 0.033593, 0.034184], atol=2e-6)
    assert lags[1] > lags[0] > lags[3] > lags[2] > lags[5] > lags[4]
    np.testing.assert_allclose(found.diagonal_part[:2], [0.005952, 0.007151], atol=2e-6)


def test_without_a_signal_in_the_counts_only_the_diagonal_grows():
    found = gradient.Weights.constant(1.0, 1.0, 20).ascent(gradient.correlations(gradient.balanced(), 20))
    np.testing.assert_allclose(found.match, np.diag([1.6720, 1.6720]), atol=1e-4)
    assert found.lags[0] == pytest.approx(0.39948, abs=1e-5)


def test_the_curriculum_leaves_lag_1():
    _, second = steps.curriculum(200, 0.1, alpha=50, beta=1, match=0.0, lags=0.02)
    others = np.abs(np.delete(second.lags, 1))
    assert second.lags[1] > 15 * others.max()
    assert abs(second.match[0, 1]) < 1e-3 * second.match[0, 0]


@pytest.mark.parametrize(("a", "b"), [(0.3, 0.9), (0.55, 0.7)])
def test_closed_sums_of_the_second_step_are_exact_where_they_are_corrected(a: float, b: float):
    chain = gradient.sampled(np.array([[[a, 1 - a], [1 - b, b]]]))
    exact = np.trace(gradient.correlations(chain, 12), axis1=1, axis2=2)
    for lag in (0, 1, 2, 5):
        assert lag_sums.diagonal_gain(a, b, 12, lag + 1, printed=False) == pytest.approx(exact[lag], rel=1e-9)
        assert lag_sums.diagonal_gain(a, b, 12, lag + 1, printed=True) != pytest.approx(exact[lag], rel=1e-4)
    by_powers = lag_sums.pair_probability_exact(a, b, 9, 3)
    assert lag_sums.pair_probability(a, b, 9, 3, printed=False) == pytest.approx(by_powers, rel=1e-9)
    assert lag_sums.pair_probability(a, b, 9, 3, printed=True) != pytest.approx(by_powers, rel=1e-4)
