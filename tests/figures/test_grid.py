"""A grid of curves: each panel holds the rows of its two values, and is found under and beside their words."""

from __future__ import annotations

import polars as pl
import pytest

from assay.errors import ConfigError
from assay.figures import CurveGrid
from tests.figures.examples import curve_grid, tall_board
from tests.figures.test_drawn import lines, rows


def test_a_panel_holds_the_rows_of_its_row_and_column():
    display = curve_grid()
    panels = display.plot().axes
    places = [(decay, samples) for decay in (0.0, 0.1) for samples in (0, 100, 200)]
    for axes, (decay, samples) in zip(panels, places, strict=True):
        part = display.table.filter(pl.col("trial").is_null(), measure="eval/loss", decay=decay, samples=samples)
        assert rows(part, "step", "value") in lines(axes)
        assert axes.get_xlim()[1] == part["step"].to_numpy().max()


def test_columns_are_named_above_and_rows_beside():
    panels = curve_grid().plot().axes
    titles = [axes.get_title(loc="left") for axes in panels]
    assert titles == ["samples = 0", "samples = 100", "samples = 200", "", "", ""]
    assert [axes.get_ylabel() for axes in panels] == ["decay = 0.0", "", "", "much", "", ""]


def test_a_panel_without_rows_is_refused():
    table = curve_grid().table.filter(~((pl.col("decay") == 0.1) & (pl.col("samples") == 200)))
    with pytest.raises(ConfigError, match=r"decay = 0\.1, samples = 200"):
        CurveGrid(table, row="decay", column="samples")


def test_rows_of_a_board_have_the_heights_they_were_given():
    upper, lower = (part.bbox.height for part in tall_board().plot().subfigs)
    assert lower / upper == pytest.approx(1.5)
