"""Which examples a step sees (spec 1.2 and 1.6): fresh ones, a training set, the whole population."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import assay as ay
from assay.errors import ConfigError
from assay.maths import streams
from assay.tasks import Data
from tests import light

WIDE = ay.Parity(n=60, k=3)  # so that no two examples are equal
NOISY = ay.Parity(n=60, k=3, noise=0.25)


@functools.cache
def steps(data: Data, batch: int, count: int, task: ay.Parity = WIDE) -> tuple[np.ndarray, np.ndarray]:
    """The batches of `count` steps: one row a step."""
    keys = light.keys()
    one = lambda step: data.batch(task, task.secret(0), keys, step, batch)  # noqa: E731
    x, y = light.jit(jax.vmap(one))(jnp.arange(count, dtype=jnp.int32))
    return np.asarray(x), np.asarray(y)


draw = light.jit(lambda task, secret, key, index: task.examples(secret, key, index), static_argnums=0)


def examples(task: ay.Parity, key: Any, count: int) -> np.ndarray:
    index = np.arange(500, dtype=np.uint32)
    return np.asarray(draw(task, task.secret(0), key, index)[0])[:count]


def numbers(x: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Which of the examples each input is; -1 for none of them."""
    known = {row.tobytes(): i for i, row in enumerate(among)}
    flat = x.reshape(-1, x.shape[-1])
    return np.array([known.get(row.tobytes(), -1) for row in flat]).reshape(x.shape[:-1])


def training_set(count: int) -> np.ndarray:
    return examples(WIDE, streams.stream(0, "data"), count)


# -- online ----------------------------------------------------------------------------------------------------------


def test_online_examples_are_fresh_at_every_step():
    x, y = steps(ay.Online(), batch=16, count=50)
    assert len({row.tobytes() for row in x.reshape(-1, 60)}) == 50 * 16
    np.testing.assert_array_equal(y, x[..., :3].prod(axis=-1))
    assert ay.Online().count(WIDE) is None


def test_online_batches_are_addressed_by_their_step():
    x, _ = steps(ay.Online(), batch=16, count=50)
    for step in (0, 3, 49):
        key = streams.fold_in(streams.stream(0, "data"), step)
        np.testing.assert_array_equal(x[step], examples(WIDE, key, 16))


def test_a_larger_online_batch_begins_with_the_smaller_one():
    small, large = (steps(ay.Online(), batch=b, count=50)[0] for b in (4, 16))
    np.testing.assert_array_equal(small, large[:, :4])


def test_online_noise_is_fresh_at_every_step():
    x, y = steps(ay.Online(), batch=64, count=200, task=NOISY)
    flipped = y != x[..., :3].prod(axis=-1)
    assert stats.binomtest(int(flipped.sum()), flipped.size, 0.25).pvalue > 1e-3
    # the same place of a batch is flipped in a quarter of the steps: six standard deviations over 64 places
    assert np.abs(flipped.mean(axis=0) - 0.25).max() < 6 * np.sqrt(0.25 * 0.75 / 200)


# -- offline ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["epochs", "replacement"])
def test_offline_examples_are_those_of_a_training_set_of_their_own_size(order: str):
    x, y = steps(ay.Offline(samples=40, order=order), batch=8, count=100)
    found = numbers(x, training_set(40))
    assert set(found.ravel().tolist()) == set(range(40))
    np.testing.assert_array_equal(y, x[..., :3].prod(axis=-1))


@pytest.mark.parametrize(("samples", "batch"), [(40, 8), (7, 7)])
def test_every_epoch_sees_every_example_once_and_in_an_order_of_its_own(samples: int, batch: int):
    x, _ = steps(ay.Offline(samples=samples), batch=batch, count=100)
    epochs = numbers(x, training_set(samples)).reshape(-1, samples)
    for epoch in epochs:
        np.testing.assert_array_equal(np.sort(epoch), np.arange(samples))
    assert len({epoch.tobytes() for epoch in epochs}) > 0.9 * len(epochs)  # 100 of the 5,040 orders of 7


def test_an_epoch_drops_what_does_not_fill_a_batch_and_each_time_others():
    x, _ = steps(ay.Offline(samples=43), batch=8, count=5 * 200)
    epochs = numbers(x, training_set(43)).reshape(200, 40)
    assert all(len(set(epoch.tolist())) == 40 for epoch in epochs)
    dropped = [set(range(43)) - set(epoch.tolist()) for epoch in epochs]
    assert set().union(*dropped) == set(range(43))


def test_draws_with_replacement_are_independent_and_even():
    x, _ = steps(ay.Offline(samples=10, order="replacement"), batch=20, count=400)
    found = numbers(x, training_set(10))
    pairs = 10 * found[:, ::2] + found[:, 1::2]  # neighbours in a batch
    assert stats.chisquare(np.bincount(pairs.ravel(), minlength=100)).pvalue > 1e-3
    in_turn = 10 * found[::2] + found[1::2]  # the same place in two batches
    assert stats.chisquare(np.bincount(in_turn.ravel(), minlength=100)).pvalue > 1e-3


def test_the_whole_training_set_is_the_batch_of_every_step():
    x, _ = steps(ay.Offline(samples=12), batch=0, count=3)
    for batch in x:
        np.testing.assert_array_equal(batch, training_set(12))


def test_a_smaller_training_set_is_the_beginning_of_a_larger_one():
    np.testing.assert_array_equal(training_set(40)[:7], training_set(7))


def test_the_noise_of_a_training_set_is_drawn_once():
    x, y = steps(ay.Offline(samples=400), batch=0, count=2, task=NOISY)
    flipped = y[0] != x[0, :, :3].prod(axis=-1)
    assert stats.binomtest(int(flipped.sum()), 400, 0.25).pvalue > 1e-3
    np.testing.assert_array_equal(y[0], y[1])
    some_x, some_y = steps(ay.Offline(samples=400, order="replacement"), batch=20, count=50, task=NOISY)
    np.testing.assert_array_equal(some_y, y[0][numbers(some_x, x[0])])


def test_other_seeds_have_other_training_sets_and_no_seed_is_tested_on_its_own():
    drawn = [examples(WIDE, streams.stream(s, n), 200) for s, n in ((0, "data"), (1, "data"), (0, "eval"))]
    assert len({row.tobytes() for part in drawn for row in part}) == 600


@pytest.mark.parametrize("samples", [0, -3, 2**31, 10**12])
def test_a_training_set_has_at_least_one_example_and_as_many_as_can_be_counted(samples: int):
    with pytest.raises(ConfigError, match=r"offline\.samples must be between 1 and 2147483647"):
        ay.Offline(samples=samples)


def test_an_order_that_is_none_is_refused():
    with pytest.raises(ConfigError, match=r"offline\.order must be one of epochs, replacement, got 'random'"):
        ay.Offline(samples=3, order="random")


# -- the population --------------------------------------------------------------------------------------------------

SMALL = ay.Parity(n=5, k=2)


def rows(x: np.ndarray) -> np.ndarray:
    """The row of the cube that each input is."""
    return ((x < 0) @ 2 ** np.arange(x.shape[-1])).astype(int)


def test_the_whole_population_is_in_every_step():
    x, y = steps(ay.Population(), batch=0, count=2, task=SMALL)
    np.testing.assert_array_equal(rows(x), [np.arange(32)] * 2)
    np.testing.assert_array_equal(y, x[..., 0] * x[..., 1])
    assert ay.Population().count(SMALL) == 32


def test_minibatches_of_the_population_have_every_input_once_an_epoch():
    x, y = steps(ay.Population(), batch=8, count=12, task=SMALL)
    np.testing.assert_array_equal(np.sort(rows(x).reshape(3, 32)), [np.arange(32)] * 3)
    np.testing.assert_array_equal(y, x[..., 0] * x[..., 1])


def test_the_population_with_replacement_has_every_input_as_often():
    x, _ = steps(ay.Population(order="replacement"), batch=16, count=100, task=SMALL)
    assert stats.chisquare(np.bincount(rows(x).ravel(), minlength=32)).pvalue > 1e-3


def test_a_task_too_large_to_enumerate_has_no_count():
    assert ay.Population().count(WIDE) is None
