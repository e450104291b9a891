"""The net with gates that stand still, and random Fourier features, against their formulas."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import assay as ay
from assay.maths import streams
from assay.nets.activations import ACTIVATIONS
from tests import light

NET = ay.GatedMLP(width=8, inputs=5)
X = jnp.asarray(np.random.default_rng(0).normal(size=(6, 5)), jnp.float32)


def start(seed: int = 0) -> dict[str, dict[str, jax.Array]]:
    return light.jit(lambda: NET.init(streams.stream(seed, "init"), ay.Uniform()))()


def test_at_the_start_it_is_a_relu_net():
    params = start()
    plain = ay.MLP(width=8, inputs=5, outputs=1, degree=1)
    np.testing.assert_allclose(NET.apply(params, X), plain.apply(params, X), rtol=1e-5, atol=1e-6)


def test_it_is_linear_in_its_first_layer_and_its_gates_have_no_gradient():
    params, other = start(), start(1)
    mixed = params | {"hidden_1": jax.tree.map(lambda a, b: a + 2 * b, params["hidden_1"], other["hidden_1"])}
    bare = {"weight": params["output"]["weight"], "bias": jnp.zeros(1)}
    parts = [NET.apply(params | {"hidden_1": p["hidden_1"], "output": bare}, X) for p in (params, other, mixed)]
    np.testing.assert_allclose(parts[2], parts[0] + 2 * parts[1], rtol=1e-4, atol=1e-5)
    gradient = light.jit(jax.grad(lambda p: jnp.sum(NET.apply(p, X) ** 2)))(params)
    assert not np.any(gradient["hidden_1_gates"]["weight"])
    assert np.any(gradient["hidden_1"]["weight"])


def test_fourier_features_make_the_gaussian_kernel():
    """E[2 cos(w.x + b) cos(w.y + b)] = exp(-|x - y|^2 / (2 h^2)), to six standard errors of 4,000 features."""
    init = ay.Fourier(bandwidth=2.0)
    key = streams.split(streams.stream(0, "init"), 2)
    w, b = init.weight(key[0], (4000, 5), 5, first=True), init.bias(key[1], (4000,), 5)
    features = np.asarray(ACTIVATIONS["cosine"](X @ w.T + b, 1))
    kernel = 2 * features @ features.T / 4000
    squared = ((np.asarray(X)[:, None] - np.asarray(X)) ** 2).sum(axis=2)
    np.testing.assert_allclose(kernel, np.exp(-squared / 8), atol=6 / np.sqrt(4000))
