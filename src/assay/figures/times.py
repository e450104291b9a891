"""Solve times against a parameter, with everything that was not solved in sight."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from assay.errors import ConfigError
from assay.figures.axes import floats, inches, log_ticks, value_ticks
from assay.figures.panels import PanelDisplay
from assay.figures.style import Stroke, Theme, strokes

DASH = (0, (3, 2))
SMALL = 5.5
LETTER = 0.05
"""Inches: the width of a letter of that size, with some air."""
EDGE, ROW, ROWS = 0.96, 0.1, 0.45
"""As parts of the axes: where the first row of open triangles is, the height of a row, the most for all rows."""


@dataclasses.dataclass(frozen=True, eq=False)
class SolveTimes(PanelDisplay):
    """A quantile of solve times against `x` on two logarithmic axes, one line for each value of `line`. Columns:

    x, line                            as named by the fields; x > 0
    q50, q50_low, q50_high             the quantile (field `quantile`) and its interval; null: infinite
    solved_fraction                    printed below a point where it is less than 1 and there is room
    each of `overlays`                 further curves at the same x, for example a theory's C(n, k): dashed

    `survival.summary` makes such a table. A line halts where the quantile is infinite; such a point is an open triangle
    along the upper edge with its solved fraction. An interval that is open above ends in an arrow.
    """

    x: str = "task.n"
    line: str | None = "task.k"
    quantile: str = "q50"
    overlays: tuple[str, ...] = ()
    y_label: str = "steps until solved"

    source: ClassVar[str] = "assay.analysis.survival.summary makes such a table"

    def __post_init__(self) -> None:
        super().__post_init__()
        smallest = min(self.table[self.x])
        if smallest <= 0:
            raise ConfigError(f"SolveTimes.table column {self.x}", smallest, "> 0 on a logarithmic axis")

    def needed(self) -> Sequence[str]:
        ends = [f"{self.quantile}{end}" for end in ("", "_low", "_high")]
        return [self.x, *([self.line] if self.line else []), *ends, "solved_fraction", *self.overlays]

    def default_size(self) -> tuple[float, float]:
        width, height = super().default_size()
        return width, height + 0.5  # for the rows of open triangles

    def keys(self) -> Sequence[str]:
        return [*([self.line] if self.line else []), self.x]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        axes.set(xscale="log", yscale="log", xlabel=self.text(self.x), ylabel=self.y_label)
        seen: dict[object, int] = {}
        for name, stroke, part in self._lines(rows, theme):
            self._draw_line(axes, part, name, stroke)
            self._draw_unsolved(axes, part, stroke, seen)
        for overlay in self.overlays:
            axes.plot([], [], color=theme.soft, lw=0.8, ls=DASH, label=self.text(overlay))
        value_ticks(axes.xaxis, self.table[self.x].to_list(), most=max(3, int(inches(axes)[0] / 0.16)))
        axes.margins(x=0.07)
        bottom, scale_top, top = self._limits()
        axes.set_ylim(bottom, top)
        axes.spines["left"].set_bounds(bottom, scale_top)  # the rows of triangles stand off the scale
        log_ticks(axes.yaxis, scale_top)

    def _limits(self) -> tuple[float, float, float]:
        """Lower end, end of the scale, upper end with the rows of open triangles; the same in all panels."""
        ends = [f"{self.quantile}{end}" for end in ("", "_low", "_high")]
        drawn = self.table.select(pl.col([*ends, *self.overlays]).cast(pl.Float64)).unpivot()["value"].drop_nulls()
        low, high = (min(drawn), max(drawn)) if len(drawn) else (1.0, 10.0)
        span = max(high / low, 10.0)
        room = min(ROW * self._most_halted(), ROWS)
        open_above = self.table.filter(pl.col(ends[2]).is_null() & pl.col(ends[0]).is_not_null())
        bottom, scale_top = low * span**-0.06, high * span ** (0.06 if open_above.is_empty() else 0.14)
        return bottom, scale_top, scale_top * (scale_top / bottom) ** (room / (1 - room))

    def _most_halted(self) -> int:
        """The most open triangles above each other at one x."""
        halted = self.table.filter(pl.col(self.quantile).is_null())
        return max(halted.group_by([self.x, *([self.panel] if self.panel else [])]).len()["len"], default=0)

    def _lines(self, rows: pl.DataFrame, theme: Theme) -> list[tuple[str, Stroke, pl.DataFrame]]:
        if self.line is None:
            return [("", strokes([0], theme)[0], rows.sort(self.x))]
        return [
            (self.text(self.line, value), stroke, rows.filter(pl.col(self.line) == value).sort(self.x))
            for value, stroke in strokes(self.table[self.line].to_list(), theme).items()
        ]

    def _draw_line(self, axes: Axes, part: pl.DataFrame, name: str, stroke: Stroke) -> None:
        x = part[self.x].to_numpy()
        middle, low, high = (floats(part[f"{self.quantile}{end}"]) for end in ("", "_low", "_high"))
        axes.plot(x, middle, color=stroke.color, marker=stroke.marker, ls=stroke.dash, label=name)
        open_above = np.isnan(high) & ~np.isnan(middle)
        axes.vlines(x, low, np.where(open_above, middle, high), color=stroke.color, lw=0.9)
        for place, y in zip(x[open_above], middle[open_above], strict=True):
            arrow = {"arrowstyle": "<-", "color": stroke.color, "lw": 0.9, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", (place, y), (0, 13), textcoords="offset points", arrowprops=arrow)
        for overlay in self.overlays:
            axes.plot(x, floats(part[overlay]), color=stroke.color, lw=0.8, ls=DASH, zorder=1.8)

    def _draw_unsolved(self, axes: Axes, part: pl.DataFrame, stroke: Stroke, seen: dict[object, int]) -> None:
        """The solved fraction at its point, or at an open triangle along the edge; `seen` counts those at each x."""
        edge, height = axes.get_xaxis_transform(), min(ROW, ROWS / max(self._most_halted(), 1))
        halo = [withStroke(linewidth=1.5, foreground=axes.get_facecolor())]
        words: dict[str, Any] = {"color": stroke.color, "size": SMALL, "textcoords": "offset points"}
        words |= {"ha": "center", "va": "top", "path_effects": halo}
        free = collections.defaultdict(lambda: math.inf)  # by height: how far right there is room for words
        for x, middle, fraction in part.select(self.x, self.quantile, "solved_fraction").reverse().iter_rows():
            row = -1
            if middle is None:
                row = seen.get(x, 0)
                seen[x] = row + 1
                axes.plot(x, EDGE - height * row, "^", color=stroke.color, mfc="none", transform=edge)
            place, half = self._inches(axes, x), LETTER * len(percent(fraction)) / 2
            if fraction == 1 or place + half > free[row]:
                continue
            free[row] = place - half
            if middle is None:
                axes.annotate(percent(fraction), (x, EDGE - height * row), (0, -3.5), xycoords=edge, **words)
            else:
                axes.annotate(percent(fraction), (x, middle), (0, -4), **words)

    def _inches(self, axes: Axes, x: float) -> float:
        """Where a value of x is drawn."""
        least, most = min(self.table[self.x]), max(self.table[self.x])
        return inches(axes)[0] * 0.88 * math.log(x / least) / math.log(most / least) if most > least else 0.0


def percent(fraction: float) -> str:
    """Rounded down: what was not always solved is never printed as 100 %."""
    return f"{math.floor(fraction * 1000) / 10:g}%"
