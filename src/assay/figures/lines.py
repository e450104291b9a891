"""Lines through points: any two columns against each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, MaxNLocator

from assay.figures.axes import floats, inches, log_ticks
from assay.figures.panels import PanelDisplay
from assay.figures.style import Theme, strokes


@dataclasses.dataclass(frozen=True, eq=False)
class Lines(PanelDisplay):
    """One line for each value of `line`. Columns of the table: x, y, line, as named by the fields.

    With a `curve`, such as a theory, the points are not joined: the column of that name is the line through or beside
    them. Rows may have one of the two alone. `bars` names the two ends of an interval at each point. Without `markers`
    there are lines only, for points that are dense.
    """

    x: str = "x"
    y: str = "y"
    line: str = "line"
    x_scale: Literal["linear", "log"] = "linear"
    y_scale: Literal["linear", "log"] = "linear"
    x_label: str = ""
    y_label: str = ""
    curve: str | None = None
    bars: tuple[str, str] | None = None
    markers: bool = True

    source: ClassVar[str] = ""

    def needed(self) -> Sequence[str]:
        return [self.x, self.y, self.line, *([self.curve] if self.curve else []), *(self.bars or ())]

    def keys(self) -> Sequence[str]:
        return [self.line, self.x]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        axes.set(xscale=self.x_scale, yscale=self.y_scale, xlabel=self.x_label, ylabel=self.y_label)
        for value, stroke in strokes(self.table[self.line].to_list(), theme).items():
            part = rows.filter(pl.col(self.line) == value)
            x, y = part[self.x].to_numpy(), floats(part[self.y])
            dash = "" if self.curve else stroke.dash
            marker = stroke.marker if self.markers else None
            name, points = self.text(self.line, value), bool(np.isfinite(y).any())
            axes.plot(x, y, marker=marker, color=stroke.color, ls=dash, label=name if points else None)
            if self.bars:
                low, high = (floats(part[end]) for end in self.bars)
                axes.vlines(x, low, high, color=stroke.color, lw=0.9)
            if self.curve:
                drawn = part.drop_nulls(self.curve).sort(self.x)
                label = None if points else name  # in the legend a curve alone looks like one
                axes.plot(drawn[self.x], floats(drawn[self.curve]), color=stroke.color, lw=0.8, label=label)
        if self.x_scale == "linear" and (self.table[self.x] >= 1000).any():  # steps, sequences: few ticks, in thousands
            axes.xaxis.set_major_locator(MaxNLocator(nbins=7 if inches(axes)[0] > 2.5 else 4))
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        elif self.x_scale == "linear" and self.table[self.x].dtype.is_integer():
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        for scale, axis in ((self.x_scale, axes.xaxis), (self.y_scale, axes.yaxis)):
            if scale == "log":
                log_ticks(axis)
