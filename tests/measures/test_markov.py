"""Distances to strategies and attention, of nets whose answers are known."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.maths import markov
from assay.measures import View, find
from tests import light

TASK = ay.MarkovChains(states=2, length=30)
SAMPLE = 100


def measured(net: Any, params: Any, names: tuple[str, ...], task: ay.MarkovChains = TASK) -> dict[str, Any]:
    keys = light.keys()

    def all_of(params: Any) -> dict[str, Any]:
        view = View(
            task=task, net=net, loss=ay.SequenceCrossEntropy(), data=ay.Online(), batch=8, sample=SAMPLE, secret=(),
            keys=keys, step=jnp.int32(0), start=params, params=params,
        )  # fmt: skip
        return {name: find(name)(view) for name in names}

    return jax.tree.map(np.asarray, light.jit(all_of)(jax.tree.map(jnp.asarray, params)))


def drawn() -> tuple[np.ndarray, np.ndarray]:
    """The held-out sequences and the laws of what follows them."""
    key, index = light.keys()["eval"], jnp.arange(SAMPLE, dtype=jnp.uint32)
    x, _ = TASK.examples((), key, index)
    return np.asarray(x), np.asarray(TASK.truth(TASK.chains(key, index), x), float)


def test_a_net_that_says_nothing_is_the_uniform_strategy():
    net: Any = ay.MinimalInduction().completed(TASK)
    params = {"lags": {"weight": np.zeros(30, np.float32)}, "match": {"weight": np.zeros((2, 2), np.float32)}}
    names = (
        "markov/truth",
        "markov/uniform",
        "markov/unigram",
        "markov/bigram",
        "markov/reversed",
        "markov/bigram_line",
        "markov/trigram_line",
    )
    found = measured(net, params, names)
    x, true = drawn()
    rules = {n: markov.ngram(x, 2, n, np.float64) for n in range(4)}
    assert found["markov/uniform"] == pytest.approx(0, abs=1e-6)
    assert found["markov/truth"] == pytest.approx(markov.divergence(true, rules[0]).mean(), rel=1e-4)
    assert found["markov/unigram"] == pytest.approx(markov.divergence(rules[1], rules[0]).mean(), rel=1e-4)
    assert found["markov/bigram"] == pytest.approx(markov.divergence(rules[2], rules[0]).mean(), rel=1e-4)
    assert found["markov/bigram_line"] == pytest.approx(markov.divergence(true, rules[2]).mean(), rel=1e-4)
    assert found["markov/trigram_line"] == pytest.approx(markov.divergence(true, rules[3]).mean(), rel=1e-4)
    reverse = markov.divergence(rules[0], rules[1]).mean()
    assert found["markov/reversed"]["unigram"] == pytest.approx(reverse, rel=1e-4)


def test_the_head_by_hand_looks_where_an_induction_head_looks():
    net, params = ay.induction_head(2, 30, sharpness=60.0, scale=2.5)
    names = ("attention/previous", "attention/followers", "attention/lags", "attention/encoding", "attention/match")
    found = measured(net, params, (*names, "markov/bigram", "markov/unigram"))
    assert found["attention/previous"] == pytest.approx(1, abs=1e-3)
    assert found["attention/followers"] > 0.93  # the rest: the first symbol, which counts as following itself
    assert found["attention/lags"].shape == (1, 30)
    np.testing.assert_allclose(found["attention/lags"].sum(), 1, rtol=1e-4)
    assert found["attention/encoding"][0].argmax() == 1
    assert found["attention/match"] > 100
    assert found["markov/bigram"] < found["markov/unigram"] / 2


def test_a_net_is_measured_on_other_chains_than_it_is_trained_on():
    net, params = ay.induction_head(2, 30, sharpness=60.0)
    names = ("markov/truth", "markov/truth_iid", "markov/truth_balanced", "markov/truth_full", "markov/bigram_full")
    own = measured(net, params, names)
    assert own["markov/truth"] == own["markov/truth_full"]
    balanced = measured(net, params, names, TASK.replace(prior=ay.DoublyStochastic()))
    assert balanced["markov/truth"] == balanced["markov/truth_balanced"] == own["markov/truth_balanced"]
    assert balanced["markov/bigram_full"] == own["markov/bigram_full"]
    assert len({float(own[name]) for name in names[1:4]}) == 3


def test_what_measures_share_is_worked_out_once():
    calls = []

    def shared(view: View) -> int:
        calls.append(1)
        return 7

    net, params = ay.induction_head(2, 30)
    view = View(
        task=TASK, net=net, loss=ay.SequenceCrossEntropy(), data=ay.Online(), batch=8, sample=SAMPLE, secret=(),
        keys=light.keys(), step=jnp.int32(0), start=params, params=params,
    )  # fmt: skip
    assert view.once(shared) == view.once(shared) == 7
    assert len(calls) == 1
