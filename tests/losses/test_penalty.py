"""The L_{a,b} penalty: its formula, its gradient, and none at a neuron of size 0."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay

NEURONS = np.random.default_rng(0).normal(size=(4, 6))


@pytest.mark.parametrize(
    ("a", "b", "r"), [(2, 3, None), (2, 5, None), (2, 2, None), (1, 2, None), (3, 2, 1.0), (2, 3, 1.0)]
)
def test_it_is_the_power_of_the_norm_of_norms(a: float, b: float, r: float | None):
    penalty = ay.Penalty(weight=0.3, a=a, b=b, r=r)
    norms = (np.abs(NEURONS) ** a).sum(axis=1) ** (1 / a)
    norm = (norms**b).sum() ** (1 / b)
    assert penalty.of(jnp.asarray(NEURONS, jnp.float32)) == pytest.approx(0.3 * norm ** (r or b), rel=1e-5)


@pytest.mark.parametrize("nu", [2.0, 3.0, 5.0])
def test_its_gradient_pulls_each_neuron_by_a_power_of_its_norm(nu: float):
    """nu lambda ||omega||^(nu-2) omega, and 0 at 0."""
    neurons = np.concatenate([NEURONS, np.zeros((1, 6))]).astype(np.float32)
    found = jax.grad(ay.Penalty(weight=0.1, b=nu).of)(jnp.asarray(neurons))
    norms = np.linalg.norm(neurons, axis=1, keepdims=True)
    np.testing.assert_allclose(found, 0.1 * nu * norms ** (nu - 2) * neurons, rtol=1e-5)


@pytest.mark.slow
def test_with_b_2_it_is_weight_decay():
    """lambda sum w^2 has gradient 2 lambda w: trained nets are the same."""
    base = ay.Trial(
        task=ay.Parity(n=6, k=2), net=ay.MLP(width=4, output_bias=False), loss=ay.Hinge(), budget=30, solve=None,
        record=ay.Record(measures=("weights/snapshot",), steps=(30,)),
    )  # fmt: skip
    pair = [
        base.replace(penalty=ay.Penalty(weight=0.05), optimiser=ay.SGD(learning_rate=0.1)),
        base.replace(optimiser=ay.SGD(learning_rate=0.1, weight_decay=0.1)),
    ]
    runs = ay.run(pair, progress=False, engine="xla")
    for name in ("hidden_1.weight", "hidden_1.bias", "output.weight"):
        found = runs.arrays(f"weights/snapshot.{name}")
        one, other = (found[trial.identity][-1] for trial in pair)
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
