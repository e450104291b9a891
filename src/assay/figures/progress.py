"""A measure of progress against steps under two or more conditions, for example signal against pure noise."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import polars as pl
from matplotlib.axes import Axes

from assay.figures.axes import Scale, draw_band, floats, step_axis, value_axis
from assay.figures.panels import PanelDisplay
from assay.figures.style import Theme, strokes


@dataclasses.dataclass(frozen=True, eq=False)
class ProgressMeasure(PanelDisplay):
    """Median and quantile band over runs, one line for each value of `line`. Columns of the table:

    line                               as named by the field
    step, q10, q50, q90                the band (field `band` names its low, middle and high column)
    mark                               if the field `mark` names one: a step, one in each panel, as a vertical line

    `bands.quantile_band` makes such a table.
    """

    line: str = "condition"
    band: tuple[str, str, str] = ("q10", "q50", "q90")
    mark: str | None = None
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    y_label: str = ""

    source: ClassVar[str] = "assay.analysis.bands.quantile_band makes such a table"

    def needed(self) -> Sequence[str]:
        return [self.line, "step", *self.band, *([self.mark] if self.mark else [])]

    def keys(self) -> Sequence[str]:
        return [self.line, "step"]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        step_axis(axes, self.x_scale)
        value_axis(axes, self.y_scale, self.y_label)
        low, middle, high = self.band
        for value, stroke in strokes(self.table[self.line].to_list(), theme).items():
            part = rows.filter(pl.col(self.line) == value)
            draw_band(axes, part, low, high, stroke)
            label = self.text(self.line, value)
            axes.plot(part["step"], floats(part[middle]), color=stroke.color, ls=stroke.dash, label=label)
        if self.mark and rows[self.mark].is_not_null().any():
            mark = rows[self.mark].drop_nulls()[0]
            axes.axvline(mark, color=theme.soft, lw=0.8, ls=":", label=self.text(self.mark))
