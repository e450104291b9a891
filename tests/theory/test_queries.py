"""Statistical queries: how many subsets a query can see, and how many queries a learner has to ask (spec 4.10, T14)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.maths.subsets import members, subset_masks
from assay.theory.parity.queries import (
    bent_query,
    gradient_query,
    label_part,
    least_queries,
    majority_of_many,
    most_visible,
    one_by_one,
    queries_needed,
    visible,
)


def test_what_a_query_learns_of_a_subset_is_a_coefficient_of_its_label_part():
    n, rng = 6, np.random.default_rng(0)
    plus, minus = rng.uniform(-1, 1, size=(2, 2**n))
    masks = subset_masks(n, 3)
    label = {int(mask): np.prod(cube(n)[:, list(members(int(mask)))], axis=1) for mask in masks}
    without = (plus + minus).mean() / 2
    told = np.array([np.where(label[int(mask)] > 0, plus, minus).mean() - without for mask in masks])
    for tolerance in (0.01, 0.05, 0.1):
        np.testing.assert_array_equal(visible(label_part(plus, minus), masks, tolerance), np.abs(told) > tolerance)
    assert 0 < visible(label_part(plus, minus), masks, 0.05).sum() < len(masks)


@pytest.mark.parametrize("tolerance", [0.05, 0.1, 0.2])
def test_no_query_sees_more_than_parseval_allows(tolerance: float):
    n, rng = 10, np.random.default_rng(1)
    everything = np.arange(2**n)
    queries = [gradient_query(n, rng) for _ in range(20)]
    queries += [majority_of_many(subset_masks(n, 3), n, tolerance), bent_query(n), np.sign(cube(n).sum(axis=1) + 0.5)]
    for query in queries:
        assert np.abs(query).max() <= 1
        assert visible(query, everything, tolerance).sum() <= most_visible(tolerance)


def test_a_bent_query_attains_the_bound():
    n = 8
    below, at = 2 ** (-n / 2) * 0.999, 2 ** (-n / 2)
    assert visible(bent_query(n), np.arange(2**n), below).sum() == 2**n == most_visible(at)
    assert not visible(bent_query(n), np.arange(2**n), at * 1.001).any()


def test_a_gradient_query_is_the_clipped_gradient_of_a_neuron():
    n = 5
    rng = np.random.default_rng(3)
    x = cube(n).astype(float)
    weights, bias = rng.normal(size=n), float(rng.normal())
    u, i = rng.choice([-1.0, 1.0]), int(rng.integers(n))
    form = x @ weights + bias
    expected = np.zeros(2**n)
    for y in (1, -1):
        inside = y * u * np.maximum(form, 0) < 1
        expected += y * np.clip(-y * inside * u * (form > 0) * x[:, i], -1, 1) / 2
    found = gradient_query(n, np.random.default_rng(3))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("tolerance", [0.2, 0.3, 0.5])
@pytest.mark.parametrize("k", [2, 3])
def test_every_learner_asks_at_least_the_bound(k: int, tolerance: float):
    n = 10
    asked = queries_needed(n, k, tolerance, majority_of_many)
    assert least_queries(n, k, tolerance) <= asked <= 4 * least_queries(n, k, tolerance)
    assert queries_needed(n, k, tolerance, one_by_one) == math.comb(n, k) - 1


def test_the_bound_is_a_count_of_subsets_per_query():
    assert least_queries(30, 3, 0.1) == pytest.approx(0.01 * 4059)
    assert (most_visible(0.1), most_visible(0.3), most_visible(1.0)) == (100, 11, 1)


def test_a_learner_that_rules_nothing_out_is_stopped():
    with pytest.raises(ConfigError, match="would go on for ever"):
        queries_needed(6, 2, 0.1, lambda left, n, tolerance: np.zeros(2**n))


def test_queries_and_tolerances_out_of_range_are_refused():
    with pytest.raises(ConfigError, match="between -1 and 1"):
        label_part(np.full(4, 1.5), np.zeros(4))
    for tolerance in (0.0, 1.5):
        with pytest.raises(ConfigError, match=r"tolerance must be in \(0, 1\]"):
            most_visible(tolerance)
        with pytest.raises(ConfigError, match=r"tolerance must be in \(0, 1\]"):
            least_queries(5, 2, tolerance)
    with pytest.raises(ConfigError, match="k must be between 1 and n = 5"):
        least_queries(5, 6, 0.1)
    with pytest.raises(ConfigError, match="even and >= 2"):
        bent_query(5)
