"""Pair nets: the one-hot MLP without its multiplications."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.maths import streams
from assay.tasks import Rows
from tests import light

TASK = ay.Composition(group="S3")
NETS = [ay.PairNet(width=5), ay.PairNet(width=4, degree=3), ay.PairNet(width=7, activation="relu")]
each_net = pytest.mark.parametrize("net", [net.completed(TASK) for net in NETS], ids=lambda net: net.activation)


def params_of(net: ay.Net) -> Any:
    return jax.tree.map(jnp.asarray, light.normal_params(net))


PAIRS = np.stack(np.divmod(np.arange(36), 6), axis=1).astype(np.int32)


@each_net
def test_it_is_an_mlp_on_two_unit_vectors(net: ay.PairNet):
    params = params_of(net)
    one = np.eye(6)
    x = np.concatenate([one[PAIRS[:, 0]], one[PAIRS[:, 1]]], axis=1)
    incoming = np.concatenate([params["left"]["weight"], params["right"]["weight"]])
    z = x @ incoming
    hidden = np.maximum(z, 0) if net.activation == "relu" else z**net.degree
    np.testing.assert_allclose(
        net.apply(params, jnp.asarray(PAIRS)), hidden @ params["output"]["weight"], rtol=1e-4, atol=1e-5
    )


@each_net
def test_rows_are_the_pairs_they_stand_for(net: ay.PairNet):
    params = params_of(net)
    by_rows = net.apply(params, Rows(jnp.array([1, 4]), 6))
    by_pairs = net.apply(params, jnp.asarray(PAIRS[[*range(6, 12), *range(24, 30)]]))
    np.testing.assert_allclose(by_rows, by_pairs, rtol=1e-5, atol=1e-6)


@each_net
def test_it_is_homogeneous(net: ay.PairNet):
    params = params_of(net)
    larger = jax.tree.map(lambda leaf: 1.5 * leaf, params)
    f, g = (net.apply(p, jnp.asarray(PAIRS)) for p in (params, larger))
    np.testing.assert_allclose(g, 1.5**net.homogeneity * np.asarray(f), rtol=1e-4, atol=1e-4)


@each_net
def test_neurons_are_all_their_weights(net: ay.PairNet):
    params = params_of(net)
    neurons = np.asarray(net.neurons(params))
    assert neurons.shape == (net.width, 18)
    np.testing.assert_array_equal(neurons[2, :6], params["left"]["weight"][:, 2])
    np.testing.assert_array_equal(neurons[2, 12:], params["output"]["weight"][2])


def test_weights_start_as_those_of_linear_layers():
    """U(+-1/sqrt(fan-in)): 2n unit vectors' worth of inputs into the hidden layer, m into the output."""
    net = ay.PairNet(width=50).completed(ay.Composition(group="Z23"))
    params = net.init(streams.stream(0, "init"), ay.Uniform())
    assert 0.9 * 46**-0.5 < np.abs(params["left"]["weight"]).max() <= 46**-0.5
    assert 0.9 * 50**-0.5 < np.abs(params["output"]["weight"]).max() <= 50**-0.5
    assert not np.array_equal(params["left"]["weight"], params["right"]["weight"])


def test_neurons_of_a_perceptron_and_nets_that_have_none():
    net = ay.MLP(width=3, outputs=2).completed(ay.Parity(n=4, k=2))
    params = params_of(net)
    neurons = np.asarray(net.neurons(params))
    expected = [params["hidden_1"]["weight"], params["hidden_1"]["bias"][:, None], params["output"]["weight"].T]
    np.testing.assert_array_equal(neurons, np.concatenate(expected, axis=1))
    assert net.homogeneity == 2
    assert ay.MLP(width=3, activation="power", degree=4).homogeneity == 5
    with pytest.raises(ConfigError, match="one hidden layer"):
        ay.Trial(task=ay.Parity(n=4, k=2), net=ay.PolyNet(), penalty=ay.Penalty(weight=0.1))
    with pytest.raises(ConfigError, match="depth"):
        ay.Trial(task=ay.Parity(n=4, k=2), net=ay.MLP(width=3, depth=2), penalty=ay.Penalty(weight=0.1))
