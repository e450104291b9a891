"""Curves on two axes, and the weights of a layer, show the rows of their tables."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D

from assay.errors import ConfigError
from assay.figures import WeightTrajectories
from tests.figures.trajectories import twin_curves, weights_of_a_layer


def points(line: Line2D) -> list[tuple[float, float]]:
    x, y = (np.asarray(values, dtype=float).tolist() for values in (line.get_xdata(), line.get_ydata()))
    return list(zip(x, y, strict=True))


def drawn(axes: Axes) -> list[list[tuple[float, float]]]:
    return [found for found in map(points, axes.get_lines()) if found]


def test_each_quantity_has_its_own_axis_in_its_own_colour():
    display = twin_curves()
    figure = display.plot()
    left, right = figure.axes[:2], figure.axes[2:]
    for panel, axes, other in zip(("B = 1", "B = 4"), left, right, strict=True):
        part = display.table.filter(panel=panel)
        assert list(part.select("step", "loss").drop_nulls().iter_rows()) in drawn(axes)
        assert drawn(other) == [list(part.select("step", "movement").iter_rows())]
        assert other.get_ylim()[0] == 0
        assert other.get_ylim()[1] == pytest.approx(max(part["movement"]), rel=0.1)
        color = to_rgba(other.get_lines()[0].get_color())
        assert to_rgba(other.yaxis.get_ticklines()[0].get_color()) == color
        assert to_rgba(axes.yaxis.get_ticklines()[0].get_color()) != color
    assert left[0].get_ylim() == left[1].get_ylim()
    assert right[0].get_ylim() != right[1].get_ylim()


def test_a_mark_is_drawn_where_there_is_one_and_named_once():
    figure = twin_curves().plot()
    with_mark, without = figure.axes[:2]
    assert [(300.0, 0.0), (300.0, 1.0)] in drawn(with_mark)
    assert len(drawn(without)) == 1
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["loss", "movement", "ahead"]


def test_neurons_of_a_layer_have_a_colour_each_and_their_relevant_weights_a_strong_stroke():
    display = weights_of_a_layer()
    alone, layer = display.plot().axes
    assert {text.get_text() for text in alone.texts} == {"3 others", "$w_{0}$", "$w_{1}$"}
    lines = [line for line in layer.get_lines() if points(line)]
    part = display.table.filter(panel="three")
    expected = [
        list(rows.select("step", "value").iter_rows())
        for rows in part.partition_by("neuron", "coordinate", maintain_order=True)
    ]
    assert [points(line) for line in lines] == expected
    colors = [{line.get_color() for line in lines[5 * j : 5 * j + 5]} for j in range(3)]
    assert [len(found) for found in colors] == [1, 1, 1]
    assert len(set.union(*colors)) == 3
    widths = {line.get_linewidth() for line in lines[:2]}, {line.get_linewidth() for line in lines[2:5]}
    assert min(widths[0]) > max(widths[1])


def test_weights_of_several_neurons_need_the_column_that_tells_them_apart():
    table = weights_of_a_layer().table.filter(panel="three")
    with pytest.raises(ConfigError, match="one row for each coordinate, step"):
        WeightTrajectories(table)
