"""Initialisations: ranges, variances and the sparse rows of spec 1.8, by distribution tests at fixed seeds."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import assay as ay
from assay.errors import ConfigError
from assay.maths import streams
from assay.nets import Init
from assay.nets import init as module
from tests import light

WIDTH, FAN_IN = 100, 50
weight = light.jit(lambda s, key, size, d, first: s.weight(key, size, d, first=first), static_argnums=(0, 2, 3, 4))
bias = light.jit(lambda s, key, size, d: s.bias(key, size, d), static_argnums=(0, 2, 3))


def weights(scheme: Init, first: bool = False, seed: int = 0) -> np.ndarray:
    drawn = weight(scheme, streams.stream(seed, "init"), (WIDTH, FAN_IN), FAN_IN, first)
    assert drawn.dtype == jnp.float32
    return np.asarray(drawn, np.float64)


def biases(scheme: Init, seed: int = 0) -> np.ndarray:
    return np.asarray(bias(scheme, streams.stream(seed, "init"), (5000,), FAN_IN), np.float64)


def is_uniform(numbers: np.ndarray, half_width: float) -> bool:
    """Whether numbers pass for U[-c, c], none of them outside."""
    inside = np.abs(numbers).max() <= half_width * (1 + 1e-6)
    return bool(inside and stats.kstest(numbers.ravel(), "uniform", (-half_width, 2 * half_width)).pvalue > 1e-3)


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_uniform_weights_and_biases_lie_within_one_over_root_fan_in(scale: float):
    scheme = ay.Uniform(scale=scale)
    for drawn in (weights(scheme), weights(scheme, first=True), biases(scheme)):
        assert is_uniform(drawn, scale / np.sqrt(FAN_IN))


@pytest.mark.parametrize("size", [(100, 50), (50, 50), (1, 50)])
def test_glorot_weights_have_variance_two_over_the_sum_of_the_fans(size: tuple[int, int]):
    """The variance of U[-c, c] is c^2 / 3 = 2 / (fan-in + fan-out)."""
    drawn = [weight(ay.Glorot(), streams.stream(s, "init"), size, size[1], False) for s in range(4000 // size[0])]
    assert is_uniform(np.stack(drawn), np.sqrt(6 / sum(size)))
    np.testing.assert_array_equal(biases(ay.Glorot()), biases(ay.Uniform()))


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_gaussian_weights_have_variance_two_over_fan_in(scale: float):
    scheme = ay.Gaussian(scale=scale)
    for drawn in (weights(scheme), biases(scheme)):
        assert stats.kstest(drawn.ravel(), "norm", (0, scale * np.sqrt(2 / FAN_IN))).pvalue > 1e-3
        assert drawn.std() == pytest.approx(scale * np.sqrt(2 / FAN_IN), rel=0.05)


def test_the_gaussian_quantile_is_finite_at_both_ends(monkeypatch: pytest.MonkeyPatch):
    ends = jnp.asarray([-1.0, 1.0 - 2.0**-23], jnp.float32)  # smallest and largest number that is drawn
    monkeypatch.setattr(module, "_uniform", lambda key, size: ends)
    low, high = np.asarray(ay.Gaussian().weight(streams.stream(0, "init"), (2,), 2))
    assert high == -low == pytest.approx(stats.norm.isf(2.0**-25), rel=1e-3)


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_signs_have_one_size_and_are_fair(scale: float):
    scheme = ay.Sign(scale=scale)
    for drawn in (weights(scheme), biases(scheme)):
        np.testing.assert_allclose(np.abs(drawn), scale / np.sqrt(FAN_IN), rtol=1e-6)
        assert stats.binomtest(int((drawn > 0).sum()), drawn.size).pvalue > 1e-3


@pytest.mark.parametrize("scheme", [ay.Gaussian, ay.Sign])
def test_biases_may_be_zero_or_uniform_instead(scheme: Any):
    assert not biases(scheme(biases="zero")).any()
    assert is_uniform(biases(scheme(biases="uniform", scale=9.0)), 1 / np.sqrt(FAN_IN))
    with pytest.raises(ConfigError, match=r"biases must be one of same, zero, uniform, got 'none'"):
        scheme(biases="none")


@pytest.mark.parametrize("s", [1, 3, FAN_IN])
def test_sparse_rows_have_s_ones_in_random_places(s: int):
    drawn = np.concatenate([weights(ay.Sparse(nonzeros=s), first=True, seed=seed) for seed in range(10)])
    assert set(np.unique(drawn)) <= {0.0, 1.0}
    np.testing.assert_array_equal(drawn.sum(axis=1), s)
    if s < FAN_IN:
        # the columns add up to a fixed sum: s/d (1 - s/d) of variance in each of 1000 rows
        spread = ((drawn.sum(axis=0) - 1000 * s / FAN_IN) ** 2).sum() / (1000 * s / FAN_IN * (1 - s / FAN_IN))
        assert 1e-3 < stats.chi2.sf(spread * (FAN_IN - 1) / FAN_IN, FAN_IN - 1) < 1 - 1e-3


def test_sparse_is_uniform_beyond_the_first_layer_and_in_its_biases():
    scheme = ay.Sparse(nonzeros=2)
    np.testing.assert_array_equal(weights(scheme), weights(ay.Uniform()))
    np.testing.assert_array_equal(biases(scheme), biases(ay.Uniform()))


@pytest.mark.parametrize("scheme", [ay.Uniform(), ay.Gaussian(), ay.Sign()], ids=lambda scheme: scheme.kind)
def test_a_number_has_an_address_in_the_array(scheme: Init):
    """So a narrower layer starts from the first neurons of a wider one."""
    few = np.asarray(weight(scheme, streams.stream(0, "init"), (10, FAN_IN), FAN_IN, True))
    np.testing.assert_array_equal(few, weights(scheme, first=True)[:10].astype(np.float32))


def test_weights_of_one_layer_are_uncorrelated():
    drawn = weights(ay.Sign()) * np.sqrt(FAN_IN)
    for axis in (drawn, drawn.T):
        correlation = axis @ axis.T / axis.shape[1] - np.eye(len(axis))
        assert np.abs(correlation).max() < 6 / np.sqrt(axis.shape[1])


# -- which fan-in each layer of each net has --------------------------------------------------------------------------

LAYERS = [
    (ay.MLP(width=16, inputs=50, outputs=1), {"hidden_1": 50, "output": 16}),
    (ay.MLP(width=16, depth=3, inputs=50, outputs=2), {"hidden_1": 50, "hidden_2": 16, "hidden_3": 16, "output": 16}),
    (ay.Neuron(inputs=50, degree=3, second_layer=True), {"neuron": 50, "output": 1}),
    (ay.PolyNet(inputs=50, degree=5), {"factors": 50}),
    (ay.DisjointPolyNet(inputs=50, degree=5), {"factors": 10}),
]


@pytest.mark.parametrize(("net", "fan_in"), LAYERS, ids=lambda item: getattr(item, "kind", ""))
def test_every_layer_is_drawn_with_its_fan_in(net: ay.Net, fan_in: dict[str, int]):
    params = light.jit(lambda key: net.init(key, ay.Sign()))(streams.stream(0, "init"))
    assert list(params) == list(fan_in)
    for layer, d in fan_in.items():
        for drawn in params[layer].values():
            np.testing.assert_allclose(np.abs(np.asarray(drawn)), d**-0.5, rtol=1e-6)
    first = next(iter(params))
    sparse = light.jit(lambda key: net.init(key, ay.Sparse(nonzeros=3)))(streams.stream(0, "init"))
    np.testing.assert_array_equal(np.asarray(sparse[first]["weight"]).sum(axis=-1), 3)


def test_no_two_layers_are_drawn_from_the_same_numbers():
    net = ay.MLP(width=50, depth=2, inputs=50, outputs=50)
    params = light.jit(lambda key: net.init(key, ay.Uniform()))(streams.stream(0, "init"))
    drawn = [np.asarray(array).ravel() for layer in params.values() for array in layer.values()]
    assert len({array[:50].tobytes() for array in drawn}) == len(drawn)
