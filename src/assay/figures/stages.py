"""Curves over a background that is coloured by the stage of training."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter, MaxNLocator

from assay.figures.axes import NICE, floats, inches
from assay.figures.panels import PanelDisplay
from assay.figures.style import Theme, strokes


@dataclasses.dataclass(frozen=True, eq=False)
class StageCurves(PanelDisplay):
    """One line for each value of `line`, and behind them the stage at every x. Columns of the table:

    x, line, y                         as named by the fields
    stage                              a value of `line`, whose colour the background has from this x to the next; null:
                                       none. The same in all lines of a panel
    each of `levels`                   a height, one in each panel: a dotted line; null: none
    """

    x: str = "sequences"
    y: str = "value"
    line: str = "strategy"
    levels: tuple[str, ...] = ()
    x_label: str = "training sequences"
    y_label: str = ""
    top: float | None = None

    share_x: ClassVar[bool | Literal["col"]] = False

    def needed(self) -> Sequence[str]:
        return [self.x, self.line, self.y, "stage", *self.levels]

    def keys(self) -> Sequence[str]:
        return [self.line, self.x]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        lines = strokes(self.table[self.line].to_list(), theme)
        for value, stroke in lines.items():
            part = rows.filter(pl.col(self.line) == value).sort(self.x)
            axes.plot(part[self.x], floats(part[self.y]), color=stroke.color, ls=stroke.dash)
            axes.plot([], [], color=stroke.color, ls=stroke.dash, label=self.text(self.line, value))
        stages = rows.unique(self.x, keep="first").sort(self.x).select(self.x, "stage").rows()
        for (start, stage), (end, _) in itertools.pairwise(stages):
            if stage is not None:
                axes.axvspan(start, end, color=lines[stage].color, alpha=0.13, lw=0, zorder=0)
        for i, level in enumerate(self.levels):
            dash = (":", "-.")[i % 2]
            for height in rows[level].drop_nulls()[:1]:
                axes.axhline(height, color=theme.soft, lw=0.8, ls=dash)
                axes.plot([], [], color=theme.soft, lw=0.8, ls=dash, label=self.text(level))
        axes.set(xlabel=self.x_label, ylabel=self.y_label)
        axes.margins(x=0)
        axes.set_ylim(bottom=0, top=self.top)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6 if inches(axes)[0] > 2 else 4, steps=NICE))
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
