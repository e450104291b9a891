"""What every task and every source of training examples keeps to.

A new member needs one line: an example in EXAMPLES or SOURCES.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.config import bind, values
from assay.errors import ConfigError
from assay.maths import streams
from assay.tasks import Data
from tests import light
from tests.contracts.members import check_config, check_examples, named

EXAMPLES: list[ay.Task] = [
    ay.Parity(n=6, k=2),
    ay.Parity(n=40, k=3, subset="random", noise=0.1),
    ay.DisjointParity(n=12, k=3, subset="random"),
    ay.MarkovChains(states=3, length=9),
    ay.MarkovChains(states=2, length=8, n=3, prior=ay.Dirichlet(alpha=0.5)),
    ay.MarkovChains(states=3, length=9, prior=ay.Mixture(share=0.3)),
    ay.DigitStrips(digits=2),
    ay.EasyParity(n=8, k=3, subset="random"),
    ay.EasyParity(n=40, k=5, hint=0.3, noise=0.1),
    ay.SparseBoolean(n=30, screened=20),
    ay.SparseBoolean(n=6, k=3, function=(0, 1, 1, 0, 1, 0, 0, 1), subset="first"),
    ay.Composition(group="S3"),
    ay.Composition(group="Z7"),
    ay.TableTask(table="breast-cancer"),
]
SOURCES: list[Data] = [
    ay.Online(),
    ay.Offline(samples=20),
    ay.Offline(samples=20, order="replacement"),
    ay.Population(),
    ay.Split(fraction=0.5),
    ay.Holdout(fraction=0.8, test=0.3),
]
COUNT = 512
INDEX = np.arange(COUNT, dtype=np.uint32)

each_task = pytest.mark.parametrize("task", EXAMPLES, ids=named)
each_source = pytest.mark.parametrize("source", SOURCES, ids=named)

draw = light.jit(lambda task, secret, key, index: task.examples(secret, key, index), static_argnums=0)


@functools.cache
def drawn(task: ay.Task, seed: int = 0, stream: str = "data") -> tuple[np.ndarray, np.ndarray]:
    x, y = draw(task, task.secret(seed), streams.stream(seed, stream), INDEX)
    return np.asarray(x), np.asarray(y)


def judged(task: ay.Task, y: np.ndarray) -> np.ndarray:
    """The label that an example is judged by: the last one of a sequence."""
    return y if task.positions is None else y[:, -1]


def answers(task: ay.Task, y: np.ndarray) -> np.ndarray:
    """The output of a net that knows: the label itself, or a logit of 1 for its class."""
    return y if task.outputs == 1 else np.eye(task.outputs, dtype=np.float32)[y]


# -- tasks -----------------------------------------------------------------------------------------------------------


def test_every_task_has_an_example_here():
    check_examples(ay.Task, EXAMPLES, "tests/contracts/test_tasks.py")


def test_a_task_without_an_example_would_be_noticed():
    with pytest.raises(AssertionError, match=r"task \['parity'\]: add an example of each to EXAMPLES in here"):
        check_examples(ay.Task, [task for task in EXAMPLES if task.kind != "parity"], "here")


@each_task
def test_a_task_is_a_config(task: ay.Task):
    check_config(ay.Task, task)


@each_task
def test_examples_are_rows_of_inputs_and_labels(task: ay.Task):
    x, y = drawn(task)
    assert x.shape == (COUNT, task.inputs)
    assert np.isfinite(x).all()
    assert y.shape == ((COUNT,) if task.positions is None else (COUNT, task.positions))
    if task.outputs == 1:
        assert y.dtype == np.float32
        assert set(np.unique(y)) <= {-1.0, 1.0}
    else:
        assert np.issubdtype(y.dtype, np.integer)
        assert 0 <= y.min() <= y.max() < task.outputs


@each_task
def test_an_example_depends_on_its_address_alone(task: ay.Task):
    x, y = drawn(task)
    index = np.random.default_rng(0).permutation(INDEX)
    again_x, again_y = draw(task, task.secret(0), streams.stream(0, "data"), index)
    np.testing.assert_array_equal(again_x, x[index])
    np.testing.assert_array_equal(again_y, y[index])


@each_task
def test_other_streams_and_seeds_have_other_examples(task: ay.Task):
    x = drawn(task)[0]
    assert not np.array_equal(x, drawn(task, stream="eval")[0])
    assert not np.array_equal(x, drawn(task, seed=1)[0])


@each_task
def test_the_best_constant_answer_errs_as_often_as_chance_says(task: ay.Task):
    """To five standard deviations of a fraction of 512."""
    y = judged(task, drawn(task)[1])
    counts = np.unique(y, return_counts=True)[1]
    error = 1 - counts.max() / COUNT
    assert abs(error - task.chance) < 5 * np.sqrt(task.chance * (1 - task.chance) / COUNT)


@each_task
def test_the_labels_are_right_answers_and_their_opposites_wrong(task: ay.Task):
    y = drawn(task)[1]
    output = jnp.asarray(answers(task, y))
    assert np.asarray(task.correct(output, jnp.asarray(y))).all()
    assert not np.asarray(task.correct(-output, jnp.asarray(y))).any()
    assert not np.asarray(task.correct(0 * output, jnp.asarray(y))).any()
    assert not np.asarray(task.correct(np.nan * output, jnp.asarray(y))).any()


@each_task
def test_secrets_are_arrays_of_one_form_that_follow_the_seed(task: ay.Task):
    form = jax.tree.map(lambda array: (array.shape, array.dtype), task.secret(0))
    for seed in (0, 1, 2**32 - 1):
        secret, again = task.secret(seed), task.secret(seed)
        assert all(isinstance(leaf, np.ndarray) for leaf in jax.tree.leaves(secret))
        assert jax.tree.map(lambda array: (array.shape, array.dtype), secret) == form
        jax.tree.map(np.testing.assert_array_equal, secret, again)


@each_task
def test_tasks_of_several_seeds_side_by_side_are_those_of_each_alone(task: ay.Task):
    secrets = [task.secret(seed) for seed in range(3)]
    stacked = jax.tree.map(lambda *parts: np.stack(parts), *secrets)
    keys = jnp.stack([streams.stream(seed, "data") for seed in range(3)])
    x, y = light.jit(jax.vmap(task.examples, (0, 0, None)))(stacked, keys, INDEX)
    for seed in range(3):
        np.testing.assert_array_equal(x[seed], drawn(task, seed)[0])
        np.testing.assert_array_equal(y[seed], drawn(task, seed)[1])


@each_task
def test_one_program_serves_every_seed_and_every_value(task: ay.Task):
    traces = []

    def train_labels(numbers: Any, secret: Any, key: Any) -> Any:
        traces.append(1)
        bound = bind(task, numbers)
        return bound.corrupt(key, jnp.asarray(INDEX), bound.examples(secret, key, jnp.asarray(INDEX))[1])

    compiled = light.jit(train_labels)
    for seed in (0, 1):
        numbers = {path: np.float32(number / (1 + seed)) for path, number in values(task).items()}
        noisy = np.asarray(compiled(numbers, task.secret(seed), streams.stream(seed, "data")))
        clean = drawn(task, seed)[1]
        assert set(np.unique(noisy)) <= set(np.unique(clean))
        assert noisy.dtype == clean.dtype
        assert np.mean(noisy == clean) > 0.5
    assert len(traces) == 1


@each_task
def test_the_population_is_every_input_with_the_same_labels(task: ay.Task):
    enumerate_all = light.jit(lambda index: task.population(task.secret(0), index))
    if task.size is None:
        with pytest.raises(ConfigError, match="population"):
            task.population(task.secret(0), jnp.asarray(INDEX))
        return
    x, y = (np.asarray(part) for part in enumerate_all(np.arange(task.size, dtype=np.uint32)))
    label = {row.tobytes(): float(value) for row, value in zip(x, y, strict=True)}
    assert len(x) == task.size
    assert len(label) in (task.size, 2**task.inputs)  # those of an easy parity with their multiplicities
    some_x, some_y = drawn(task)
    assert [label[row.tobytes()] for row in some_x] == some_y.tolist()
    error = 1 - np.unique(y, return_counts=True)[1].max() / task.size
    assert error == pytest.approx(task.chance)


@each_task
def test_a_net_can_be_put_to_it(task: ay.Task):
    classes = ay.CrossEntropy() if task.positions is None else ay.SequenceCrossEntropy()
    loss = ay.Hinge() if task.outputs == 1 else classes
    trial = ay.Trial(task=task, net=ay.MLP(width=2), loss=loss)
    assert trial.learner.size > 0
    assert ay.Trial.from_json(trial.to_json()).identity == trial.identity


# -- sources of training examples --------------------------------------------------------------------------------------

SMALL = ay.Parity(n=4, k=2, noise=0.25)  # a population of 16


fetch = light.jit(
    lambda source, keys, step, size: source.batch(SMALL, SMALL.secret(0), keys, step, size),
    static_argnums=(0, 3),
)


def batch(source: Data, step: Any, size: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = fetch(source, light.keys(), np.int32(step), size)
    return np.asarray(x), np.asarray(y)


def test_every_source_has_an_example_here():
    check_examples(Data, SOURCES, "tests/contracts/test_tasks.py (SOURCES)")


@each_source
def test_a_source_is_a_config(source: Data):
    check_config(Data, source)


@each_source
def test_a_step_sees_a_batch_that_is_its_own(source: Data):
    first, later = batch(source, 0, 8), batch(source, 7, 8)
    for x, y in (first, later):
        assert x.shape == (8, 4)
        assert y.shape == (8,)
    np.testing.assert_array_equal(batch(source, 7, 8)[0], later[0])
    assert not np.array_equal(first[0], later[0])


@each_source
def test_a_finite_source_is_all_there_at_once(source: Data):
    count = source.count(SMALL)
    if count is None:
        return
    x, y = batch(source, 3, 0)
    assert x.shape == (count, 4)
    keys = light.keys()
    one = light.jit(lambda i: source.fetch(SMALL, SMALL.secret(0), keys, i, jnp.int32(0)))
    one_x, one_y = one(np.array([count - 1], np.uint32))
    np.testing.assert_array_equal(one_x[0], x[-1])
    assert one_y[0] == y[-1]
    known = {(row.tobytes(), float(label)) for row, label in zip(x, y, strict=True)}
    some_x, some_y = batch(source, 5, 8)
    assert {(row.tobytes(), float(label)) for row, label in zip(some_x, some_y, strict=True)} <= known
