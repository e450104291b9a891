"""Coefficients against their degree: a closed form beside an enumeration or a measurement."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from assay.figures.axes import floats, log_ticks
from assay.figures.panels import PanelDisplay
from assay.figures.style import Theme, strokes


@dataclasses.dataclass(frozen=True, eq=False)
class Spectrum(PanelDisplay):
    """Sizes on a logarithmic axis; the sign is the marker: up for positive, down for negative. Columns:

    degree                             int
    theory, measured                   signed coefficients; null: none at this degree
    line                               as named by the field

    Large open markers are theory, small filled ones inside them the measurement. What is below `floor` in size is zero
    up to rounding: a cross (theory) or a dot (measured) on the lower edge.
    """

    line: str | None = None
    floor: float = 1e-12
    x_label: str = "degree"
    y_label: str = "size of the coefficient"

    def needed(self) -> Sequence[str]:
        return [*([self.line] if self.line else []), "degree", "theory", "measured"]

    def keys(self) -> Sequence[str]:
        return [*([self.line] if self.line else []), "degree"]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        axes.set(yscale="log", xlabel=self.x_label, ylabel=self.y_label)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        axes.margins(y=0.1)
        values = self.table[self.line].to_list() if self.line else [0]
        for value, stroke in strokes(values, theme).items():
            part = rows.filter(pl.col(self.line) == value) if self.line else rows
            self._draw_signed(axes, part, "theory", stroke.color, face="none", size=6.5)
            self._draw_signed(axes, part, "measured", stroke.color, face=stroke.color, size=2.8)
            if self.line:
                axes.plot([], [], color=stroke.color, lw=2.5, label=self.text(self.line, value))
        key: dict[str, Any] = {"ls": "", "color": theme.soft}
        axes.plot([], [], marker="^", mfc="none", ms=6.5, label=self.text("theory"), **key)
        axes.plot([], [], marker="^", ms=2.8, label=self.text("measured"), **key)
        if (self.table["theory"] < 0).any():
            axes.plot([], [], marker="v", mfc="none", ms=6.5, label="negative", **key)
        if (self.table["theory"].abs() < self.floor).any():
            axes.plot([], [], marker="x", ms=3.5, label="zero", **key)
        log_ticks(axes.yaxis)

    def _draw_signed(self, axes: Axes, rows: pl.DataFrame, column: str, color: str, face: str, size: float) -> None:
        degree, value = rows["degree"].to_numpy(), floats(rows[column])
        for sign, marker in ((1, "^"), (-1, "v")):
            shown = sign * value >= self.floor
            axes.plot(degree[shown], sign * value[shown], marker, color=color, mfc=face, ms=size)
        if face == "none":  # the theory's points are joined, to tell the lines apart where they come close
            nonzero = np.abs(value) >= self.floor
            axes.plot(degree[nonzero], np.abs(value[nonzero]), color=color, lw=0.6, alpha=0.5, zorder=1.5)
        zero = np.abs(value) < self.floor
        if zero.any():
            marker, edge = ("x" if face == "none" else "."), axes.get_xaxis_transform()
            flat = np.zeros(zero.sum())
            axes.plot(degree[zero], flat, marker, color=color, ms=3.5, clip_on=False, transform=edge, zorder=4)
