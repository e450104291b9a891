"""Boxes by hand, and with runs that were not solved."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from assay.analysis import boxes

INF = math.inf


def test_a_box_by_hand():
    found = boxes.box(np.array([2.0, 10, 11, 12, 13, 14, 15, 16, 30]))
    assert [found[name] for name in boxes.NUMBERS] == [1.0, 2, 10, 11, 13, 15, 16, 30]  # whiskers within 11-6 and 15+6


def test_unsolved_runs_open_the_box_above():
    half = boxes.box(np.array([10.0, 20, 30, INF, INF]))
    assert [half[name] for name in ("low", "q25", "q50", "q75", "whisker_high", "high")] == [10, 20, 30, INF, INF, INF]
    assert (half["whisker_low"], half["solved_fraction"]) == (10, 0.6)
    few = boxes.box(np.array([10.0, INF, INF, INF, INF]))
    assert (few["low"], few["whisker_low"], few["q25"]) == (10, 10, INF)
    none = boxes.box(np.array([INF, INF]))
    assert (none["low"], none["solved_fraction"]) == (INF, 0.0)


@given(st.lists(st.integers(1, 500) | st.just(INF), min_size=1, max_size=30))
def test_the_parts_of_a_box_are_in_order(times: list[float]):
    found: Any = boxes.box(np.array(times, dtype=float))
    inner = [found[name] for name in ("q25", "q50", "q75")]
    assert found["low"] <= found["whisker_low"] <= found["high"]
    assert inner == sorted(inner)
    assert found["whisker_low"] <= found["whisker_high"] <= found["high"] == max(times)


def test_a_summary_is_one_box_a_group_with_null_for_infinite():
    runs = pl.DataFrame(
        {
            "r": [1, 1, 1, 2, 2],
            "outcome": ["solved", "solved", "censored", "censored", "diverged"],
            "step": [1, 3, 9, 9, 2],
        }
    )
    found = boxes.summary(runs, ["r"])
    assert found.select("r", "n", "low", "q25", "q50", "high").rows() == [(1, 3, 1, 2, 3, None), (2, 2, *[None] * 4)]
