"""Optimisers against their update rules in plain numpy and against torch.optim (spec 1.2 and 1.9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

T = 12
"""Steps of each comparison."""

Flat = dict[str, np.ndarray]
"""A vector for each layer, here `hidden_1` and `output`."""

rng = np.random.default_rng(0)
START: Flat = {"hidden_1": rng.normal(size=5), "output": rng.normal(size=3)}
GRADIENTS: Flat = {"hidden_1": rng.normal(size=(T, 5)), "output": rng.normal(size=(T, 3))}
FROZEN = ay.Rate(layer="output", learning_rate=0, weight_decay=0)
SLOWER = ay.Rate(layer="hidden_1", learning_rate=0.5, weight_decay=3.0)


def trained(optimiser: ay.Optimiser, start: Flat = START, gradients: Flat = GRADIENTS) -> Flat:
    """Weights after each step, by the compiled update, its numbers as arguments."""
    as_params = lambda flat: {layer: {"weight": jnp.asarray(w, jnp.float32)} for layer, w in flat.items()}  # noqa: E731

    def train(numbers: Mapping[str, Any], params: Any, gradients: Any) -> Any:
        update = bind(optimiser, numbers).transformation()

        def step(carry: Any, gradient: Any) -> Any:
            params, state = carry
            updates, state = update.update(gradient, state, params)
            params = optax.apply_updates(params, updates)
            return (params, state), params

        return jax.lax.scan(step, (params, update.init(params)), gradients)[1]

    numbers = {path: np.float32(number) for path, number in values(optimiser).items()}
    found = light.jit(train)(numbers, as_params(start), as_params(gradients))
    return {layer: np.asarray(arrays["weight"], np.float64) for layer, arrays in found.items()}


def by_hand(rule: Callable[..., Any], rates: Mapping[str, ay.Rate]) -> Flat:
    """The rule in float64: rule(t, w, g, memory, factor on the rate, factor on the decay) -> w."""
    found: Flat = {}
    for layer, start in START.items():
        rate = rates.get(layer, ay.Rate(layer=layer))
        w, memory, path = start.astype(np.float32).astype(np.float64), {"m": 0.0, "v": 0.0}, []
        for t in range(T):
            w = rule(t, w, GRADIENTS[layer][t], memory, rate.learning_rate, rate.weight_decay)
            path.append(w)
        found[layer] = np.array(path)
    return found


def assert_same(found: Flat, expected: Flat) -> None:
    for layer in START:
        np.testing.assert_allclose(found[layer], expected[layer], rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("rates", [(), (FROZEN,), (FROZEN, SLOWER)], ids=len)
@pytest.mark.parametrize("decay", ["coupled", "paper"])
@pytest.mark.parametrize(("momentum", "weight_decay"), [(0.0, 0.0), (0.9, 0.0), (0.0, 0.1), (0.9, 0.1)])
def test_sgd(momentum: float, weight_decay: float, decay: str, rates: tuple[ay.Rate, ...]):
    """coupled: w - eta (g + lambda w); paper: (1 - lambda) w - eta g; momentum: m = mu m + g in place of g."""
    eta = 0.3
    optimiser = ay.SGD(learning_rate=eta, momentum=momentum, weight_decay=weight_decay, decay=decay, rates=rates)

    def rule(t: int, w: Any, g: Any, memory: Any, rate: float, more: float) -> Any:
        inside = weight_decay * more if decay == "coupled" else 0.0
        outside = weight_decay * more if decay == "paper" else 0.0
        memory["m"] = momentum * memory["m"] + g + inside * w
        return (1 - outside) * w - eta * rate * memory["m"]

    assert_same(trained(optimiser), by_hand(rule, {rate.layer: rate for rate in rates}))


@pytest.mark.parametrize("rates", [(), (FROZEN, SLOWER)], ids=len)
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("cls", [ay.Adam, ay.AdamW])
def test_adam(cls: Any, weight_decay: float, rates: tuple[ay.Rate, ...]):
    """Kingma and Ba 2015, algorithm 1; the decay goes into the gradient (Adam) or beside the direction (AdamW)."""
    eta, one, two, epsilon = 0.1, 0.8, 0.95, 1e-3
    optimiser = cls(learning_rate=eta, beta1=one, beta2=two, epsilon=epsilon, weight_decay=weight_decay, rates=rates)

    def rule(t: int, w: Any, g: Any, memory: Any, rate: float, more: float) -> Any:
        g = g + (weight_decay * more * w if cls is ay.Adam else 0.0)
        memory["m"] = one * memory["m"] + (1 - one) * g
        memory["v"] = two * memory["v"] + (1 - two) * g**2
        direction = memory["m"] / (1 - one ** (t + 1)) / (np.sqrt(memory["v"] / (1 - two ** (t + 1))) + epsilon)
        return w - eta * rate * (direction + (weight_decay * more * w if cls is ay.AdamW else 0.0))

    assert_same(trained(optimiser), by_hand(rule, {rate.layer: rate for rate in rates}))


@pytest.mark.parametrize("cls", [ay.SGD, ay.Adam, ay.AdamW])
def test_a_schedule_multiplies_the_rate_of_each_step(cls: Any):
    schedule = ay.Linear(steps=8, final=0.2, warmup=3)
    factor = np.where(np.arange(T) < 3, np.arange(T) / 3, 1 - 0.8 * np.clip((np.arange(T) - 3) / 8, 0, 1))
    moved = trained(cls(learning_rate=0.1, schedule=schedule))
    constant = trained(cls(learning_rate=0.1))
    for layer, start in START.items():
        steps = np.diff(moved[layer], axis=0, prepend=start[None])
        unscaled = np.diff(constant[layer], axis=0, prepend=start[None])
        np.testing.assert_allclose(steps, factor[:, None] * unscaled, rtol=0, atol=2e-6)


def test_frozen_layers_stay_bit_for_bit():
    for optimiser in (
        ay.SGD(learning_rate=0.3, momentum=0.9, weight_decay=0.1, rates=(FROZEN,)),
        ay.SGD(learning_rate=0.3, weight_decay=0.1, decay="paper", rates=(FROZEN,)),
        ay.AdamW(learning_rate=0.3, weight_decay=0.1, rates=(FROZEN,)),
    ):
        found = trained(optimiser)
        np.testing.assert_array_equal(found["output"], np.tile(START["output"].astype(np.float32), (T, 1)))
        assert np.abs(found["hidden_1"][-1] - START["hidden_1"]).min() > 1e-3


@pytest.mark.parametrize("rates", [(), (FROZEN, SLOWER)], ids=len)
@pytest.mark.parametrize(
    "ours",
    [
        ay.SGD(learning_rate=0.3),
        ay.SGD(learning_rate=0.3, momentum=0.9, weight_decay=0.1),
        ay.Adam(learning_rate=0.05),
        ay.Adam(learning_rate=0.05, weight_decay=0.1),
        ay.AdamW(learning_rate=0.05, weight_decay=0.1),
    ],
    ids=lambda optimiser: f"{optimiser.kind}-{optimiser.weight_decay}",
)
def test_updates_are_those_of_torch(ours: Any, rates: tuple[ay.Rate, ...]):
    torch = pytest.importorskip("torch")
    factors = {rate.layer: rate for rate in rates}
    weights = {layer: torch.tensor(start, dtype=torch.float64, requires_grad=True) for layer, start in START.items()}
    groups = []
    for layer, weight in weights.items():
        rate = factors.get(layer, ay.Rate(layer=layer))
        lr, decay = ours.learning_rate * rate.learning_rate, ours.weight_decay * rate.weight_decay
        groups.append({"params": [weight], "lr": lr, "weight_decay": decay})
    cls = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[ours.kind]
    theirs = cls(groups, **({"momentum": ours.momentum} if ours.kind == "sgd" else {}))
    paths: dict[str, list[np.ndarray]] = {layer: [] for layer in START}
    for t in range(T):
        for layer, weight in weights.items():
            weight.grad = torch.tensor(GRADIENTS[layer][t])
        theirs.step()
        for layer, weight in weights.items():
            paths[layer].append(weight.detach().numpy().copy())
    assert_same(trained(ours.replace(rates=rates)), {layer: np.array(path) for layer, path in paths.items()})


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "fields", "words"),
    [
        (ay.SGD, {"learning_rate": -0.1}, r"sgd\.learning_rate must be >= 0, got -0\.1"),
        (ay.SGD, {"learning_rate": 0.1, "decay": "l2"}, r"sgd\.decay must be one of coupled, paper"),
        (ay.SGD, {"learning_rate": 0.1, "momentum": 1.1}, r"sgd\.momentum must be between 0 and 1"),
        (ay.SGD, {"learning_rate": 0.1, "rates": (FROZEN, FROZEN)}, r"sgd\.rates must be at most one rate for each"),
        (ay.Adam, {"learning_rate": 0.1, "beta1": 1.0}, r"adam\.beta1 must be >= 0 and < 1, got 1\.0"),
        (ay.AdamW, {"learning_rate": 0.1, "epsilon": 0}, r"adamw\.epsilon must be > 0"),
        (ay.AdamW, {"learning_rate": 0.1, "weight_decay": -1}, r"adamw\.weight_decay must be >= 0"),
    ],
)
def test_an_optimiser_that_is_none_is_refused(cls: Any, fields: dict[str, Any], words: str):
    with pytest.raises(ConfigError, match=words):
        cls(**fields)


def test_a_rate_for_a_layer_that_the_net_does_not_have_is_refused():
    with pytest.raises(UnknownName, match="unknown layer of polynet 'output': known: factors"):
        ay.Trial(task=ay.Parity(n=5, k=2), net=ay.PolyNet(), optimiser=ay.SGD(learning_rate=0.1, rates=(FROZEN,)))


def test_a_long_gradient_is_scaled_down_to_the_given_norm():
    params = {"layer": {"weight": jnp.array([3.0, 4.0]), "bias": jnp.array([12.0])}}
    for clip, factor in ((6.5, 0.5), (26.0, 1.0), (0.0, 1.0)):
        step = ay.SGD(learning_rate=1.0, clip=clip).transformation()
        updates: Any = step.update(params, step.init(params), params)[0]
        np.testing.assert_allclose(updates["layer"]["weight"], [-3 * factor, -4 * factor], rtol=1e-6)
        np.testing.assert_allclose(updates["layer"]["bias"], [-12 * factor], rtol=1e-6)


def test_identities_without_clipping_are_as_they_were():
    assert "clip" not in ay.SGD(learning_rate=1.0).to_json()
    assert ay.Optimiser.from_json(ay.Adam(learning_rate=1.0, clip=2.0).to_json()).clip == 2.0
