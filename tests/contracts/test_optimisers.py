"""What every optimiser and every schedule keeps to. A new one needs one line: an example in EXAMPLES or SCHEDULES."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import assay as ay
from assay.config import bind, values
from assay.optim import Schedule
from tests import light
from tests.contracts.members import check_config, check_examples, named

EXAMPLES: list[ay.Optimiser] = [
    ay.SGD(learning_rate=0.1),
    ay.SGD(learning_rate=0.1, momentum=0.9, weight_decay=0.01),
    ay.SGD(learning_rate=0.1, weight_decay=0.01, decay="paper"),
    ay.Adam(learning_rate=0.1),
    ay.AdamW(learning_rate=0.1, weight_decay=0.01),
    ay.AdaDelta(epsilon=1e-2),
    ay.TwoStage(learning_rate=0.1),
    ay.TwoStage(learning_rate=0.1, batches=3, then="adam"),
]
SCHEDULES: list[Schedule] = [
    ay.Constant(),
    ay.Linear(steps=50, warmup=5),
    ay.Cosine(steps=50, final=0.1),
    ay.Staircase(every=10, ratio=0.5),
    ay.Jumps(at=(3, 5), ratio=0.5),
]
each_optimiser = pytest.mark.parametrize("optimiser", EXAMPLES, ids=named)
GRADUAL = [each for each in EXAMPLES if each.kind != "two-stage"]  # its first step is a leap whatever the learning rate
each_gradual = pytest.mark.parametrize("optimiser", GRADUAL, ids=named)
each_schedule = pytest.mark.parametrize("schedule", SCHEDULES, ids=named)

START = {
    "hidden_1": {"weight": np.array([1, -2, 3], np.float32), "bias": np.array([0.5], np.float32)},
    "output": {"weight": np.array([4], np.float32)},
}
MINIMUM = jax.tree.map(np.ones_like, START)


@pytest.fixture(autouse=True)
def usual_types() -> Iterator[None]:
    """Optax multiplies counts and floats, which strict types in JAX do not allow."""
    with jax.numpy_dtype_promotion("standard"):
        yield


def loss(params: Any) -> Any:
    """||params - 1||^2 / 2."""
    return sum(jnp.sum((leaf - 1) ** 2) for leaf in jax.tree.leaves(params)) / 2


def step(optimiser: ay.Optimiser, params: Any, state: Any) -> tuple[Any, Any]:
    updates, state = optimiser.transformation().update(jax.grad(loss)(params), state, params)
    return optax.apply_updates(params, updates), state


def train(optimiser: ay.Optimiser, steps: int = 40, start: Any = START, **numbers: float) -> Any:
    """Parameters after some steps on the quadratic; the optimiser's numbers are arguments of the program."""

    def whole(given: Any, params: Any) -> Any:
        bound = bind(optimiser, given)
        state = bound.transformation().init(params)
        return jax.lax.fori_loop(0, steps, lambda _, now: step(bound, *now), (params, state))[0]

    given = {path: np.float32(number) for path, number in (values(optimiser) | numbers).items()}
    return jax.tree.map(np.asarray, light.jit(whole)(given, start))


def test_every_optimiser_has_an_example_here():
    check_examples(ay.Optimiser, EXAMPLES, "tests/contracts/test_optimisers.py")


def test_every_schedule_has_an_example_here():
    check_examples(Schedule, SCHEDULES, "tests/contracts/test_optimisers.py (SCHEDULES)")


@each_optimiser
def test_an_optimiser_is_a_config(optimiser: ay.Optimiser):
    check_config(ay.Optimiser, optimiser)
    check_config(ay.Optimiser, optimiser.replace(schedule=SCHEDULES[1], rates=(ay.Rate(layer="output"),)))


@each_optimiser
def test_it_minimises_a_quadratic(optimiser: ay.Optimiser):
    assert loss(train(optimiser)) < 0.2 * loss(START)


@each_optimiser
def test_parameters_keep_their_form(optimiser: ay.Optimiser):
    found = train(optimiser, steps=1)
    assert jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), found) == jax.tree.map(
        lambda leaf: (leaf.shape, leaf.dtype), START
    )


@each_gradual
def test_a_rate_of_zero_without_decay_moves_nothing(optimiser: ay.Optimiser):
    found = train(optimiser.replace(weight_decay=0.0), learning_rate=0.0)
    jax.tree.map(np.testing.assert_array_equal, found, START)


@each_optimiser
def test_a_frozen_layer_stays_and_the_others_go_on_as_if_alone(optimiser: ay.Optimiser):
    frozen = train(optimiser.replace(rates=(ay.Rate(layer="output", learning_rate=0, weight_decay=0),)))
    np.testing.assert_array_equal(frozen["output"]["weight"], START["output"]["weight"])
    free = train(optimiser)
    for name in ("weight", "bias"):
        np.testing.assert_allclose(frozen["hidden_1"][name], free["hidden_1"][name], rtol=1e-5)


@each_gradual
def test_at_the_minimum_decay_pulls_towards_zero_and_nothing_else_moves(optimiser: ay.Optimiser):
    heavy = train(optimiser.replace(weight_decay=0.3), steps=1, start=MINIMUM)
    assert all(np.all((leaf > 0) & (leaf < 1)) for leaf in jax.tree.leaves(heavy))
    plain = train(optimiser.replace(weight_decay=0.0), steps=1, start=MINIMUM)
    jax.tree.map(np.testing.assert_array_equal, plain, MINIMUM)


@each_optimiser
def test_its_values_may_be_arguments_of_the_program(optimiser: ay.Optimiser):
    """One step with numbers that are known while compiling."""
    state = optimiser.transformation().init(START)
    known = light.jit(lambda: step(optimiser, jax.tree.map(jnp.asarray, START), state)[0])()
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), known, train(optimiser, steps=1))


@each_optimiser
def test_the_state_is_arrays_which_can_be_kept(optimiser: ay.Optimiser):
    """So that a trial can be suspended, and lanes can stand side by side."""
    state = optimiser.replace(schedule=SCHEDULES[1]).transformation().init(jax.tree.map(jnp.asarray, START))
    assert all(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(state))


@each_optimiser
def test_a_schedule_that_is_constant_changes_nothing(optimiser: ay.Optimiser):
    same = ay.Linear(steps=5, final=1.0)
    found, plain = train(optimiser.replace(schedule=same), steps=7), train(optimiser, steps=7)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), found, plain)


@each_schedule
def test_a_schedule_is_a_config(schedule: Schedule):
    check_config(Schedule, schedule)


@each_schedule
def test_factors_are_numbers_that_do_not_run_away(schedule: Schedule):
    found = np.asarray(light.jit(jax.vmap(schedule.factor()))(jnp.arange(200)))
    assert found.dtype == np.float32
    assert found.shape == (200,)
    assert np.isfinite(found).all()
    assert 0 <= found.min() <= found.max() <= 1
