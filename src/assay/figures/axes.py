"""What several displays do to their axes: readable step and logarithmic axes, bands, labels at the ends of lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, FixedLocator, FuncFormatter, LogLocator, MaxNLocator

from assay.figures.style import Stroke

Scale = Literal["linear", "log"]

NICE = (1, 2, 2.5, 5, 10)
LABEL_HEIGHT = 8.5
"""Points from one label at the end of a line to the next."""


def inches(axes: Axes) -> tuple[float, float]:
    """Width and height of the axes, before the layout makes room for labels."""
    figure = axes.get_figure(root=True)
    assert isinstance(figure, Figure)
    return axes.bbox.width / figure.dpi, axes.bbox.height / figure.dpi


def step_axis(axes: Axes, scale: Scale) -> None:
    """The x axis of curves against steps: without margins, and in thousands (20k) where it is linear."""
    axes.set(xlabel="step", xscale=scale)
    axes.margins(x=0)
    if scale == "linear":
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6 if inches(axes)[0] > 2 else 4, steps=NICE))
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))


def value_axis(axes: Axes, scale: Scale, label: str) -> None:
    """The y axis of a measure."""
    axes.set(ylabel=label, yscale=scale)
    if scale == "linear":
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=NICE))


def value_ticks(axis: Axis, values: Sequence[float | int], most: int) -> None:
    """Ticks where the values are, on a logarithmic axis; those that would crowd the labels get none."""
    ordered = sorted(set(values))
    gap = (ordered[-1] / ordered[0]) ** (1 / most) if len(ordered) > 1 else 1.0
    labelled = [ordered[0]]
    for value in ordered:
        if value >= gap * labelled[-1] and value > labelled[-1]:
            labelled.append(value)
    axis.set_major_locator(FixedLocator(labelled))
    axis.set_minor_locator(FixedLocator([value for value in ordered if value not in labelled]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(FuncFormatter(lambda value, _: ""))


def log_ticks(axis: Axis, top: float = math.inf) -> None:
    """Decades up to `top`; 1, 2 and 5 of each where the axis spans less than two; above four no minor ticks."""
    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    minor = LogLocator(subs=range(2, 10)).tick_values(low, high) if decades <= 4 else []
    major = LogLocator(subs=(1.0, 2.0, 5.0) if decades < 2 else (1.0,)).tick_values(low, high)
    axis.set_major_locator(FixedLocator([tick for tick in major if tick <= top]))
    axis.set_minor_locator(FixedLocator([tick for tick in minor if tick <= top]))
    axis.set_minor_formatter(FuncFormatter(lambda value, _: ""))
    if decades < 2:
        plain = EngFormatter(sep="")
        axis.set_major_formatter(FuncFormatter(lambda value, _: plain(value) if value >= 1 else f"{value:g}"))


def draw_band(axes: Axes, rows: pl.DataFrame, low: str, high: str, stroke: Stroke, **settings: Any) -> None:
    """The area between two columns of the rows over their steps."""
    ends = floats(rows[low]), floats(rows[high])
    axes.fill_between(rows["step"].to_numpy(), *ends, color=stroke.color, alpha=0.2, lw=0, **settings)


def floats(column: pl.Series) -> np.ndarray:
    """Null becomes NaN, which matplotlib leaves out."""
    return column.cast(pl.Float64).fill_null(math.nan).to_numpy()


def end_labels(axes: Axes, labels: Sequence[tuple[float, str, str]]) -> None:
    """Text (y, words, colour) right of the axes, where the lines end; moved apart where it would touch."""
    ordered = sorted(labels)
    axes.autoscale_view()
    to_axes = axes.transData - axes.transAxes
    left = axes.get_xlim()[0]
    wanted = [to_axes.transform((left, y))[1] for y, _, _ in ordered]
    placed = spread(np.array(wanted), LABEL_HEIGHT / (72 * inches(axes)[1]))
    for (_, words, color), y in zip(ordered, placed, strict=True):
        axes.text(1.02, y, words, color=color, transform=axes.transAxes, va="center", ha="left", size="small")


def spread(wanted: np.ndarray, gap: float) -> np.ndarray:
    """The positions nearest to the wanted (increasing) ones, in least squares, that are at least `gap` apart.

    position_i - i gap must not decrease: isotonic regression of wanted_i - i gap, by pooling adjacent violators.
    """
    blocks: list[tuple[float, int]] = []
    for i, value in enumerate(wanted):
        mean, size = value - i * gap, 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        blocks.append((mean, size))
    pooled = [mean for mean, size in blocks for _ in range(size)]
    return np.array(pooled) + gap * np.arange(len(wanted))
