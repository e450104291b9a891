"""Histograms and boxes show the rows of their tables."""

from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import StepPatch

from assay.errors import ConfigError
from tests.figures.distributions import boxes, histogram, histograms_on_top_of_each_other


def outlines(axes: Axes) -> list[StepPatch]:
    return [patch for patch in axes.patches if isinstance(patch, StepPatch) and not patch.get_fill()]


def points(line: Line2D) -> list[tuple[float, float]]:
    x, y = (np.asarray(values, dtype=float) for values in (line.get_xdata(), line.get_ydata()))
    return [(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True) if not np.isnan(b)]


def segments(axes: Axes) -> set[tuple[float, ...]]:
    """Every vertical and horizontal stroke as (x0, y0, x1, y1)."""
    found = [s for c in axes.collections if isinstance(c, LineCollection) for s in c.get_segments() if len(s)]
    return {tuple(np.asarray(s, dtype=float).ravel().tolist()) for s in found}


def test_bars_laws_and_marks_are_rows_of_the_table():
    display = histogram()
    for axes, setting in zip(display.plot().axes, ("setting 0", "setting 1"), strict=True):
        part = display.table.filter(setting=setting)
        (outline,) = outlines(axes)
        values, edges, _ = outline.get_data()
        floor = axes.get_ylim()[0]
        assert floor == pytest.approx(0.005)  # half of the smallest bar
        np.testing.assert_allclose(values, np.maximum(part["fraction"], floor))
        np.testing.assert_allclose(edges, [*part["low"], part["high"][-1]])
        middle = np.sqrt((part["low"] * part["high"]).to_numpy()).tolist()
        drawn = [points(line) for line in axes.get_lines()]
        assert list(zip(middle, part["search"], strict=True)) in drawn
        assert list(zip(middle[:-1], part["half"][:-1], strict=True)) in drawn
        assert [(part["median"][0], 0.0), (part["median"][0], 1.0)] in drawn


def test_histograms_of_one_panel_have_a_colour_each():
    display = histograms_on_top_of_each_other()
    axes = display.plot().axes[0]
    drawn = outlines(axes)
    for outline, family in zip(drawn, ("sign", "Gaussian"), strict=True):
        values, *_ = outline.get_data()
        np.testing.assert_allclose(values, display.table.filter(family=family)["count"])
    assert len({outline.get_edgecolor() for outline in drawn}) == 2
    assert axes.get_ylim()[0] == 0


def test_a_mark_that_histograms_share_is_drawn_once_and_has_none_of_their_colours():
    apart = histograms_on_top_of_each_other()
    shared = dataclasses.replace(apart, table=apart.table.with_columns(median=pl.lit(0.5)))
    for display, count in ((apart, 2), (shared, 1)):
        axes = display.plot().axes[0]
        upright = [line for line in axes.get_lines() if line.get_linestyle() == ":" and points(line)]
        assert len(upright) == count
        colors = {outline.get_edgecolor() for outline in outlines(axes)}
        assert {to_rgba(line.get_color()) for line in upright}.isdisjoint(colors) == (count == 1)


def test_bins_with_a_gap_are_refused():
    display = histogram(1)
    with pytest.raises(ConfigError, match="bins follow each other"):
        dataclasses.replace(display, table=display.table.gather([0, 1, 3]))


def test_boxes_whiskers_and_crosses_are_rows_of_the_table():
    display = boxes()
    axes = display.plot().axes[0]
    strokes, top = segments(axes), axes.get_ylim()[1]
    rows = display.table.filter(n=30)
    for row in rows.iter_rows(named=True):
        heights = {y0 for x0, y0, x1, y1 in strokes if y0 == y1 and x0 < row["r"] < x1}
        assert heights == {row[n] for n in ("whisker_low", "q25", "q50", "q75", "whisker_high")} - {None}
        upright = {(y0, y1) for x0, y0, x1, y1 in strokes if x0 == x1 == row["r"]}
        if row["q25"] is not None:
            assert (row["whisker_low"], row["q25"]) in upright
        if row["q75"] is not None:
            assert (row["q75"], row["whisker_high"] or top) in upright
    crosses = {place for line in axes.get_lines() if line.get_marker() == "x" for place in points(line)}
    assert crosses == {(r, v) for name in ("low", "high") for r, v in rows.select("r", name).drop_nulls().rows()}


def test_boxes_that_are_open_above_reach_the_edge_and_say_how_many_were_solved():
    display = boxes()
    axes = display.plot().axes[0]
    top = axes.get_ylim()[1]
    reaching = {x0 for x0, _, x1, y1 in segments(axes) if x0 == x1 and y1 == top}
    for r in (2, 3):  # both sides of the box, and nothing at its middle
        assert [x < r for x in sorted(reaching) if 0.8 * r < x < 1.2 * r] == [True, False]
    assert len(reaching) == 4
    texts = sorted(text.get_text() for text in axes.texts if text.get_text())
    assert texts == ["25%", "50%", "62.5%"]


def test_the_overlay_is_a_curve_and_flagged_boxes_have_their_own_colour():
    display = boxes()
    axes = display.plot().axes[0]
    part = display.table.filter(n=30)
    assert part.select("r", pl.col("search").cast(float)).rows() in [points(line) for line in axes.get_lines()]
    colors = {line.get_color(): points(line) for line in axes.get_lines() if line.get_marker() == "x" and points(line)}
    assert len(colors) == 2
