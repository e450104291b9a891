"""Parities by few ReLUs (spec 2.1 and section 2, output bias)."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.theory.parity.representation import half_planes, relu_parity, two_relu_margin


@pytest.mark.parametrize("k", range(1, 8))
def test_k_relus_and_a_constant_are_the_parity(k: int):
    weights, biases, output, constant = relu_parity(k)
    assert weights.shape == (k, k)
    x = cube(k).astype(float)
    np.testing.assert_array_equal(np.maximum(x @ weights.T + biases, 0) @ output + constant, np.prod(x, axis=1))


def test_half_planes_are_the_fourteen_that_random_neurons_have():
    rng, points = np.random.default_rng(0), cube(2)
    seen = {tuple(points @ rng.normal(size=2) + rng.normal() > 0) for _ in range(3000)}
    assert {tuple(each) for each in half_planes()} == seen
    assert len(seen) == 14


def test_two_relus_need_the_constant_for_a_parity_of_two_bits():
    assert two_relu_margin(constant=False) == pytest.approx(0, abs=1e-9)
    assert two_relu_margin(constant=True) == pytest.approx(1, abs=1e-9)


def test_no_random_net_of_two_relus_does_better():
    rng, x = np.random.default_rng(1), cube(2).astype(float)
    weights, biases = rng.normal(size=(20_000, 2, 2)), rng.normal(size=(20_000, 2))
    outputs = np.einsum("rj,rjx->rx", rng.normal(size=(20_000, 2)), np.maximum(weights @ x.T + biases[..., None], 0))
    label = np.prod(x, axis=1)
    assert (label * outputs).min(axis=1).max() <= 1e-12
    assert (label * (outputs - outputs.mean(axis=1, keepdims=True))).min(axis=1).max() > 0.1


def test_a_parity_of_no_bits_is_refused():
    with pytest.raises(ConfigError, match="k"):
        relu_parity(0)
