"""Subsets as masks and ranks, against brute force and the binomial coefficients of `math`."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ConfigError
from assay.maths.subsets import (
    count_subsets,
    indicator,
    iterate_subsets,
    log_binomial,
    mask_of,
    members,
    rank_of,
    subset_at,
    subset_masks,
    subsets_at,
)


@pytest.mark.parametrize("n", range(9))
def test_masks_are_all_numbers_with_k_ones_in_increasing_order(n: int):
    for k in range(n + 1):
        expected = [mask for mask in range(1 << n) if mask.bit_count() == k]
        assert subset_masks(n, k).tolist() == expected
        assert list(iterate_subsets(n, k)) == expected


def test_the_list_has_every_combination_once():
    listed = {members(int(mask)) for mask in subset_masks(20, 3)}
    assert listed == set(itertools.combinations(range(20), 3))


def test_the_widest_masks_fit():
    assert subset_masks(62, 1).tolist() == [1 << i for i in range(62)]
    assert len(subset_masks(62, 61)) == 62


def test_the_place_in_the_list_is_the_rank():
    for place, mask in enumerate(subset_masks(9, 4)):
        subset = members(int(mask))
        assert rank_of(subset) == place
        assert subset_at(place, 9, 4) == subset


@given(st.data())
def test_a_rank_leads_back_to_its_subset(data: st.DataObject):
    n = data.draw(st.integers(1, 120))
    k = data.draw(st.integers(0, n))
    rank = data.draw(st.integers(0, math.comb(n, k) - 1))
    subset = subset_at(rank, n, k)
    assert len(subset) == k
    assert rank_of(subset) == rank
    assert members(mask_of(subset, n)) == subset


@given(st.data())
def test_many_ranks_lead_to_the_subsets_that_each_leads_to(data: st.DataObject):
    n = data.draw(st.integers(1, 60))
    k = data.draw(st.integers(1, n))
    ranks = data.draw(st.lists(st.integers(0, math.comb(n, k) - 1), max_size=8))
    found = subsets_at(np.array(ranks, np.int64), n, k)
    assert [tuple(row) for row in found.tolist()] == [subset_at(rank, n, k) for rank in ranks]


def test_the_order_of_the_members_does_not_matter():
    assert mask_of((5, 0, 2), 6) == 0b100101
    assert rank_of([5, 0, 2]) == rank_of({0, 2, 5})


@pytest.mark.parametrize("subset", [(0, 0), (6,), (-1, 2)])
def test_a_subset_that_does_not_fit_is_refused(subset: tuple[int, ...]):
    with pytest.raises(ConfigError, match="distinct coordinates between 0 and 5"):
        mask_of(subset, 6)


@pytest.mark.parametrize(("n", "k"), [(3, 4), (3, -1)])
def test_an_impossible_size_is_refused(n: int, k: int):
    for count in (subset_masks, iterate_subsets, log_binomial):
        with pytest.raises(ConfigError, match="k must be between 0 and n = 3"):
            count(n, k)


@pytest.mark.parametrize("rank", [-1, 10])
def test_a_rank_beyond_the_list_is_refused(rank: int):
    with pytest.raises(ConfigError, match="rank must be between 0 and 9"):
        subset_at(rank, 5, 2)


@pytest.mark.parametrize(("n", "k"), [(63, 1), (60, 30)])
def test_a_list_that_cannot_be_held_is_refused_but_can_be_iterated(n: int, k: int):
    with pytest.raises(ConfigError, match="use iterate_subsets"):
        subset_masks(n, k)
    assert next(iterate_subsets(n, k)) == (1 << k) - 1


@pytest.mark.parametrize("n", [1, 2, 7, 50, 1001, 10_001])
def test_log_binomials_agree_with_exact_ones(n: int):
    for k in {0, 1, n // 3, n // 2, n - 1, n}:
        assert log_binomial(n, k) == pytest.approx(math.log(math.comb(n, k)), rel=1e-14, abs=1e-15)


def test_binomials_sum_to_the_size_of_the_cube():
    total = np.sum([math.exp(log_binomial(40, k)) for k in range(41)])
    assert total == pytest.approx(2**40, rel=1e-13)


def test_the_indicator_is_the_mask_bit_by_bit():
    assert indicator((4, 0), 6).tolist() == [True, False, False, False, True, False]
    assert indicator((), 3).tolist() == [False] * 3
    with pytest.raises(ConfigError, match="distinct coordinates"):
        indicator((1, 1), 3)


def test_subsets_are_counted_where_a_float_holds_the_number():
    assert count_subsets(30, 3) == 4060
    for n, k, what in ((5, 6, "k must be"), (5, 0, "k must be"), (3000, 1500, "use a smaller k")):
        with pytest.raises(ConfigError, match=what):
            count_subsets(n, k)
