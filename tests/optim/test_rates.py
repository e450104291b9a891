"""Rates of single arrays and at some steps only: schedules that train one layer after the other."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import assay as ay
from assay.config import bind, values
from assay.errors import ConfigError, UnknownName
from tests import light

T = 9
rng = np.random.default_rng(0)
START = {
    "hidden_1": {"weight": rng.normal(size=(2, 3)), "bias": rng.normal(size=2)},
    "output": {"weight": rng.normal(size=(1, 2))},
}
ARRAYS = [(layer, array) for layer, arrays in START.items() for array in arrays]
GRADIENTS = jax.tree.map(lambda leaf: rng.normal(size=(T, *leaf.shape)), START)


def trained(optimiser: ay.Optimiser) -> Any:
    """Parameters after each step, by the compiled update, its numbers as arguments."""

    def train(numbers: Any, params: Any, gradients: Any) -> Any:
        update = bind(optimiser, numbers).transformation()

        def step(carry: Any, gradient: Any) -> Any:
            params, state = carry
            updates, state = update.update(gradient, state, params)
            params = optax.apply_updates(params, updates)
            return (params, state), params

        return jax.lax.scan(step, (params, update.init(params)), gradients)[1]

    single = lambda tree: jax.tree.map(lambda leaf: jnp.asarray(leaf, jnp.float32), tree)  # noqa: E731
    numbers = {path: np.float32(number) for path, number in values(optimiser).items()}
    return light.jit(train)(numbers, single(START), single(GRADIENTS))


def factors(rates: tuple[ay.Rate, ...], layer: str, array: str, t: int) -> tuple[float, float]:
    """(on the learning rate, on the decay) of an array at a step, read off the rates one after the other."""
    for rate in rates:
        end = T if rate.stop is None else rate.stop
        if rate.layer == layer and rate.array in (None, array) and t in range(rate.start, end):
            return rate.learning_rate, rate.weight_decay
    return 1.0, 1.0


RATES = {
    "one array": (ay.Rate(layer="hidden_1", array="bias", learning_rate=0.5, weight_decay=0),),
    "from a step on": (ay.Rate(layer="hidden_1", learning_rate=0, weight_decay=0, start=4),),
    "up to a step": (ay.Rate(layer="output", learning_rate=2, weight_decay=3, stop=3),),
    "one after the other": (
        ay.Rate(layer="output", learning_rate=0, weight_decay=0, stop=5),
        ay.Rate(layer="hidden_1", array="weight", learning_rate=0.25, stop=2),
        ay.Rate(layer="hidden_1", array="weight", learning_rate=0, weight_decay=0, start=5, stop=7),
        ay.Rate(layer="hidden_1", array="bias", learning_rate=0, weight_decay=2, start=1, stop=8),
    ),
}
each = pytest.mark.parametrize("rates", RATES.values(), ids=list(RATES))


@each
@pytest.mark.parametrize("decay", ["coupled", "paper"])
def test_sgd_takes_each_step_with_the_rates_of_that_step(rates: tuple[ay.Rate, ...], decay: str):
    eta, weight_decay, momentum = 0.3, 0.1, 0.5
    found = trained(ay.SGD(learning_rate=eta, weight_decay=weight_decay, momentum=momentum, decay=decay, rates=rates))
    for layer, array in ARRAYS:
        w, m = START[layer][array], 0.0
        for t in range(T):
            on_rate, on_decay = factors(rates, layer, array, t)
            shrink = weight_decay * on_decay
            m = momentum * m + GRADIENTS[layer][array][t] + (shrink * w if decay == "coupled" else 0.0)
            w = (1 - (shrink if decay == "paper" else 0.0)) * w - eta * on_rate * m
            np.testing.assert_allclose(found[layer][array][t], w, rtol=2e-5, atol=2e-6)


@each
def test_adam_takes_each_step_with_the_rates_of_that_step(rates: tuple[ay.Rate, ...]):
    eta, one, two, epsilon = 0.1, 0.8, 0.95, 1e-3
    found = trained(ay.Adam(learning_rate=eta, beta1=one, beta2=two, epsilon=epsilon, rates=rates))
    for layer, array in ARRAYS:
        w, m, v = START[layer][array], 0.0, 0.0
        for t in range(T):
            g = GRADIENTS[layer][array][t]
            m, v = one * m + (1 - one) * g, two * v + (1 - two) * g**2
            direction = m / (1 - one ** (t + 1)) / (np.sqrt(v / (1 - two ** (t + 1))) + epsilon)
            w = w - eta * factors(rates, layer, array, t)[0] * direction
            np.testing.assert_allclose(found[layer][array][t], w, rtol=2e-5, atol=2e-5)


def test_one_large_step_that_forgets_the_start_and_then_the_second_layer_alone():
    """The schedule of Theorem 4 in Barak et al. 2022: W^1 = -eta_0 g, b^1 = b^0 - eta_0 h, u^1 = 0; from then on
    u moves with its own rate, and nothing else does."""
    eta, first = 0.1, 7.0
    frozen = {"learning_rate": 0.0, "weight_decay": 0.0}
    rates = (
        ay.Rate(layer="hidden_1", array="weight", learning_rate=first / eta, stop=1),
        ay.Rate(layer="hidden_1", array="bias", learning_rate=first / eta, weight_decay=0, stop=1),
        ay.Rate(layer="hidden_1", **frozen, start=1),
        ay.Rate(layer="output", learning_rate=0, stop=1),
        ay.Rate(layer="output", weight_decay=0, start=1),
    )
    found = trained(ay.SGD(learning_rate=eta, weight_decay=1.0, decay="paper", rates=rates))
    weight, bias = (GRADIENTS["hidden_1"][array][0] for array in ("weight", "bias"))
    for t in range(T):
        np.testing.assert_allclose(found["hidden_1"]["weight"][t], -first * weight, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(found["hidden_1"]["bias"][t], START["hidden_1"]["bias"] - first * bias, rtol=1e-5)
        np.testing.assert_array_equal(found["hidden_1"]["weight"][t], found["hidden_1"]["weight"][0])
    np.testing.assert_array_equal(found["output"]["weight"][0], 0)
    steps = np.diff(found["output"]["weight"], axis=0)
    np.testing.assert_allclose(steps, -eta * GRADIENTS["output"]["weight"][1:], rtol=1e-4, atol=1e-6)


def test_what_is_frozen_for_some_steps_stays_bit_for_bit():
    rates = (ay.Rate(layer="output", learning_rate=0, weight_decay=0, start=2, stop=6),)
    found = np.asarray(trained(ay.SGD(learning_rate=0.3, weight_decay=0.1, rates=rates))["output"]["weight"])
    moves = np.abs(np.diff(found, axis=0)).max(axis=(1, 2))
    assert (moves[1:5] == 0).all()  # from the weights after step t to those after step t + 1: steps 2 to 5
    assert (moves[[0, 5, 6, 7]] > 1e-3).all()


# -- as a config -----------------------------------------------------------------------------------------------------


def test_a_rate_for_ever_is_written_as_it_always_was():
    plain = {"layer": "output", "learning_rate": 0.5, "weight_decay": 1.0}
    assert ay.Rate(layer="output", learning_rate=0.5).to_json() == plain
    rate = ay.Rate(layer="output", array="bias", start=3, stop=9)
    assert ay.Rate.from_json(rate.to_json()) == rate
    assert len({ay.SGD(learning_rate=1, rates=(r,)).identity for r in (rate, rate.replace(stop=8))}) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {}),
        ({"array": "weight"}, {}),
        ({"stop": 5}, {"start": 4}),
        ({"stop": 5, "array": "bias"}, {"start": 4, "stop": 6, "array": "bias"}),
        ({"start": 7}, {"start": 70}),
    ],
)
def test_two_rates_for_one_array_at_one_step_are_refused(one: dict[str, Any], other: dict[str, Any]):
    for rates in ((one, other), (other, one)):
        with pytest.raises(ConfigError, match=r"sgd\.rates must be at most one rate for each array at each step"):
            ay.SGD(learning_rate=1, rates=tuple(ay.Rate(layer="a", **fields) for fields in rates))


@pytest.mark.parametrize(
    ("one", "other"),
    [({"stop": 4}, {"start": 4}), ({"array": "weight"}, {"array": "bias"}), ({"layer": "a"}, {"layer": "b"})],
)
def test_rates_that_do_not_meet_are_taken(one: dict[str, Any], other: dict[str, Any]):
    chosen: list[dict[str, Any]] = [{"layer": "a"} | fields for fields in (one, other)]
    assert ay.SGD(learning_rate=1, rates=tuple(ay.Rate(**fields) for fields in chosen))


def test_a_rate_that_is_none_is_refused():
    with pytest.raises(ConfigError, match=r"rate\.stop must be > start = 5, got 5"):
        ay.Rate(layer="a", start=5, stop=5)
    with pytest.raises(ConfigError, match=r"rate\.array must be 'weight' or 'bias' or none, got 'kernel'"):
        ay.Rate(layer="a", array="kernel")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="unknown array of layer factors 'bias': known: weight"):
        ay.Trial(
            task=ay.DisjointParity(n=6, k=2), net=ay.DisjointPolyNet(),
            optimiser=ay.SGD(learning_rate=0.1, rates=(ay.Rate(layer="factors", array="bias"),)),
        )  # fmt: skip
