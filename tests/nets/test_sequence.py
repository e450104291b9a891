"""Sequence nets against their formulas, written as plain loops; and the head that was built by hand."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.maths import streams
from assay.nets.induction import induction_head
from assay.nets.sequence import SequenceTransformer
from assay.nets.shifts import by_lag, toeplitz
from assay.theory.markov.head import answers
from tests import light

TASK = ay.MarkovChains(states=3, length=7)
X = np.random.default_rng(0).integers(3, size=(4, 7)).astype(np.int32)


def weights(net: Any, std: float = 0.5) -> Any:
    return jax.tree.map(np.asarray, light.jit(lambda: net.init(streams.root(1), ay.Normal(std=std)))())


def softmax(scores: np.ndarray) -> np.ndarray:
    e = np.exp(scores - scores.max())
    return e / e.sum()


def norm(layer: dict[str, np.ndarray], z: np.ndarray) -> np.ndarray:
    return (z - z.mean(-1, keepdims=True)) / np.sqrt(z.var(-1, keepdims=True) + 1e-5) * layer["weight"] + layer["bias"]


def by_loops(net: SequenceTransformer, params: Any, x: np.ndarray) -> np.ndarray:
    """Equations 8.4 and 8.5 for one sequence, head by head, in float64."""
    p = {name: {key: array.astype(float) for key, array in layer.items()} for name, layer in params.items()}
    z = np.stack([p["embed_tokens"]["weight"][:, symbol] for symbol in x])
    size = net.d // net.heads
    for i in range(net.layers):
        inner = norm(p[f"layer_{i}_norm"], z) if net.preset == "mingpt" else z
        query, key, value = (inner @ p[f"layer_{i}_{name}"]["weight"].T for name in ("query", "key", "value"))
        table = p[f"layer_{i}_positions"]["weight"]
        added = np.zeros_like(z)
        for h in range(net.heads):
            of = slice(h * size, (h + 1) * size)
            for row in range(len(x)):
                scores = [query[row, of] @ (key[j, of] + table[row - j, of]) / size**0.5 for j in range(row + 1)]
                added[row, of] = softmax(np.array(scores)) @ value[: row + 1, of]
        z = z + (added @ p[f"layer_{i}_project"]["weight"].T if net.preset == "mingpt" else added)
    return (norm(p["norm"], z) if net.preset == "mingpt" else z) @ p["output"]["weight"].T


@pytest.mark.parametrize(("preset", "heads"), [("thesis", 1), ("mingpt", 2)])
def test_logits_are_those_of_the_formula(preset: str, heads: int):
    net: Any = SequenceTransformer(d=4, heads=heads, preset=preset).completed(TASK)
    params = weights(net)
    found = light.jit(net.apply)(params, X)
    for row, x in zip(found, X, strict=True):
        np.testing.assert_allclose(row, by_loops(net, params, x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("positions", ["relative", pytest.param("absolute", marks=pytest.mark.slow)])
def test_short_cuts_and_activations_agree_with_the_whole(positions: str):
    net: Any = SequenceTransformer(d=4, heads=2, preset="mingpt", mlp=True, positions=positions).completed(TASK)
    params = weights(net)
    logits, (last, attention), seen = light.jit(
        lambda p, x: (net.apply(p, x), net.last(p, x), net.activations(p, x))
    )(params, X)  # fmt: skip
    np.testing.assert_allclose(seen["logits"], logits, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(last, logits[:, -1], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(attention, seen["layers.1.attention"][:, :, -1], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(seen["layers.0.attention"].sum(-1), 1, rtol=1e-5)
    assert not np.triu(seen["layers.0.attention"][0, 0], 1).any()
    assert {"embedding", "layers.0.scores", "layers.0.stream", "layers.1.stream"} <= seen.keys()


@pytest.mark.slow
def test_the_future_is_not_seen():
    net: Any = SequenceTransformer(d=4).completed(TASK)
    params, changed = weights(net), X.copy()
    changed[:, 5:] = (X[:, 5:] + 1) % 3
    apply = light.jit(net.apply)
    np.testing.assert_allclose(apply(params, X)[:, :5], apply(params, changed)[:, :5], rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_very_different_scores_of_lags_leave_the_first_positions_defined():
    net: Any = SequenceTransformer(d=4, layers=1).completed(TASK)
    params = weights(net, std=30.0)
    assert np.isfinite(light.jit(net.apply)(params, X)).all()


def test_shifts_are_what_their_indices_say():
    rows = np.random.default_rng(1).normal(size=(2, 5, 5)).astype(np.float32)
    shifted, made = np.asarray(by_lag(jnp.asarray(rows))), np.asarray(toeplitz(jnp.asarray(rows[0, 0])))
    for i in range(5):
        for j in range(5):
            if j <= i:
                np.testing.assert_array_equal(shifted[:, i, j], rows[:, i, i - j])
            assert made[j, i] == (rows[0, 0, i - j] if j <= i else 0)


def test_the_minimal_model_is_its_formula():
    net: Any = ay.MinimalInduction().completed(TASK)
    rng = np.random.default_rng(2)
    match, lags = rng.normal(size=(3, 3)), rng.normal(size=7)
    params = {"match": {"weight": match.astype(np.float32)}, "lags": {"weight": lags.astype(np.float32)}}
    e = np.eye(3)[X]
    m = np.array([[lags[p - s] if s <= p else 0 for s in range(7)] for p in range(7)])
    expected = np.tril(e @ match @ np.swapaxes(m @ e, 1, 2)) @ e
    np.testing.assert_allclose(light.jit(net.apply)(params, X), expected, rtol=1e-4, atol=1e-5)


def test_bigrams_and_unigrams_are_counted_exactly_by_the_minimal_model():
    """Fact 8.3."""
    net: Any = ay.MinimalInduction().completed(TASK)
    apply = lambda params, x: np.asarray(light.jit(net.apply)(params, x))  # noqa: E731
    one = np.eye(7, dtype=np.float32)
    eye = np.eye(3, dtype=np.float32)
    bigrams = apply({"match": {"weight": eye}, "lags": {"weight": one[1]}}, X)
    unigrams = apply({"match": {"weight": np.ones((3, 3), np.float32)}, "lags": {"weight": one[0]}}, X)
    for row, x in enumerate(X):
        for p in range(7):
            for j in range(3):
                assert bigrams[row, p, j] == sum(x[s] == j and x[s - 1] == x[p] for s in range(1, p + 1))
                assert unigrams[row, p, j] == sum(x[s] == j for s in range(p + 1))


@pytest.mark.parametrize(("k", "length"), [(2, 30), pytest.param(5, 60, marks=pytest.mark.slow)])
def test_the_head_that_was_built_answers_with_frequencies(k: int, length: int):
    net, params = induction_head(k, length, scale=1.0)
    x = np.random.default_rng(3).integers(k, size=(20, length)).astype(np.int32)
    with jax.enable_x64(True):
        exact = jax.tree.map(lambda array: jnp.asarray(np.asarray(array, float)), params)
        np.testing.assert_allclose(light.jit(net.apply)(exact, x), answers(x, k), atol=1e-6)


@pytest.mark.slow
def test_a_blunt_head_is_off():
    net, params = induction_head(3, 30, sharpness=20.0)
    x = np.random.default_rng(3).integers(3, size=(20, 30)).astype(np.int32)
    assert np.abs(light.jit(net.apply)(params, x) - answers(x, 3)).max() > 0.05


def test_with_both_layers_given_half_a_head_is_the_whole():
    net: Any = ay.HalfHead(d=6, given=("layer",), score=40.0, scale=1.0).completed(ay.MarkovChains(states=2, length=12))
    x = np.random.default_rng(3).integers(2, size=(20, 12)).astype(np.int32)
    params = weights(net)
    np.testing.assert_allclose(light.jit(net.apply)(params, x)[:, 1:], answers(x, 2)[:, 1:], atol=1e-4)
    assert set(net.by_hand) == set(params)


def test_what_is_not_given_of_a_head_is_drawn():
    net: Any = ay.HalfHead(d=6, given=("layer_1",)).completed(ay.MarkovChains(states=2, length=12))
    whole: Any = ay.HalfHead(d=6, given=("layer",)).completed(ay.MarkovChains(states=2, length=12))
    params, given = weights(net), weights(whole)
    same = {name for name in params if np.array_equal(params[name]["weight"], given[name]["weight"])}
    assert same == set(net.by_hand) == {name for name in params if not name.startswith("layer_0")}


def test_half_a_head_of_another_width_is_refused():
    with pytest.raises(ConfigError, match="3 states = 9"):
        ay.HalfHead(d=6).completed(ay.MarkovChains(states=3, length=12))
    with pytest.raises(ConfigError, match=r"half-head\.heads"):
        ay.HalfHead(d=6, heads=2)
    with pytest.raises(ConfigError, match="layer_7"):
        ay.HalfHead(d=6, given=("layer_7",))
