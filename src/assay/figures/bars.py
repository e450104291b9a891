"""Bars: one number for each whole number, such as the lags of a positional encoding, or for each name."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from assay.figures.axes import floats
from assay.figures.panels import PanelDisplay
from assay.figures.style import Theme


@dataclasses.dataclass(frozen=True, eq=False)
class Bars(PanelDisplay):
    """Heights at whole numbers, or at names in their order. Columns of the table:

    x, y                               as named by the fields
    flag                               if the field names one: bool; bars where it holds are in the second colour
    """

    x: str = "x"
    y: str = "y"
    flag: str | None = None
    x_label: str = ""
    y_label: str = ""

    share_y: ClassVar[bool] = False

    def needed(self) -> Sequence[str]:
        return [self.x, self.y, *([self.flag] if self.flag else [])]

    def keys(self) -> Sequence[str]:
        return [self.x]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        axes.set(xlabel=self.x_label, ylabel=self.y_label)
        named = rows[self.x].dtype == pl.String
        x, y = np.arange(len(rows)) if named else rows[self.x].to_numpy(), floats(rows[self.y])
        flags = rows[self.flag].to_numpy() if self.flag else np.zeros(len(x), bool)
        for held, color in ((False, theme.series[0]), (True, theme.series[1])):
            axes.bar(x[flags == held], y[flags == held], color=color, width=0.8)
            if self.flag and (self.table[self.flag] == held).any():
                label = self.text(self.flag) if held else f"not {self.text(self.flag)}"
                axes.plot([], [], color=color, lw=4, label=self.labels.get(f"{self.flag}:{held}", label))
        if named:
            axes.set_xticks(x, [self.word(name) for name in rows[self.x]])
        else:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
        axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
        axes.axhline(0, color=theme.soft, lw=0.5)
