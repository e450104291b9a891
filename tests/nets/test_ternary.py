"""The paired initialisation of Daniely and Malach 2020, section 3, in both readings."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.maths import streams
from tests import light

N, K, Q = 15, 3, 200
NET = ay.MLP(width=2 * Q, activation="relu6", output_bias=False, inputs=N, outputs=1)


def start(pairs: str) -> dict[str, np.ndarray]:
    scheme = ay.Ternary(coordinates=N, degree=K, pairs=pairs)
    params = light.jit(lambda: NET.completed(ay.EasyParity(n=N, k=K)).init(streams.stream(3, "init"), scheme))()
    return {f"{layer}.{name}": np.asarray(a) for layer, arrays in params.items() for name, a in arrays.items()}


@pytest.mark.parametrize(("pairs", "sign"), [("zero-output", 1), ("literal", -1)])
def test_pairs_and_their_laws(pairs: str, sign: int):
    params = start(pairs)
    weight, bias, output = params["hidden_1.weight"], params["hidden_1.bias"], params["output.weight"][0]
    np.testing.assert_array_equal(weight[Q:], sign * weight[:Q])
    np.testing.assert_array_equal(bias, np.float32(1 / (8 * K)) * np.r_[np.ones(Q), sign * np.ones(Q)])
    np.testing.assert_array_equal(output[Q:], -output[:Q])
    assert set(np.unique(weight)) == {-1, 0, 1}
    fractions = np.array([np.mean(weight[:Q] == trit) for trit in (-1, 0, 1)])
    assert np.abs(fractions - 1 / 3).max() < 5 * np.sqrt(2 / 9 / (N * Q))
    assert np.abs(output).max() <= N / K
    assert abs(np.var(output[:Q]) / ((N / K) ** 2 / 3) - 1) < 5 * np.sqrt(0.8 / Q)  # kurtosis of a uniform law: 9/5


def test_the_output_is_zero_in_the_one_reading_only():
    x = np.random.default_rng(0).choice([-1, 1], size=(32, N)) / np.sqrt(N)
    for pairs, zero in (("zero-output", True), ("literal", False)):
        p = start(pairs)
        hidden = np.clip(x @ p["hidden_1.weight"].T + p["hidden_1.bias"], 0, 6)
        assert (np.abs(hidden @ p["output.weight"][0]).max() < 1e-4) == zero


def test_relu6_is_a_clip():
    from assay.nets.activations import ACTIVATIONS

    z = jnp.array([-1.0, 0.0, 2.5, 6.0, 7.0, jnp.nan])
    np.testing.assert_array_equal(ACTIVATIONS["relu6"](z, 1), np.array([0, 0, 2.5, 6, 6, np.nan], np.float32))
