"""The error on uniform inputs, for a net that answers with one hidden bit."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import assay as ay
from assay.measures import find
from tests import light
from tests.contracts.test_measures import view

SAMPLE = 4000


def test_one_hidden_bit_errs_on_a_quarter_and_on_half_of_the_uniform_inputs():
    """To five standard deviations of a fraction of 4,000."""
    trial = ay.Trial(
        task=ay.EasyParity(n=9, k=3), net=ay.MLP(width=2), batch=8, solve=ay.Solve(sample=SAMPLE),
        record=ay.Record(measures=("eval/uniform_error",)),
    )  # fmt: skip
    first = np.zeros((2, 9), np.float32)
    first[0, 0], first[1, 0] = 1, -1
    params = jax.tree.map(
        jnp.asarray,
        {
            "hidden_1": {"weight": first, "bias": np.zeros(2, np.float32)},
            "output": {"weight": np.array([[1, -1]], np.float32), "bias": np.zeros(1, np.float32)},
        },
    )
    names = ("eval/error", "eval/uniform_error")
    ask = light.jit(
        lambda keys, secret: [find(name)(view(trial, keys, params, params, jnp.int32(0), secret)) for name in names]
    )
    error, uniform = (float(found) for found in ask(light.keys(), trial.task.secret(0)))
    assert abs(error - 1 / 4) < 5 * np.sqrt(0.1875 / SAMPLE)
    assert abs(uniform - 1 / 2) < 5 * np.sqrt(0.25 / SAMPLE)
