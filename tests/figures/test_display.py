"""What every display keeps to."""

from __future__ import annotations

import dataclasses
import functools
import re

import polars as pl
import pytest
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text

from assay.errors import ConfigError
from assay.figures import Display, PanelDisplay, board, house_style
from assay.figures.display import new_figure
from tests.figures.examples import DISPLAYS, PANELS, progress_measure, solve_times, training_curves, weight_trajectories


@pytest.fixture(params=list(DISPLAYS))
def display(request: pytest.FixtureRequest) -> Display:
    return DISPLAYS[request.param]


@pytest.fixture(params=list(PANELS))
def panel_display(request: pytest.FixtureRequest) -> PanelDisplay:
    return PANELS[request.param]


@functools.cache
def laid_out(display: Display, theme: str = "light") -> Figure:
    with house_style(theme):
        figure = display.plot(theme=theme)
        figure.draw_without_rendering()
    return figure


def tick_labels(axis: Axis) -> list[Text]:
    """Those that are drawn: matplotlib keeps ticks outside the limits too."""
    low, high = sorted(axis.get_view_interval())
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    shown = [tick.label1 for tick in ticks if low <= tick.get_loc() <= high and tick.label1.get_visible()]
    return [label for label in shown if label.get_text()]


def words(figure: Figure) -> list[Text]:
    axes = [axis for each in figure.axes for axis in (each.xaxis, each.yaxis)]
    of_ticks = {text for axis in axes for tick in [*axis.majorTicks, *axis.minorTicks] for text in tick.findobj(Text)}
    others = [text for text in figure.findobj(Text) if text not in of_ticks]
    shown = [text for text in others if isinstance(text, Text) and text.get_visible() and text.get_text().strip()]
    return [*shown, *(label for axis in axes for label in tick_labels(axis))]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_word_is_cut_off_or_too_small_to_read(display: Display, theme: str):
    figure = laid_out(display, theme)
    page = figure.bbox
    found = words(figure)
    assert len(found) > 4 * len(figure.axes)
    for text in found:
        box = text.get_window_extent()
        assert float(text.get_fontsize()) >= 5
        assert page.x0 <= box.x0, text
        assert box.x1 <= page.x1, text
        assert page.y0 <= box.y0, text
        assert box.y1 <= page.y1, text


def test_tick_labels_do_not_touch(display: Display):
    for axes in laid_out(display).axes:
        for axis in (axes.xaxis, axes.yaxis):
            boxes = [label.get_window_extent() for label in tick_labels(axis)]
            assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_legends_and_titles_cover_no_data(display: Display):
    figure = laid_out(display)
    for part in [figure, *figure.subfigs]:
        boxes = [legend.get_window_extent() for legend in part.legends]
        boxes += [text.get_window_extent() for text in part.texts if text.get_text() == part.get_suptitle()]
        for axes in figure.axes:
            assert not any(box.overlaps(axes.get_window_extent()) for box in boxes)


def test_panels_do_not_overlap(display: Display):
    figure = laid_out(display)
    places = [axes for axes in figure.axes if axes.get_label() != "<twin>"]
    boxes = [axes.get_window_extent() for axes in places]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    panels = [box for axes, box in zip(places, boxes, strict=True) if axes.get_label() != "<colorbar>"]
    assert all(box.height > 0.15 * figure.dpi for box in panels)


def test_a_missing_column_is_named_with_its_source(panel_display: PanelDisplay):
    column = panel_display.needed()[0]
    name = type(panel_display).__name__
    with pytest.raises(
        ConfigError, match=rf"{name}\.table must be a frame with the columns .*missing: {re.escape(column)}"
    ):
        dataclasses.replace(panel_display, table=panel_display.table.drop(column))


def test_an_empty_table_is_refused(panel_display: PanelDisplay):
    with pytest.raises(ConfigError, match="at least one row"):
        dataclasses.replace(panel_display, table=panel_display.table.clear())


def test_rows_that_would_be_drawn_over_each_other_are_refused(panel_display: PanelDisplay):
    doubled = pl.concat([panel_display.table, panel_display.table[-1:]])
    with pytest.raises(ConfigError, match="a frame with one row for each"):
        dataclasses.replace(panel_display, table=doubled)


def test_a_row_without_a_place_is_refused(panel_display: PanelDisplay):
    key = panel_display.keys()[0]
    holed = panel_display.table.with_columns(
        pl.when(pl.int_range(pl.len()) > 0).then(pl.col(key)).otherwise(None).alias(key)
    )
    with pytest.raises(ConfigError, match=f"null in {key!r}"):
        dataclasses.replace(panel_display, table=holed)


def test_columns_that_no_csv_can_hold_are_refused():
    table = progress_measure().table.with_columns(pl.lit([1, 2]).alias("list"))
    with pytest.raises(ConfigError, match=r"plain columns, which a csv file can hold, got \['list'\]"):
        dataclasses.replace(progress_measure(), table=table)


def test_an_unknown_panel_column_is_refused():
    with pytest.raises(ConfigError, match=r"SolveTimes\.panel must be one of net, .* got 'nte'"):
        dataclasses.replace(solve_times(), panel="nte")


def test_one_panel_draws_into_given_axes(panel_display: PanelDisplay):
    with house_style():
        figure = new_figure((4.0, 3.0))
        axes = figure.subplots()
    single = dataclasses.replace(panel_display, title="alone")
    if len(single.panels()) > 1:
        with pytest.raises(ConfigError, match=r"into must be a figure with room for all panels, got 'one Axes for"):
            single.plot(axes)
        return
    assert single.plot(axes) is figure
    assert axes.get_title(loc="left") == "alone"
    assert axes.has_data()


def test_a_display_draws_into_a_part_of_a_figure():
    with house_style():
        figure = new_figure((6.0, 3.0))
        left, right = (
            figure.add_subfigure(figure.add_gridspec(1, 2)[0]),
            figure.add_subfigure(figure.add_gridspec(1, 2)[1]),
        )
        assert progress_measure().plot(left) is figure
        weight_trajectories().plot(right)
        figure.draw_without_rendering()
    assert len(left.axes) == len(right.axes) == 1


@pytest.mark.parametrize(("count", "grid"), [(1, (1, 1)), (3, (1, 3)), (5, (2, 3)), (8, (2, 4)), (9, (3, 3))])
def test_panels_stand_in_rows_as_equal_as_can_be(count: int, grid: tuple[int, int]):
    assert progress_measure().grid(count) == grid


def test_shared_axes_are_labelled_once():
    upper, lower = laid_out(dataclasses.replace(solve_times(), columns=1)).axes
    assert not tick_labels(upper.xaxis)
    assert [label.get_text() for label in tick_labels(lower.xaxis)] == ["10", "20", "30", "40"]
    assert (upper.get_xlabel(), lower.get_xlabel()) == ("", "n")


def test_panels_keep_the_order_and_the_names_of_the_table():
    figure = training_curves(3).plot()
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["setting 0", "setting 1", "setting 2"]


def test_notebooks_show_picture_and_caption():
    display = dataclasses.replace(progress_measure(), title="rho < 1", caption="a & b")
    assert display._repr_png_().startswith(b"\x89PNG")
    page = display._repr_html_()
    assert 'alt="rho &lt; 1"' in page
    assert "<figcaption>a &amp; b</figcaption>" in page


def test_a_board_letters_its_parts_and_keeps_their_tables():
    parts = (progress_measure(), weight_trajectories())
    whole = board(*parts, columns=1)
    assert whole.grid() == (2, 1)
    for letter, part in zip("ab", parts, strict=True):
        own = whole.table.filter(part=letter).select(part.table.columns)
        assert own.equals(part.table, null_equal=True)
    figure = whole.plot()
    assert [part.get_suptitle().strip() for part in figure.subfigs] == ["a", "b"]
