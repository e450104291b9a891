"""The gradient of the population against enumeration in float64, and its Fourier identity (spec 4.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.measures import find
from assay.theory.parity import population_gradient
from tests.measures.views import measured, trial

GRADIENT = find("gradient/population")
SUBSET = (1, 3, 4)


def neuron(activation: str, seed: int = 0, scale: float = 0.5) -> Any:
    rng = np.random.default_rng(seed)
    weight = (scale * rng.normal(size=8)).astype(np.float32)
    return {"neuron": {"weight": weight, "bias": np.float32(0.1)}}


DERIVATIVES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda z: z > 0,
    "power": lambda z: 3 * z**2,
    "sinusoid": lambda z: -np.pi / 2 * np.sin(np.pi / 2 * (z - 3)),
}


@pytest.mark.parametrize("activation", DERIVATIVES)
def test_a_neurons_gradient_is_made_of_fourier_coefficients(activation: str):
    of = trial(task=ay.Parity(n=8, k=3, subset=SUBSET), net=ay.Neuron(activation=activation), loss=ay.Correlation())
    params = neuron(activation)
    found = measured(GRADIENT, of, params)
    weight, bias = params["neuron"]["weight"].astype(np.float64), float(params["neuron"]["bias"])
    by_weight, by_bias = population_gradient(weight, bias, SUBSET, DERIVATIVES[activation])
    np.testing.assert_allclose(found["neuron.weight"], by_weight, rtol=0, atol=1e-6)
    assert found["neuron.bias"] == pytest.approx(by_bias, abs=1e-6)


def test_a_nets_gradient_is_the_mean_over_the_cube():
    of = trial(task=ay.Parity(n=8, k=3, subset=SUBSET), loss=ay.Square())
    rng = np.random.default_rng(2)
    w, b, u, c = rng.normal(size=(3, 8)), rng.normal(size=3), rng.normal(size=(1, 3)), rng.normal(size=1)
    w, b, u, c = (array.astype(np.float32).astype(np.float64) for array in (w, b, u, c))
    x = cube(8).astype(np.float64)
    z = x @ w.T + b
    f = np.maximum(z, 0) @ u[0] + c
    residual = 2 * (f - np.prod(x[:, SUBSET], axis=1)) / len(x)
    back = residual[:, None] * u * (z > 0)
    expected = {
        "hidden_1.weight": back.T @ x, "hidden_1.bias": back.sum(axis=0),
        "output.weight": (residual @ np.maximum(z, 0))[None], "output.bias": residual.sum(keepdims=True),
    }  # fmt: skip
    params = {"hidden_1": {"weight": np.float32(w), "bias": np.float32(b)},
              "output": {"weight": np.float32(u), "bias": np.float32(c)}}  # fmt: skip
    found = measured(GRADIENT, of, params)
    assert set(found) == set(expected)
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=1e-4, atol=1e-5)


def test_more_inputs_than_a_block_are_all_there():
    """n = 13: two blocks of 4,096. For the correlation loss a linear net's gradient is -E[y x], 0 but for k = 1."""
    of = trial(task=ay.Parity(n=13, k=1, subset=(12,)), net=ay.PolyNet(), loss=ay.Correlation())
    found = measured(GRADIENT, of)
    np.testing.assert_allclose(found["factors.weight"], -np.eye(13)[12:], rtol=0, atol=1e-6)
    assert found["factors.bias"] == pytest.approx([0], abs=1e-6)


def test_label_noise_is_no_part_of_it():
    clean, noisy = (
        measured(GRADIENT, trial(task=ay.Parity(n=8, k=3, noise=p), net=ay.Neuron()), neuron("sinusoid"))
        for p in (0, 0.4)
    )
    np.testing.assert_array_equal(clean["neuron.weight"], noisy["neuron.weight"])


def test_it_is_refused_where_the_population_cannot_be_enumerated():
    with pytest.raises(ConfigError, match="must be used with an enumerable task, got 'gradient/population'"):
        trial(task=ay.Parity(n=21, k=3), record=ay.Record(measures=("gradient/population",)))
