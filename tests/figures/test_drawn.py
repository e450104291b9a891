"""Drawing computes nothing: what stands in the figure are rows of the table."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection, LineCollection, QuadMesh
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

from assay.errors import ConfigError
from assay.figures import Bars, Lines
from assay.figures.axes import spread
from assay.figures.times import percent
from tests.figures.examples import (
    heat_panels,
    heat_table,
    progress_measure,
    solve_times,
    spectrum,
    survival_curves,
    training_curves,
    weight_trajectories,
)
from tests.figures.examples import (
    lines as lines_example,
)


def points(line: Line2D) -> list[tuple[float, float]]:
    x, y = (np.asarray(values, dtype=float).tolist() for values in (line.get_xdata(), line.get_ydata()))
    return [(a, b) for a, b in zip(x, y, strict=True) if not np.isnan(b)]


def rows(table: pl.DataFrame, x: str, y: str) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in table.select(x, y).drop_nulls(y).iter_rows()]


def lines(axes: Axes) -> list[list[tuple[float, float]]]:
    return [points(line) for line in axes.get_lines() if len(np.asarray(line.get_xdata())) > 1]


def band_ends(axes: Axes, index: int) -> set[tuple[float, float]]:
    band = [c for c in axes.collections if isinstance(c, FillBetweenPolyCollection)][index]
    corners = np.concatenate([np.asarray(path.vertices, dtype=float) for path in band.get_paths()])
    return {(x, y) for x, y in corners.tolist()}


def test_training_curves_show_runs_summary_band_and_chance():
    display = training_curves(1)
    axes = display.plot().axes[0]
    drawn = lines(axes)
    for measure in ("eval/loss", "eval/error"):
        part = display.table.filter(measure=measure)
        for trial in ("a", "b", None):
            assert rows(part.filter(pl.col("trial").eq_missing(pl.lit(trial))), "step", "value") in drawn
    summary = display.table.filter(pl.col("trial").is_null(), measure="eval/loss")
    assert {*rows(summary, "step", "low"), *rows(summary, "step", "high")} <= band_ends(axes, 0)
    assert [(0.0, 0.5), (1.0, 0.5)] in drawn  # the chance line, across the axes


def test_single_runs_are_strong_only_where_there_is_no_summary():
    display = training_curves(1)
    alone = dataclasses.replace(display, table=display.table.drop_nulls("trial"))
    for shown, alpha in ((display, 0.45), (alone, 1.0)):
        first = shown.plot().axes[0].get_lines()[0]
        assert first.get_alpha() == alpha


def test_solve_times_show_quantiles_intervals_and_overlays():
    display = solve_times()
    for axes, net in zip(display.plot().axes, ("ReLU", "PolyNet"), strict=True):
        drawn = lines(axes)
        bars = [c for c in axes.collections if isinstance(c, LineCollection)]
        for i, k in enumerate((2, 3, 4)):
            part = display.table.filter(pl.col("net") == net, pl.col("task.k") == k)
            assert rows(part, "task.n", "q50") in drawn
            assert rows(part, "task.n", "subsets") in drawn
            ends = part.drop_nulls("q50").select("task.n", "q50_low", pl.col("q50_high").fill_null(pl.col("q50")))
            segments = [s for s in bars[i].get_segments() if len(s)]
            assert [(s[0][0], s[0][1], s[1][1]) for s in segments] == [tuple(map(float, row)) for row in ends.rows()]


def test_a_line_of_solve_times_halts_and_says_why():
    """k = 4 has no median at n = 30 and 40, k = 3 none at n = 40: open triangles and solved fractions, no points."""
    axes = solve_times().plot().axes[0]
    triangles = [line for line in axes.get_lines() if line.get_markerfacecolor() == "none"]
    assert sorted(float(np.asarray(line.get_xdata())[0]) for line in triangles) == [30.0, 40.0, 40.0]
    heights = [float(np.asarray(line.get_ydata())[0]) for line in triangles]
    scale_top = axes.spines["left"].get_bounds()[1]
    pixels = [axes.get_xaxis_transform().transform((30, y))[1] for y in heights]
    assert min(pixels) > axes.transData.transform((30, scale_top))[1]
    assert len({(float(np.asarray(t.get_xdata())[0]), y) for t, y in zip(triangles, heights, strict=True)}) == 3
    texts = [text.get_text() for text in axes.texts if text.get_text()]
    assert sorted(texts) == ["20%", "20%", "20%", "99.9%"]


def test_an_interval_that_is_open_above_ends_in_an_arrow():
    texts = solve_times().plot().axes[0].texts
    arrows = [text for text in texts if isinstance(text, Annotation) and text.arrow_patch]
    assert [tuple(map(float, arrow.xy)) for arrow in arrows] == [(30.0, 27000.0)]


def test_solve_times_without_a_line_column_or_any_finite_median():
    table = solve_times().table.filter(pl.col("task.k") == 4, net="ReLU")
    single = dataclasses.replace(solve_times(), table=table, line=None, panel=None)
    assert rows(table, "task.n", "q50") in lines(single.plot().axes[0])
    halted = table.filter(pl.col("q50").is_null()).with_columns(pl.lit(None, pl.Float64).alias("subsets"))
    assert dataclasses.replace(single, table=halted).picture("png")


def test_solve_times_need_a_positive_parameter():
    table = solve_times().table.with_columns(pl.col("task.n") - 10)
    with pytest.raises(ConfigError, match=r"column task\.n must be > 0 on a logarithmic axis, got 0"):
        dataclasses.replace(solve_times(), table=table)


@pytest.mark.parametrize(("fraction", "words"), [(0.9999, "99.9%"), (0.5, "50%"), (0.0, "0%"), (0.1234, "12.3%")])
def test_solved_fractions_are_never_rounded_up_to_all(fraction: float, words: str):
    assert percent(fraction) == words


def test_survival_curves_are_steps_with_bands_and_ticks_where_runs_left():
    display = survival_curves()
    axes = display.plot().axes[0]
    curves = [line for line in axes.get_lines() if line.get_drawstyle() == "steps-post"]
    ticks = [line for line in axes.get_lines() if line.get_marker() == "|"]
    for i, k in enumerate((2, 3)):
        part = display.table.filter(pl.col("task.k") == k)
        assert points(curves[i]) == rows(part, "step", "survival")
        assert points(ticks[i]) == rows(part.filter(pl.col("censored") > 0), "step", "survival")
        assert {*rows(part, "step", "survival_low")} <= band_ends(axes, i)
    assert axes.get_ylim()[0] == 0


def test_weights_are_grey_but_for_the_relevant_ones_which_are_named():
    display = weight_trajectories()
    axes = display.plot().axes[0]
    for coordinate, line in zip([*range(3, 12), 0, 1, 2], axes.get_lines(), strict=True):
        assert points(line) == rows(display.table.filter(coordinate=coordinate), "step", "value")
    assert len({line.get_color() for line in axes.get_lines()}) == 1 + 3
    assert {text.get_text() for text in axes.texts} == {"9 others", "$w_{0}$", "$w_{1}$", "$w_{2}$"}


def test_progress_shows_bands_of_all_conditions_and_the_mark():
    display = progress_measure()
    axes = display.plot().axes[0]
    for i, condition in enumerate(("parity labels", "pure noise")):
        part = display.table.filter(condition=condition)
        assert points(axes.get_lines()[i]) == rows(part, "step", "q50")
        assert set(rows(part, "step", "q90")) <= band_ends(axes, i)
    assert points(axes.get_lines()[2]) == [(200.0, 0.0), (200.0, 1.0)]


def test_spectrum_points_up_for_positive_and_down_for_negative():
    display = spectrum()
    axes = display.plot().axes[0]
    part = display.table.filter(n=5)
    for column, open_marker in (("theory", True), ("measured", False)):
        shown = {"^": [], "v": [], "x": [], ".": []}
        for line in axes.get_lines():
            marked = line.get_marker() != "None" and len(np.asarray(line.get_xdata()))
            if marked and (line.get_markerfacecolor() == "none") == open_marker:
                shown[str(line.get_marker())] += points(line)
        for marker, sign in (("^", 1), ("v", -1)):
            expected = part.filter(sign * pl.col(column) > 1e-12)
            assert shown[marker] == [(x, abs(y)) for x, y in rows(expected, "degree", column)]
    joined = [(x, abs(y)) for x, y in rows(part.filter(pl.col("theory").abs() > 1e-12), "degree", "theory")]
    assert joined in [points(line) for line in axes.get_lines() if line.get_marker() == "None"]
    zeros = [line for line in axes.get_lines() if line.get_marker() in ("x", ".") and len(np.asarray(line.get_xdata()))]
    assert [np.asarray(line.get_xdata()).tolist() for line in zeros] == [[0, 2, 4], [0, 2, 4]]


def test_heat_table_prints_and_colours_each_number():
    display = heat_table()
    axes = display.plot().axes[0]
    mesh = next(c for c in axes.collections if isinstance(c, QuadMesh))
    values = display.table["ratio"].to_list()
    drawn = np.ma.masked_invalid(np.ma.asarray(mesh.get_array())).ravel()
    assert [
        None if masked else float(v) for v, masked in zip(drawn.data, np.ma.getmaskarray(drawn), strict=True)
    ] == values
    assert [text.get_text() for text in axes.texts] == ["\N{EN DASH}" if v is None else f"{v:.2f}" for v in values]
    low, centre, high = np.asarray(mesh.cmap(mesh.norm(np.array([0.5, 1.0, 2.0]))))[:, :3]
    assert centre == pytest.approx((1, 1, 1), abs=0.01)  # the paper
    assert low[2] > low[0]  # blue below
    assert high[0] > high[2]  # orange above


def test_heat_panels_share_their_colours_with_the_bar():
    display = heat_panels()
    *panels, bar = display.plot().axes
    limits = set()
    for axes, k in zip(panels, (2, 3), strict=True):
        rows = display.table.filter(k=k)
        mesh = next(c for c in axes.collections if isinstance(c, QuadMesh))
        assert sorted(np.ma.compressed(np.ma.asarray(mesh.get_array())).tolist()) == sorted(
            rows["steps"]
        )  # the blank place has none
        assert [text.get_text() for text in axes.texts] == rows["text"].to_list()
        limits.add(mesh.get_clim())
    assert limits == {(display.table["steps"].min(), display.table["steps"].max())}
    assert bar.get_xlim() == pytest.approx(limits.pop())
    assert bar.get_xlabel() == "steps"
    assert dataclasses.replace(display, bar="").plot().axes[2:] == []
    wider = dataclasses.replace(display, ends=(0.1, 1e6)).plot().axes
    assert wider[-1].get_xlim() == pytest.approx((0.1, 1e6))


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_heat_table_of_one_value_has_the_middle_colour(scale: Literal["linear", "log"]):
    flat = heat_panels().table.with_columns(steps=pl.lit(3.0))
    axes = dataclasses.replace(heat_panels(), table=flat, scale=scale).plot().axes[0]
    mesh = next(c for c in axes.collections if isinstance(c, QuadMesh))
    assert mesh.norm(np.array([3.0])) == pytest.approx(0.5)


def test_lines_are_the_rows_of_their_series():
    display = lines_example()
    drawn = lines(display.plot().axes[0])
    assert drawn == [rows(display.table.filter(law=law), "x", "y") for law in ("a", "b")]


def test_points_beside_a_curve_are_not_joined_and_have_bars():
    table = lines_example().table.with_columns(theory=pl.col("y") * 1.1, low=pl.col("y") * 0.9, high=pl.col("y") * 1.2)
    table = table.with_columns(pl.when(pl.col("x") > 1).then("theory"), y=pl.when(pl.col("x") < 27).then("y"))
    display = Lines(table, line="law", curve="theory", bars=("low", "high"))
    axes = display.plot().axes[0]
    parts = [table.filter(law=law) for law in ("a", "b")]
    assert lines(axes) == [rows(part, "x", column) for part in parts for column in ("y", "theory")]
    assert [line.get_linestyle() for line in axes.get_lines()] == ["None", "-"] * 2
    bars = [c for c in axes.collections if isinstance(c, LineCollection)]
    for part, drawn in zip(parts, bars, strict=True):
        ends = [(x, low, high) for x, low, high in part.select("x", "low", "high").iter_rows()]
        assert [(float(a[0]), float(a[1]), float(b[1])) for a, b in drawn.get_segments()] == ends


def test_a_theory_alone_is_a_line_of_its_own_beside_points():
    table = lines_example().table
    alone = table.filter(law="b").select("x", theory="y", law=pl.lit("theory"))
    measured = table.filter(law="a").with_columns(theory=pl.lit(None, pl.Float64))
    display = Lines(pl.concat([measured, alone], how="diagonal_relaxed"), line="law", curve="theory")
    (axes,) = display.plot().axes
    assert [line for line in lines(axes) if line] == [rows(measured, "x", "y"), rows(alone, "x", "theory")]
    handles, labels = axes.get_legend_handles_labels()
    assert labels == ["a", "theory"]
    assert [handle.get_linestyle() == "None" for handle in handles if isinstance(handle, Line2D)] == [True, False]


def test_bars_stand_at_names_in_their_order():
    table = pl.DataFrame({"irrep": ["sign", "standard", "trivial"], "count": [2, 7, 0]})
    (axes,) = Bars(table, x="irrep", y="count", labels={"sign": "odd"}).plot().axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["odd", "standard", "trivial"]
    heights = {
        bar.get_x() + bar.get_width() / 2: bar.get_height() for bar in axes.patches if isinstance(bar, Rectangle)
    }
    assert heights == pytest.approx({0: 2, 1: 7, 2: 0})


gaps = st.floats(0.01, 0.3)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), gaps)
def test_labels_are_moved_apart_as_little_as_possible(wanted: list[float], gap: float):
    target = np.sort(wanted)
    placed = spread(target, gap)
    assert (np.diff(placed) >= gap - 1e-9).all()
    if (np.diff(target) >= gap).all():
        np.testing.assert_allclose(placed, target)
    # no better feasible point along any shift of a run of labels that touch: the mean move of a block is zero
    starts = [0, *(np.flatnonzero(np.diff(placed) > gap + 1e-9) + 1).tolist(), len(placed)]
    for start, end in itertools.pairwise(starts):
        assert (placed - target)[start:end].mean() == pytest.approx(0, abs=1e-9)
