"""Composition in a group, and populations split into training and held-out parts."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError, UnknownName
from tests import light


def test_of_a_cyclic_group_it_is_addition():
    task = ay.Composition(group="Z7")
    x, y = task.population((), jnp.arange(49, dtype=jnp.uint32))
    np.testing.assert_array_equal(y, np.asarray(x).sum(axis=1) % 7)
    np.testing.assert_array_equal(np.asarray(x) @ [7, 1], np.arange(49))


def test_labels_are_the_table():
    task = ay.Composition(group="S4")
    x, y = task.population((), jnp.arange(576, dtype=jnp.uint32))
    np.testing.assert_array_equal(y, task.elements.table[np.asarray(x)[:, 0], np.asarray(x)[:, 1]])
    assert (task.outputs, task.size, task.inputs, task.rows) == (24, 576, 2, 24)
    assert task.chance == 23 / 24


def test_a_row_is_a_part_of_the_population():
    task = ay.Composition(group="S3")
    rows, y = task.row_batch((), jnp.array([4, 2]))
    np.testing.assert_array_equal(y, task.elements.table[[4, 2]].ravel())
    assert (rows.first.tolist(), rows.second) == ([4, 2], 6)


@pytest.mark.parametrize("group", ["S", "Z1", "T3"])
def test_wrong_groups_are_refused(group: str):
    with pytest.raises((ConfigError, UnknownName)):
        ay.Composition(group=group)


@pytest.mark.parametrize("fraction", [0.2, 0.9])
def test_a_split_is_a_partition_of_the_population(fraction: float):
    task, split = ay.Composition(group="Z7"), ay.Split(fraction=fraction)
    count = split.count(task) or 0
    assert count == round(49 * fraction)
    keys = light.keys(3)

    @light.jit
    def parts(keys: Any) -> Any:
        train, _ = split.fetch(task, (), keys, jnp.arange(count, dtype=jnp.uint32), 0)
        return train, split.held_out(task, (), keys["eval"], keys, jnp.arange(49 - count, dtype=jnp.uint32))

    train, (rest, y) = parts(keys)
    numbers = [set((np.asarray(x) @ [7, 1]).tolist()) for x in (train, rest)]
    assert numbers[0].isdisjoint(numbers[1])
    assert numbers[0] | numbers[1] == set(range(49))
    np.testing.assert_array_equal(y, np.asarray(rest).sum(axis=1) % 7)
    assert not np.array_equal(parts(light.keys(4))[0], train)


def test_splits_and_margins_need_a_population_that_can_be_enumerated():
    large = ay.Parity(n=40, k=3)
    with pytest.raises(ConfigError, match="too large to enumerate"):
        ay.Trial(task=large, net=ay.MLP(width=3), data=ay.Split(fraction=0.5))
    with pytest.raises(ConfigError, match="enumerable"):
        ay.Trial(task=large, net=ay.MLP(width=3), record=ay.Record(measures=("margin/least",)))


@pytest.mark.slow
def test_held_out_error_is_that_of_the_rest():
    """A net that has learnt its training half by heart knows nothing else: held-out error stays at chance."""
    trial = ay.Trial(
        task=ay.Composition(group="Z11"), net=ay.PairNet(width=200, activation="relu"), loss=ay.CrossEntropy(),
        init=ay.Uniform(scale=6.0), optimiser=ay.Adam(learning_rate=0.02), data=ay.Split(fraction=0.4), batch="all",
        budget=300, solve=None, record=ay.Record(measures=("train/error", "eval/error"), steps=(300,)),
    )  # fmt: skip
    last = ay.run([trial], progress=False).curves.tail(1)
    assert last["train/error"][0] == 0
    assert last["eval/error"][0] > 0.5
