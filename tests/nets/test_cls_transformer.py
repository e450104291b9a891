"""The shortcuts of the [CLS] Transformer against the plain block that they stand for; dropout by its law."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.maths import streams
from assay.nets.dropout import dropout
from tests import light

NET = ay.ClsTransformer(inputs=7, d_embedding=12, heads=3, d_attention=2, d_mlp=10)
X = np.random.default_rng(0).choice([-1.0, 1.0], size=(9, 7)).astype(np.float32)


def params_of(net: ay.ClsTransformer, seed: int, scale: float = 0.5) -> dict:
    return jax.tree.map(jnp.asarray, light.normal_params(net, seed, scale))


def plain(net: ay.ClsTransformer, params: dict, x: np.ndarray) -> np.ndarray:
    """minGPT's block in float64, all T + 1 queries, as the paper describes it."""
    p = {layer: {k: np.asarray(v, np.float64) for k, v in arrays.items()} for layer, arrays in params.items()}

    def norm(layer: str, h: np.ndarray) -> np.ndarray:
        scaled = (h - h.mean(-1, keepdims=True)) / np.sqrt(h.var(-1, keepdims=True) + 1e-5)
        return scaled * (1 + p[layer]["weight"][:, 0]) + p[layer]["bias"]

    def affine(layer: str, h: np.ndarray) -> np.ndarray:
        return h @ p[layer]["weight"].T + p[layer].get("bias", 0.0)

    tokens = p["embed_tokens"]["weight"].T
    start = tokens[2] + p["embed_start"]["weight"][:, 0]
    h = tokens[(x > 0).astype(int)] + p["embed_positions"]["weight"].T
    h = np.concatenate([h, np.broadcast_to(start, (len(x), 1, len(start)))], axis=1)
    rows = norm("norm_heads", h)
    heads = [affine(f"heads_{name}", rows).reshape(*h.shape[:2], net.heads, -1) for name in ("query", "key", "value")]
    scores = np.einsum("bsha,btha->bhst", heads[0], heads[1]) / np.sqrt(net.d_attention)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    mixed = np.einsum("bhst,btha->bsha", weights, heads[2]).reshape(*h.shape[:2], -1)
    z = h + affine("heads_out", mixed)
    inner = affine("mlp_in", norm("norm_mlp", z))
    erf = np.asarray(jax.lax.erf(jnp.asarray(inner / 2**0.5, jnp.float32)), np.float64)
    o = z + affine("mlp_out", inner * (1 + erf) / 2)
    return affine("output", norm("norm_output", o))[:, -1]


@pytest.mark.parametrize("seed", [0, 1])
def test_answers_are_those_of_the_plain_block(seed: int):
    params = params_of(NET, seed)
    expected = plain(NET, params, X)
    np.testing.assert_allclose(NET.apply(params, jnp.asarray(X)), expected, atol=2e-5)
    # a dropout that never drops: the path of training
    nothing = NET.replace(dropout=1e-9)
    np.testing.assert_allclose(nothing.forward(params, jnp.asarray(X), streams.root(0)), expected, atol=2e-5)


def test_scores_of_the_readout_are_those_of_the_block():
    """Through their effect: with W_V picking one number of each token, one head mixes the tokens by these weights."""
    net = NET.replace(heads=1, d_attention=12)
    params = params_of(net, 3)
    readout = net.readout(params)
    scores = np.where(X[:, None, :] > 0, readout["scores.one"], readout["scores.zero"])
    weights = np.exp(np.append(scores, np.broadcast_to(readout["scores.start"], (len(X), 1, 1)), axis=-1))[:, 0]
    weights /= weights.sum(axis=-1, keepdims=True)
    # a change of one token's embedding moves the keys as W_K says: here only the table of scores is asked
    moved = params | {"heads_key": {name: 2 * array for name, array in params["heads_key"].items()}}
    np.testing.assert_allclose(net.readout(moved)["scores.one"], 2 * readout["scores.one"], rtol=1e-5)
    tokens = np.asarray(params["embed_tokens"]["weight"]).T
    h = tokens[(X > 0).astype(int)] + np.asarray(params["embed_positions"]["weight"]).T
    start = tokens[2] + np.asarray(params["embed_start"]["weight"])[:, 0]
    h = np.concatenate([h, np.broadcast_to(start, (len(X), 1, 12))], axis=1)
    rows = (h - h.mean(-1, keepdims=True)) / np.sqrt(h.var(-1, keepdims=True) + 1e-5)
    rows = rows * (1 + np.asarray(params["norm_heads"]["weight"])[:, 0]) + np.asarray(params["norm_heads"]["bias"])
    query, key = (
        rows @ np.asarray(params[f"heads_{n}"]["weight"]).T + params[f"heads_{n}"]["bias"] for n in ("query", "key")
    )
    plain_scores = np.einsum("ba,bta->bt", query[:, -1], key) / 12**0.5
    expected = np.exp(plain_scores) / np.exp(plain_scores).sum(-1, keepdims=True)
    np.testing.assert_allclose(weights, expected, rtol=1e-4, atol=1e-6)


def test_scores_however_far_apart_give_numbers():
    """Also where the largest scores are those of tokens that an example does not have."""
    params = params_of(NET, 0, 30.0)
    assert np.ptp(NET.readout(params)["scores.one"]) > 1000
    expected = plain(NET, params, X)
    np.testing.assert_allclose(NET.apply(params, jnp.asarray(X)), expected, atol=1e-3 * np.abs(expected).max())


@pytest.mark.parametrize(("n", "size"), [(10, 51_136), (50, 53_696), (100, 56_896), (300, 69_696), (1100, 120_896)])
def test_published_sizes(n: int, size: int):
    assert ay.ClsTransformer(inputs=n).size == size


def test_without_dropout_training_goes_through_the_table():
    net, params = NET.replace(dropout=0.0), params_of(NET, 0)
    np.testing.assert_array_equal(
        net.forward(params, jnp.asarray(X), streams.root(1)), net.apply(params, jnp.asarray(X))
    )


def test_dropout_differs_by_key_and_example_and_keeps_the_mean():
    h = jnp.ones((400, 30, 5))
    one, other = (np.asarray(dropout(streams.root(seed), 0.25, h)) for seed in (0, 1))
    assert set(np.unique(one)) == {0.0, np.float32(1 / 0.75)}
    assert not np.array_equal(one, other)
    assert not np.array_equal(one[0], one[1])
    assert abs(one.mean() - 1) < 5 * np.sqrt(0.25 / 0.75 / one.size)
    np.testing.assert_array_equal(dropout(streams.root(0), 0.25, h[:7]), one[:7])


def test_conjunctions_and_disjunctions_are_learnt_along_the_same_path():
    """Flipping all bits and labels, and swapping the rows of the embeddings and of the output: the same losses."""
    params = params_of(NET, 5, 0.3)
    tokens, output = params["embed_tokens"]["weight"], params["output"]["weight"]
    swapped = params | {"embed_tokens": {"weight": tokens[:, jnp.array([1, 0, 2])]}, "output": {"weight": output[::-1]}}
    y = jnp.where(jnp.asarray(X[:, :2]).min(axis=1) > 0, 1.0, -1.0)

    def step(p: dict, sign: float, number: int) -> tuple:
        def loss(q: dict) -> jax.Array:
            output = NET.forward(q, sign * jnp.asarray(X), streams.fold_in(streams.root(2), number))
            return jnp.mean(ay.CrossEntropy().each(output, sign * y))

        value, gradient = jax.value_and_grad(loss)(p)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, p, gradient)

    compiled = light.jit(step)
    for number in range(20):
        one, params = compiled(params, 1.0, number)
        other, swapped = compiled(swapped, -1.0, number)
        assert float(one) == pytest.approx(float(other), abs=1e-5)
