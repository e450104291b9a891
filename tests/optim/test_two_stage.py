"""The two-stage algorithm (Daniely and Malach 2020, section 3) and AdaDelta against their rules in plain numpy."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import optax
import pytest

import assay as ay
from tests import light

START = {"hidden_1": {"weight": np.array([1.0, -2.0]), "bias": np.array([0.5])}, "output": {"weight": np.array([3.0])}}
rng = np.random.default_rng(1)
GRADIENTS = [
    {layer: {name: rng.normal(size=array.shape) for name, array in arrays.items()} for layer, arrays in START.items()}
    for _ in range(6)
]


@pytest.fixture(autouse=True)
def usual_types() -> Any:
    import jax

    with jax.numpy_dtype_promotion("standard"):
        yield


def path(optimiser: ay.Optimiser) -> list[Any]:
    """Parameters after each step."""
    params = {la: {n: jnp.asarray(a, jnp.float32) for n, a in arrays.items()} for la, arrays in START.items()}
    update = optimiser.transformation()
    state, found = update.init(params), []
    move = light.jit(lambda g, s, p: (lambda u, t: (optax.apply_updates(p, u), t))(*update.update(g, s, p)))
    for gradient in GRADIENTS:
        params, state = move(gradient, state, params)
        found.append({f"{la}.{n}": np.asarray(a) for la, arrays in params.items() for n, a in arrays.items()})
    return found


def test_step_one_leaves_minus_the_mean_gradient_and_the_rest_is_gradient_descent():
    found = path(ay.TwoStage(learning_rate=0.1, batches=2, weight_decay=0.2))
    for layer, arrays in START.items():
        for name, start in arrays.items():
            each = [gradient[layer][name] for gradient in GRADIENTS]
            np.testing.assert_array_equal(found[0][f"{layer}.{name}"], start.astype(np.float32))
            w = -(each[0] + each[1]) / 2 + (start if name == "bias" else 0)
            np.testing.assert_allclose(found[1][f"{layer}.{name}"], w, rtol=1e-5)
            for t in range(2, 6):
                w = w - 0.1 * (each[t] + 0.2 * w)
                np.testing.assert_allclose(found[t][f"{layer}.{name}"], w, rtol=1e-5)


def test_adam_of_the_second_stage_begins_with_it():
    """Its first step, corrected for its start from zero, is the sign of the gradient."""
    found = path(ay.TwoStage(learning_rate=0.1, batches=2, then="adam"))
    sign = np.sign(GRADIENTS[2]["output"]["weight"])
    np.testing.assert_allclose(found[2]["output.weight"], found[1]["output.weight"] - 0.1 * sign, rtol=1e-4)


def test_rates_hold_in_both_stages():
    frozen = ay.Rate(layer="output", learning_rate=0, weight_decay=0)
    found = path(ay.TwoStage(learning_rate=0.1, rates=(frozen,)))
    assert all(step["output.weight"] == 3 for step in found)
    assert not np.array_equal(found[0]["hidden_1.weight"], START["hidden_1"]["weight"])


def test_adadelta_is_the_rule_of_the_paper():
    found = path(ay.AdaDelta(learning_rate=1.0, rho=0.9, epsilon=1e-6))
    w, squares, moves = START["output"]["weight"].copy(), 0.0, 0.0
    for t, gradient in enumerate(GRADIENTS):
        g = gradient["output"]["weight"]
        squares = 0.9 * squares + 0.1 * g**2
        move = np.sqrt(moves + 1e-6) / np.sqrt(squares + 1e-6) * g
        moves = 0.9 * moves + 0.1 * move**2
        w = w - move
        np.testing.assert_allclose(found[t]["output.weight"], w, rtol=1e-5)
