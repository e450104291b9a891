"""Box plots of solve times against a parameter, on a logarithmic axis of steps."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from assay.figures.axes import Scale, floats, inches, log_ticks, value_ticks
from assay.figures.panels import PanelDisplay
from assay.figures.style import Theme
from assay.figures.times import SMALL, percent

BOX = ("low", "whisker_low", "q25", "q50", "q75", "whisker_high", "high")


@dataclasses.dataclass(frozen=True, eq=False)
class Boxes(PanelDisplay):
    """One box at each x: quartiles, whiskers, crosses at the extremes. Columns of the table:

    x                                  as named by the field
    low, whisker_low, q25, q50, q75, whisker_high, high
                                       the box; null: infinite. A box or whisker that is open above reaches the upper
                                       edge
    solved_fraction                    printed along the lower edge where it is less than 1
    flag                               if the field names one: bool; boxes where it holds are in the second colour, and
                                       the legend calls them by this name, and the others by that of q50
    each of `overlays`                 curves at the same x, for example the expected time of random search

    `boxes.summary` makes such a table.
    """

    x: str = "x"
    flag: str | None = None
    overlays: tuple[str, ...] = ()
    x_scale: Scale = "log"
    y_label: str = "steps until solved"

    source: ClassVar[str] = "assay.analysis.boxes.summary makes such a table"

    def needed(self) -> Sequence[str]:
        return [self.x, *BOX, "solved_fraction", *([self.flag] if self.flag else []), *self.overlays]

    def keys(self) -> Sequence[str]:
        return [self.x]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        axes.set(xscale=self.x_scale, yscale="log", xlabel=self.text(self.x), ylabel=self.y_label)
        bottom, top = self._limits()
        half = self._half_width()
        colors = {False: theme.series[0], True: theme.series[1]}
        flags = rows[self.flag] if self.flag else pl.Series([False] * rows.height)
        for flagged, color in colors.items():
            self._draw_boxes(axes, rows.filter(flags == flagged), color, half, top)
            if self.flag and (self.table[self.flag] == flagged).any():
                name = self.text(self.flag) if flagged else self.text("q50")
                axes.plot([], [], color=color, lw=3, alpha=0.5, label=name)
        self._draw_solved(axes, rows, colors)
        ordered = rows.sort(self.x)
        for i, overlay in enumerate(self.overlays):
            color = theme.series[(2 + i) % len(theme.series)]
            axes.plot(ordered[self.x], floats(ordered[overlay]), color=color, lw=1.0, label=self.text(overlay))
        if self.x_scale == "log":
            value_ticks(axes.xaxis, self.table[self.x].to_list(), most=max(3, int(inches(axes)[0] / 0.3)))
        else:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        axes.set_ylim(bottom, top)
        log_ticks(axes.yaxis)

    def _draw_boxes(self, axes: Axes, part: pl.DataFrame, color: str, half: float, top: float) -> None:
        x = part[self.x].cast(pl.Float64).to_numpy()
        left, right = (x * (1 - half), x * (1 + half)) if self.x_scale == "log" else (x - half, x + half)
        low, whisker_low, q25, q50, q75, whisker_high, high = (floats(part[name]) for name in BOX)
        upper, end = np.where(np.isnan(q75), top, q75), np.where(np.isnan(whisker_high), top, whisker_high)
        line: dict[str, Any] = {"color": color, "lw": 0.8}
        for i in np.flatnonzero(~np.isnan(q25)):
            axes.fill_between([left[i], right[i]], q25[i], upper[i], color=color, alpha=0.25, lw=0)
        for ends in (left, right):
            axes.vlines(ends, q25, upper, **line)
        for height in (q25, q75):
            axes.hlines(height, left, right, **line)
        axes.hlines(q50, left, right, color=color, lw=1.6)
        axes.vlines(x, whisker_low, np.where(np.isnan(q25), whisker_low, q25), **line)
        axes.vlines(x, q75, end, **line)
        for height in (whisker_low, whisker_high):
            axes.hlines(height, x + (left - x) / 2, x + (right - x) / 2, **line)
        for height in (low, high):
            axes.plot(x, height, "x", color=color, ms=3)

    def _draw_solved(self, axes: Axes, rows: pl.DataFrame, colors: dict[bool, str]) -> None:
        """Solved fractions, upright along the lower edge; every other one is higher, as boxes may be close."""
        at: dict[str, Any] = {"xycoords": axes.get_xaxis_transform(), "textcoords": "offset points", "rotation": 90}
        unsolved = rows.filter(pl.col("solved_fraction") < 1).sort(self.x)
        for i, row in enumerate(unsolved.iter_rows(named=True)):
            color = colors[bool(self.flag and row[self.flag])]
            words = percent(row["solved_fraction"])
            axes.annotate(words, (row[self.x], 0), (0, 3 + 20 * (i % 2)), ha="center", color=color, size=SMALL, **at)

    def _limits(self) -> tuple[float, float]:
        """Of the y axis, the same in all panels: boxes and overlays."""
        columns = [self.table[name].cast(pl.Float64).drop_nulls() for name in (*BOX, *self.overlays)]
        drawn = [value for column in columns for value in column if value > 0]
        low, high = min(drawn, default=1.0), max(drawn, default=10.0)
        span = max(high / low, 10.0)
        return low * span**-0.12, high * span**0.06

    def _half_width(self) -> float:
        """Half of the width of a box: a part of x on a logarithmic axis, else a number."""
        places = sorted(self.table[self.x].cast(pl.Float64).unique())
        if len(places) == 1:
            return 0.1
        if self.x_scale == "linear":
            return 0.35 * min(b - a for a, b in itertools.pairwise(places))
        return min(0.7 * (math.sqrt(min(b / a for a, b in itertools.pairwise(places))) - 1), 0.15)
