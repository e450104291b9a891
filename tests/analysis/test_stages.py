"""Stages against tables written by hand."""

from __future__ import annotations

import polars as pl
import pytest

from assay.analysis import stages
from assay.errors import UnknownName

CURVES = pl.DataFrame(
    {
        "trial": ["a"] * 5 + ["b"] * 5,
        "step": [0, 10, 20, 30, 40] * 2,
        "x/one": [0.0, 0.5, 0.5, 0.5, 0.5] + [0.0] * 5,
        "x/two": [0.5, 0.2, 0.3, 0.4, 0.4] + [0.1] * 5,
        "x/three": [0.5, 0.5, 0.2, 0.5, 0.1] + [0.1] * 5,
        "loss": [1.0, 0.2, 0.6, 0.3, 0.2, 1.0, 0.9, 0.8, 0.7, 0.6],
        "bound": [0.5] * 10,
    }
)
NAMES = ("x/one", "x/two", "x/three")


def test_a_record_is_in_the_stage_of_the_lowest_curve():
    labelled = stages.labelled(CURVES, NAMES)
    assert labelled.filter(trial="a")["stage"].to_list() == ["one", "two", "three", "two", "three"]
    assert set(labelled.filter(trial="b")["stage"]) == {"one"}


def test_stages_are_listed_in_the_order_in_which_they_first_appear():
    found = stages.order(stages.labelled(CURVES, NAMES))
    assert found["stages"].to_list() == ["one two three", "one"]
    assert found.filter(trial="a").select("one_step", "two_step", "three_step").row(0) == (0, 10, 20)
    assert found.filter(trial="b")["two_step"].to_list() == [None]


def test_a_curve_falls_where_it_stays_below():
    def steps(streak: int) -> list[int | None]:
        return stages.falls(CURVES, "loss", "bound", streak)["step"].to_list()

    assert steps(1) == [10, None]
    assert steps(2) == [30, None]
    assert steps(3) == [30, None]  # below to the end of the records


def test_a_missing_column_is_named():
    with pytest.raises(UnknownName, match="x/tow"):
        stages.labelled(CURVES, ("x/one", "x/tow"))
