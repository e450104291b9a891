"""Easy parities against their definition (Daniely and Malach 2020, section 3): mixture, hint, population."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.maths import streams
from assay.tasks.easy_parity import without_hint
from tests import light

examples = light.jit(lambda task, secret, key, index: task.examples(secret, key, index), static_argnums=0)
population = light.jit(lambda task, secret, index: task.population(secret, index), static_argnums=0)
COUNT = 2**14


def draw(task: ay.EasyParity, secret: object = None) -> tuple[np.ndarray, np.ndarray]:
    secret = task.secret(0) if secret is None else secret
    x, y = examples(task, secret, streams.stream(0, "data"), np.arange(COUNT, dtype=np.uint32))
    return np.asarray(x), np.asarray(y)


@pytest.mark.parametrize("n", [9, 31, 32, 40])
def test_inputs_have_length_one_and_labels_are_the_parity_of_the_hidden_signs(n: int):
    task = ay.EasyParity(n=n, k=5, subset="random")
    x, y = draw(task)
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(y, np.prod(np.sign(x[:, list(task.coordinates(0))]), axis=1))


@pytest.mark.parametrize("hint", [0.0, 0.3, 0.5, 1.0])
def test_relevant_bits_are_equal_as_often_as_the_hint_says_and_by_chance(hint: float):
    """hint + (1 - hint) 2^(1-k), to five standard deviations; the others remain fair and independent."""
    task = ay.EasyParity(n=9, k=3, subset=(1, 4, 8), hint=hint)
    x, _ = draw(task)
    signs = np.sign(x[:, [1, 4, 8]])
    expected = hint + (1 - hint) / 4
    assert abs(np.mean(np.abs(signs.sum(axis=1)) == 3) - expected) < 5 * math.sqrt(0.25 / COUNT)
    others = np.sign(np.delete(x, [1, 4, 8], axis=1))
    assert np.abs(others.T @ others / COUNT - np.eye(6)).max() < 6 / math.sqrt(COUNT)
    assert abs(signs.mean()) < 5 / math.sqrt(COUNT)


def test_the_label_is_correlated_with_relevant_bits_and_no_others():
    """E[y x_j] = hint / sqrt n for j in A, else 0."""
    task = ay.EasyParity(n=9, k=3, subset=(0, 2, 5))
    x, y = draw(task)
    expected = np.where(np.isin(np.arange(9), [0, 2, 5]), 1 / 6, 0)
    np.testing.assert_allclose(x.T @ y / COUNT, expected, atol=5 / math.sqrt(9 * COUNT))


def test_the_population_has_the_weights_of_the_mixture():
    task = ay.EasyParity(n=7, k=3, subset=(1, 2, 6))
    assert task.size == 2**8
    x, y = (np.asarray(part) for part in population(task, task.secret(0), np.arange(2**8, dtype=np.uint32)))
    signs = np.sign(x).astype(int)
    np.testing.assert_array_equal(y, np.prod(signs[:, [1, 2, 6]], axis=1))
    counted = {tuple(row): 0 for row in itertools.product((-1, 1), repeat=7)}
    for row in signs:
        counted[tuple(row)] += 1
    for row, count in counted.items():
        equal = abs(row[1] + row[2] + row[6]) == 3
        assert count / 2**8 == 0.5 * 2**-7 + 0.5 * equal * 2 ** -(7 - 3) / 2


def test_without_its_hint_it_is_a_parity():
    task = ay.EasyParity(n=9, k=3)
    x, _ = draw(task, without_hint(task, task.secret(0)))
    again, _ = draw(task.replace(hint=0.0))
    np.testing.assert_array_equal(x, again)
    assert without_hint(ay.Parity(n=4, k=2), 7) == 7


@pytest.mark.parametrize("wrong", [{"k": 4}, {"hint": 1.5}, {"hint": -0.1}, {"k": 9}])
def test_what_is_out_of_range_is_refused(wrong: Any):
    with pytest.raises(ConfigError):
        ay.EasyParity(**{"n": 8, "k": 3} | wrong)


def test_only_the_even_mixture_of_small_inputs_is_enumerated():
    assert ay.EasyParity(n=19, k=3).size == 2**20
    assert ay.EasyParity(n=20, k=3).size is None
    assert ay.EasyParity(n=9, k=3, hint=0.25).size is None
