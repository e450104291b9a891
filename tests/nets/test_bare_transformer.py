"""Explicit weights as parameters of the trainable class: the function itself, on every input."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.theory.constructions.functions import all_inputs, transformer
from assay.theory.constructions.heads import MAPPINGS
from tests import light


@pytest.mark.parametrize("mapping", MAPPINGS)
@pytest.mark.parametrize("symmetric", [False, True])
def test_explicit_weights_are_parameters_that_compute_the_function(mapping: str, symmetric: bool):
    table = np.array([-1.0, 1, 1, -1, 1, -1, -1, 1])  # a parity
    built = transformer(mapping, 8, (1, 4, 6), table, symmetric=symmetric)
    params = {
        layer: {k: jnp.asarray(v, jnp.float32) for k, v in arrays.items()} for layer, arrays in built.arrays().items()
    }
    head = built.attention.heads[0]
    net = ay.BareTransformer(
        inputs=8, d_embedding=len(built.attention.start), heads=len(built.attention.heads),
        d_attention=head.q.shape[1], selected=built.attention.outputs,
        hidden_1=built.lookup.dimensions[0], hidden_2=built.lookup.dimensions[1],
    )  # fmt: skip
    assert {layer: arrays["weight"].shape for layer, arrays in params.items()} == net.matrices
    assert light.shapes(net).keys() == params.keys()
    tokens = all_inputs(8)
    found = np.asarray(net.apply(params, jnp.asarray(2.0 * tokens - 1, jnp.float32)))
    np.testing.assert_allclose(found, built.wanted(tokens), atol=2e-3)
