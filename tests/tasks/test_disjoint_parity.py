"""Disjoint parities (spec 1.5): one hidden coordinate in each of k blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay as ay
from assay.errors import ConfigError
from assay.maths import streams
from tests import light


@pytest.mark.parametrize(("n", "k"), [(6, 1), (6, 2), (6, 6), (40, 4)])
@pytest.mark.parametrize("subset", ["first", "random"])
def test_the_subset_has_one_coordinate_in_each_block(n: int, k: int, subset: str):
    task = ay.DisjointParity(n=n, k=k, subset=subset)
    for seed in range(10):
        assert [i // (n // k) for i in task.coordinates(seed)] == list(range(k))


def test_the_first_subset_has_the_first_coordinate_of_each_block():
    assert ay.DisjointParity(n=12, k=3).coordinates(0) == (0, 4, 8)


def test_each_coordinate_of_a_block_is_as_likely_as_another_whatever_the_others_are():
    task = ay.DisjointParity(n=6, k=2, subset="random")
    found = np.array([task.coordinates(seed) for seed in range(900)]) - [0, 3]
    assert stats.chisquare(np.bincount(found @ [3, 1], minlength=9)).pvalue > 1e-3


def test_labels_are_the_product_of_the_hidden_coordinates():
    task = ay.DisjointParity(n=12, k=3, subset=(11, 1, 6))
    x, y = light.jit(task.examples)(task.secret(0), streams.stream(0, "data"), np.arange(100, dtype=np.uint32))
    np.testing.assert_array_equal(y, np.prod(np.asarray(x)[:, [1, 6, 11]], axis=1))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"n": 10, "k": 3}, r"disjoint-parity\.n must be a multiple of k = 3, got 10"),
        ({"n": 10, "k": 11}, r"disjoint-parity\.k must be at most n = 10"),
        ({"n": 10, "k": 2, "subset": (0, 4)}, r"must be one coordinate in each of the 2 blocks, got \(0, 4\)"),
        ({"n": 10, "k": 2, "subset": (0, 10)}, r"2 different coordinates between 0 and 9"),
    ],
)
def test_a_disjoint_parity_that_is_none_is_refused(fields: dict[str, Any], words: str):
    with pytest.raises(ConfigError, match=words):
        ay.DisjointParity(**fields)
