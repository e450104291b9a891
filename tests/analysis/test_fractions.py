"""Intervals of fractions."""

from __future__ import annotations

import math

import pytest

from assay.analysis.fractions import wilson


@pytest.mark.parametrize(("count", "total"), [(0, 10), (3, 10), (10, 10), (500, 1000)])
def test_its_ends_are_where_the_score_test_turns(count: int, total: int):
    """|count/total - p| = z sqrt(p (1 - p) / total) at both ends, or the end of [0, 1]."""
    for p in wilson(count, total):
        z = abs(count / total - p) / math.sqrt(p * (1 - p) / total) if 0 < p < 1 else 1.959964
        assert z == pytest.approx(1.959964, rel=1e-5)
    assert wilson(count, total)[0] <= count / total <= wilson(count, total)[1]


def test_of_nothing_it_is_everything():
    assert wilson(0, 0) == (0.0, 1.0)
