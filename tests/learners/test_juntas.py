"""The search over subsets against every subset, and against the information bound."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.learners import ConsistentSubsets, JuntaExamples
from assay.maths import juntas


def fits(task: ay.SparseBoolean, seed: int, count: int) -> int:
    x, y = JuntaExamples(task, seed).first(count)
    tables = (
        task.table[x[:, list(s)] @ (1 << np.arange(task.k))] for s in itertools.combinations(range(task.n), task.k)
    )
    return sum(bool((values == y).all()) for values in tables)


@pytest.mark.parametrize("function", ["and", "xor", (0, 1, 1, 0)])
def test_the_subset_is_found_with_the_fewest_examples_that_identify_it(function: str | tuple[int, ...]):
    task = ay.SparseBoolean(n=11, function=function)
    for seed in range(6):
        found = ConsistentSubsets().learn(JuntaExamples(task, seed))
        assert found.subset == task.coordinates(seed)
        assert fits(task, seed, found.samples) == 1
        assert fits(task, seed, found.samples - 1) > 1


def test_the_mean_number_of_examples_is_above_the_information_bound():
    task = ay.SparseBoolean(n=40)
    needed = [ConsistentSubsets().learn(JuntaExamples(task, seed)).samples for seed in range(20)]
    assert np.mean(needed) >= juntas.log2_hypotheses(40, 3)


def test_too_few_examples_are_told():
    with pytest.raises(ConfigError, match="enough examples"):
        ConsistentSubsets(most=10).learn(JuntaExamples(ay.SparseBoolean(n=40), 0))
