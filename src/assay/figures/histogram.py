"""Histograms with laws over them: how a number is distributed over runs, and how a theory says it should be."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from assay.errors import ConfigError
from assay.figures.axes import NICE, Scale, floats, log_ticks
from assay.figures.panels import PanelDisplay
from assay.figures.style import DASHES, Stroke, Theme, strokes

MARKS = (":", "-.", "--")
"""Dashes of the marks."""


@dataclasses.dataclass(frozen=True, eq=False)
class Histogram(PanelDisplay):
    """Bars without gaps, one histogram for each value of `line`; a row is a bin. Columns of the table:

    low, high                          the ends of the bin; the bins of a line follow each other
    height                             as named by the field: a count, a fraction or a density; null: no bar
    line                               as named by the field
    each of `laws`                     heights of a law in the same bins, a line through the middles of the bins; null:
                                       not drawn there. Bins beyond the data (height 0) show its tails
    each of `marks`                    a place on the x axis, one for each panel and line: a vertical line, dotted

    `histogram.counts` makes such a table. A logarithmic `y_scale` shows no height below half the smallest bar.
    """

    height: str = "fraction"
    line: str | None = None
    laws: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    x_label: str = ""
    y_label: str = ""

    source: ClassVar[str] = "assay.analysis.histogram.counts makes such a table"

    def __post_init__(self) -> None:
        super().__post_init__()
        places = [name for name in (self.panel, self.line) if name]
        for part in self.table.partition_by(places, maintain_order=True) if places else [self.table]:
            bins = part.sort("low")
            if (bins["high"][:-1] != bins["low"][1:]).any():
                raise ConfigError("Histogram.table", "gaps between bins", "a frame whose bins follow each other")

    def needed(self) -> Sequence[str]:
        return [*([self.line] if self.line else []), "low", "high", self.height, *self.laws, *self.marks]

    def keys(self) -> Sequence[str]:
        return [*([self.line] if self.line else []), "low"]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        axes.set(xscale=self.x_scale, yscale=self.y_scale, xlabel=self.x_label, ylabel=self.y_label)
        axes.margins(x=0)
        floor, top = self._limits()
        values = self.table[self.line].to_list() if self.line else ["all"]
        for value, stroke in strokes(values, theme).items():
            part = (rows.filter(pl.col(self.line) == value) if self.line else rows).sort("low")
            if part.is_empty():
                continue
            edges = np.append(floats(part["low"]), floats(part["high"])[-1])
            bars = np.maximum(floats(part[self.height]), floor)
            axes.stairs(bars, edges, baseline=floor, fill=True, color=stroke.color, alpha=0.25)
            name = self.text(self.line, value) if self.line else self.text(self.height)
            axes.stairs(bars, edges, baseline=floor, color=stroke.color, ls=stroke.dash, lw=1.0, label=name)
            self._draw_laws(axes, part, stroke, theme)
        self._draw_marks(axes, rows, theme)
        axes.set_ylim(floor, top)
        for scale, axis in ((self.x_scale, axes.xaxis), (self.y_scale, axes.yaxis)):
            if scale == "log":
                log_ticks(axis)
            else:
                axis.set_major_locator(MaxNLocator(nbins=5, steps=NICE))

    def _limits(self) -> tuple[float, float]:
        """Of the y axis, the same in all panels."""
        columns = [self.table[name].cast(pl.Float64).drop_nulls() for name in (self.height, *self.laws)]
        top = max(max(column, default=0.0) for column in columns) or 1.0
        if self.y_scale == "linear":
            return 0.0, 1.06 * top
        floor = 0.5 * min(columns[0].filter(columns[0] > 0), default=top)
        return floor, top * (top / floor) ** 0.06

    def _draw_laws(self, axes: Axes, part: pl.DataFrame, stroke: Stroke, theme: Theme) -> None:
        """The laws of one histogram: each its own dash, and its own colour where there is one histogram only."""
        low, high = floats(part["low"]), floats(part["high"])
        middle = np.sqrt(low * high) if self.x_scale == "log" else (low + high) / 2
        for i, law in enumerate(self.laws, start=1):
            color = theme.series[i % len(theme.series)]
            dash = DASHES[i % len(DASHES)]
            axes.plot(middle, floats(part[law]), color=stroke.color if self.line else color, ls=dash)
            axes.plot([], [], color=theme.soft if self.line else color, ls=dash, label=self.text(law))

    def _draw_marks(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        """Each its own dash, in the colour of its histogram unless all histograms of the panel share it."""
        colors = strokes(self.table[self.line].to_list(), theme) if self.line else {}
        for i, mark in enumerate(self.marks):
            dash = MARKS[i % len(MARKS)]
            places = rows.select(pl.col(self.line) if self.line else pl.lit("all").alias("line"), mark).drop_nulls()
            if places[mark].n_unique() == 1:
                axes.axvline(places[mark][0], color=theme.soft, ls=dash)
            else:
                for value, place in dict(places.rows()).items():
                    axes.axvline(place, color=colors[value].color, ls=dash)
            if places.height:
                axes.plot([], [], color=theme.soft, ls=dash, label=self.text(mark))
