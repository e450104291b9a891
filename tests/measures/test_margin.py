"""Margins over a population, against plain numpy."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.maths import cube
from assay.maths.groups import named
from assay.measures import find
from assay.theory.margins import PairNetwork, cyclic_margin, cyclic_network
from tests import light
from tests.measures.views import measured

NAMES = ("margin/least", "margin/mean", "margin/weighted", "margin/normalised", "margin/mass")


def found(trial: ay.Trial, params: object) -> dict[str, float]:
    values = measured(lambda view: {name: find(name)(view) for name in NAMES}, trial, params)
    return {name.removeprefix("margin/"): float(value) for name, value in values.items()}


@pytest.mark.parametrize("activation", ["power", "relu"])
def test_margins_of_a_pair_net(activation: str):
    trial = ay.Trial(
        task=ay.Composition(group="Z23"), net=ay.PairNet(width=4, activation=activation), loss=ay.CrossEntropy()
    )
    params = light.normal_params(trial.learner)
    net = PairNetwork(params["left"]["weight"].T, params["right"]["weight"].T, params["output"]["weight"])
    sigma = np.square if activation == "power" else lambda z: np.maximum(z, 0)
    answers = net.answers(named("Z23"), sigma)
    nu = 3 if activation == "power" else 2
    mass = (net.norms**nu).sum()
    equal = np.full(23, 1 / 22)
    expected = {
        "least": answers.margin, "mean": answers.margins.mean(), "weighted": answers.weighted(equal), "mass": mass,
        "normalised": answers.margin / mass,
    }  # fmt: skip
    for name, value in found(trial, params).items():
        assert value == pytest.approx(expected[name], rel=1e-4), name


def test_the_network_of_the_theorem_has_the_margin_of_the_theorem():
    trial = ay.Trial(task=ay.Composition(group="Z7"), net=ay.PairNet(width=24), loss=ay.CrossEntropy())
    net = cyclic_network(7).scaled(3.0)
    params = {"left": {"weight": net.u.T}, "right": {"weight": net.v.T}, "output": {"weight": net.w}}
    params = {
        layer: {name: array.astype(np.float32) for name, array in arrays.items()} for layer, arrays in params.items()
    }
    values = found(trial, params)
    assert values["normalised"] == pytest.approx(cyclic_margin(7), rel=1e-5)
    assert values["mean"] == pytest.approx(values["least"], rel=1e-5)
    assert values["weighted"] == pytest.approx(values["least"], rel=1e-5)


def test_margins_of_signs_with_one_output_and_with_two():
    x = cube.cube(6).astype(np.float32)
    y = x[:, 0] * x[:, 1]
    for outputs in (1, 2):
        loss = ay.Hinge() if outputs == 1 else ay.CrossEntropy()
        trial = ay.Trial(task=ay.Parity(n=6, k=2), net=ay.MLP(width=3, outputs=outputs), loss=loss)
        params = light.normal_params(trial.learner)
        f = np.asarray(trial.learner.apply(jax.tree.map(jnp.asarray, params), jnp.asarray(x)))
        margins = y * f if outputs == 1 else y * (f[:, 1] - f[:, 0])
        values = found(trial, params)
        assert values["least"] == pytest.approx(margins.min(), rel=1e-4)
        assert values["mean"] == pytest.approx(margins.mean(), rel=1e-3, abs=1e-5)
