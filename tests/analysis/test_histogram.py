"""Histograms against numpy's, with the ends of bins and the infinite values spelt out."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analysis import histogram
from assay.errors import ConfigError


def test_bins_are_open_below_and_closed_above():
    table = pl.DataFrame({"t": [10, 10, 15, 20, 21, 30, 31, math.inf]}, strict=False)
    found = histogram.counts(table, "t", [], np.array([10.0, 20.0, 30.0]))
    assert found["count"].to_list() == [4, 2]  # the first bin has its first edge too; 31 and inf are in none
    assert found["fraction"].to_list() == [4 / 8, 2 / 8]
    assert found["density"].to_list() == [4 / 80, 2 / 80]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50), st.integers(1, 12))
def test_fractions_are_differences_of_the_empirical_distribution(values: list[float], bins: int):
    edges = histogram.equal_bins(0, 1, bins)
    found = histogram.counts(pl.DataFrame({"x": values}), "x", [], edges)
    distribution = [(np.array(values) <= edge).mean() for edge in edges]
    distribution[0] = 0.0
    np.testing.assert_allclose(found["fraction"], np.diff(distribution), atol=1e-12)
    assert found["count"].sum() == len(values)


def test_groups_are_apart():
    table = pl.DataFrame({"net": ["b", "a", "b"], "t": [1.0, 2.0, 9.0]})
    found = histogram.counts(table, "t", ["net"], np.array([0.0, 5.0, 10.0]))
    assert found.select("net", "low", "count", "fraction").rows() == [
        ("a", 0, 1, 1.0), ("a", 5, 0, 0.0), ("b", 0, 1, 0.5), ("b", 5, 1, 0.5),
    ]  # fmt: skip


def test_equal_bins_have_equal_widths_or_ratios():
    np.testing.assert_allclose(np.diff(histogram.equal_bins(-1, 1, 8)), 0.25)
    edges = histogram.equal_bins(10, 1e4, 6, log=True)
    np.testing.assert_allclose(edges[1:] / edges[:-1], 10**0.5)


@pytest.mark.parametrize("edges", [[1.0], [1.0, 1.0], [2.0, 1.0]])
def test_edges_that_do_not_increase_are_refused(edges: list[float]):
    with pytest.raises(ConfigError, match="two or more increasing numbers"):
        histogram.counts(pl.DataFrame({"t": [1.0]}), "t", [], np.array(edges))


def test_what_is_no_number_is_refused():
    for values in ([None, 1.0], [math.nan]):
        with pytest.raises(ConfigError, match="column t"):
            histogram.counts(pl.DataFrame({"t": values}, schema={"t": pl.Float64}), "t", [], np.array([0.0, 1.0]))
    with pytest.raises(ConfigError, match="low > 0 with log"):
        histogram.equal_bins(0, 1, 3, log=True)
