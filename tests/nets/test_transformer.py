"""The Parity Transformer: its formula token by token in numpy, its size, its symmetry, and Adam (spec 2.8)."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
import pytest

import assay as ay
from assay.engine.xla.engine import Xla
from assay.maths import streams
from tests import light
from tests.engine.trials import results

SMALL = ay.ParityTransformer(d_embedding=12, heads=3, d_attention=2, d_mlp=7, inputs=5)
ROWS = np.random.default_rng(0).choice([-1.0, 1.0], size=(9, 5)).astype(np.float32)
apply = light.jit(lambda net, params, x: net.apply(params, x), static_argnums=0)


def by_hand(net: ay.ParityTransformer, params: Any, x: np.ndarray) -> np.ndarray:
    """One example, one head and one token after the other, in float64, with the embeddings looked up."""
    w = {layer: arrays["weight"].astype(np.float64) for layer, arrays in params.items()}
    embedding = {-1.0: w["embed_tokens"][:, 0], 1.0: w["embed_tokens"][:, 1], "cls": w["embed_tokens"][:, 2]}
    answers = []
    for example in x:
        tokens = [embedding[float(sign)] + w["embed_positions"][:, i] for i, sign in enumerate(example)] + [
            embedding["cls"]
        ]
        z = embedding["cls"].copy()
        for h in range(net.heads):
            own = slice(h * net.d_attention, (h + 1) * net.d_attention)
            query = w["heads_query"][own] @ embedding["cls"]
            raw = np.exp([query @ (w["heads_key"][own] @ token) / math.sqrt(net.d_attention) for token in tokens])
            value = sum(a * (w["heads_value"][own] @ token) for a, token in zip(raw / raw.sum(), tokens, strict=True))
            z += w["heads_out"][:, own] @ value
        inside = w["mlp_in"] @ z + params["mlp_in"]["bias"]
        gelu = np.array([t * (1 + math.erf(t / math.sqrt(2))) / 2 for t in inside])
        o = z + w["mlp_out"] @ gelu + params["mlp_out"]["bias"]
        answers.append((w["output"] @ o)[0] + params["output"].get("bias", np.zeros(1))[0])
    return np.array(answers)


@pytest.mark.parametrize(
    "fields",
    [{}, {"output_bias": True}, {"heads": 1, "d_attention": 5}, {"d_embedding": 3, "d_mlp": 20}],
    ids=str,
)
def test_outputs_are_the_formula(fields: dict[str, Any]):
    net = SMALL.replace(**fields)
    params = light.normal_params(net, scale=0.7)
    np.testing.assert_allclose(apply(net, params, ROWS), by_hand(net, params, ROWS), rtol=2e-5, atol=2e-5)


def test_it_is_symmetric_under_permuting_positions_with_their_embeddings():
    """So nothing but the position embeddings tells coordinates apart, and the hidden subset may be the first k."""
    params = light.normal_params(SMALL, scale=0.7)
    order = np.array([3, 0, 4, 2, 1])
    moved = params | {"embed_positions": {"weight": params["embed_positions"]["weight"][:, order]}}
    np.testing.assert_allclose(apply(SMALL, moved, ROWS[:, order]), apply(SMALL, params, ROWS), rtol=1e-5, atol=1e-5)
    assert np.abs(apply(SMALL, params, ROWS[:, order]) - apply(SMALL, params, ROWS)).max() > 1e-2


def test_without_position_embeddings_it_counts_signs_and_no_more():
    params = light.normal_params(SMALL, scale=0.7)
    params = params | {"embed_positions": {"weight": np.zeros((12, 5), np.float32)}}
    answers = np.asarray(apply(SMALL, params, ROWS))
    for count in range(6):
        same = answers[(ROWS < 0).sum(axis=1) == count]
        np.testing.assert_allclose(same, same[:1].repeat(len(same)), rtol=1e-4, atol=1e-5)


def test_the_published_sizes():
    net: Any = ay.ParityTransformer().completed(ay.Parity(n=30, k=3))
    d, n, mlp = 1024, 30, 4096
    assert net.heads * net.d_attention == d
    assert net.size == n * d + 3 * d + 4 * d * d + 2 * d * mlp + mlp + d + d
    assert net.size == sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(light.shapes(net)))


def test_every_layer_is_drawn_with_its_fan_in():
    fan_in = dict.fromkeys(
        ["embed_positions", "embed_tokens", "heads_key", "heads_out", "heads_query", "heads_value", "mlp_in"], 12
    ) | {"heads_out": 6, "mlp_out": 7, "output": 12}
    for bias in (False, True):
        net = SMALL.replace(output_bias=bias)
        params = light.jit(lambda key, net=net: net.init(key, ay.Sign()))(streams.root(0))
        assert list(params) == list(fan_in)
        for layer, d in fan_in.items():
            for drawn in params[layer].values():
                np.testing.assert_allclose(np.abs(drawn), d**-0.5, rtol=1e-6)


@pytest.mark.parametrize(("law", "deviation"), [("normal", 0.02), ("standard", 1.0)])
def test_embeddings_may_be_normal_instead(law: str, deviation: float):
    net = SMALL.replace(embeddings=law, d_embedding=400)
    params = light.jit(lambda key: net.init(key, ay.Uniform()))(streams.root(0))
    for layer in ("embed_positions", "embed_tokens"):
        assert np.asarray(params[layer]["weight"]).std() == pytest.approx(deviation, rel=0.1)
    assert np.abs(params["heads_query"]["weight"]).max() <= 400**-0.5


def test_adam_on_the_population_takes_the_steps_of_its_gradient():
    """The first step of Adam is eta times the sign of the gradient, here by differences of the formula above."""
    net, eta = SMALL.replace(inputs=4), 1e-3
    trial = ay.Trial(
        task=ay.Parity(n=4, k=2), net=net, optimiser=ay.Adam(learning_rate=eta), data=ay.Population(), batch="all",
        budget=1, solve=None, record=ay.Record(measures=("weights/snapshot",), steps=(0, 1)),
    )  # fmt: skip
    arrays = results(Xla(threads=1), [trial])[trial.identity].arrays
    params: Any = {}
    for name, array in arrays.items():
        layer, part = name.removeprefix("weights/snapshot.").split(".")
        params.setdefault(layer, {})[part] = array.astype(np.float64)
    start = {layer: {part: array[0] for part, array in parts.items()} for layer, parts in params.items()}
    x = np.array([[1 - 2 * ((r >> i) & 1) for i in range(4)] for r in range(16)], np.float64)
    y = x[:, 0] * x[:, 1]
    loss = lambda p: np.mean(np.maximum(0, 1 - y * by_hand(net, p, x)))  # noqa: E731
    rng = np.random.default_rng(0)
    for layer, parts in params.items():
        for part, array in parts.items():
            place = tuple(int(rng.integers(size)) for size in array.shape[1:])
            ends = []
            for shift in (1e-4, -1e-4):
                moved = start[layer][part].copy()
                moved[place] += shift
                ends.append(loss(start | {layer: start[layer] | {part: moved}}))
            slope = (ends[0] - ends[1]) / 2e-4
            if abs(slope) > 1e-5:
                assert array[1][place] - array[0][place] == pytest.approx(-eta * np.sign(slope), rel=2e-2), (
                    layer,
                    part,
                )


@pytest.mark.slow
def test_a_small_one_learns_a_parity():
    trial = ay.Trial(
        task=ay.Parity(n=10, k=2), net=ay.ParityTransformer(d_embedding=64, heads=8, d_mlp=256),
        optimiser=ay.Adam(learning_rate=1e-3), batch=64, budget=3000, solve=ay.Solve(sample=2048),
    )  # fmt: skip
    found = results(Xla(threads=1), [trial.reseeded(seed) for seed in range(4)])
    assert sum(result.outcome == "solved" for result in found.values()) >= 2


@pytest.mark.slow
def test_one_of_the_published_sizes_learns_a_parity():
    """Barak et al. 2022, figure 7: at (30,2) and batch 32 a tenth of 25 runs was solved after 44 steps."""
    trial = ay.Trial(
        task=ay.Parity(n=30, k=2), net=ay.ParityTransformer(embeddings="standard"),
        optimiser=ay.Adam(learning_rate=3e-4), batch=32, budget=200, solve=ay.Solve(sample=1024),
    )  # fmt: skip
    (result,) = results(Xla(threads=1), [trial]).values()
    assert result.outcome == "solved"
    assert result.step <= 4 * 44
