"""Training curves: single runs in a light stroke, the median over runs and its band in a strong one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl
from matplotlib.axes import Axes

from assay.figures.axes import Scale, draw_band, floats, step_axis, value_axis
from assay.figures.panels import PanelDisplay
from assay.figures.style import Theme, strokes


@dataclasses.dataclass(frozen=True, eq=False)
class TrainingCurves(PanelDisplay):
    """Loss, error or accuracy against steps, one panel a setting. Columns of the table:

    measure           str; one colour each, for example "eval/loss" and "eval/error"
    trial             str or null; with a trial the row is a point of this run, without one of the summary
    step, value       the point
    low, high         the ends of the band at a summary row; null: no band there
    chance            optional; the value of guessing, one in each panel: a dotted line

    `bands.examples_and_band` makes such a table. Single runs are drawn light where their measure has a summary. On a
    logarithmic axis step 0 cannot be shown.
    """

    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    y_label: str = ""

    share_x: ClassVar[bool | Literal["col"]] = False
    source: ClassVar[str] = "assay.analysis.bands.examples_and_band makes such a table"

    def needed(self) -> Sequence[str]:
        return ["measure", "trial", "step", "value", "low", "high"]

    def keys(self) -> Sequence[str]:
        return ["measure", "trial", "step"]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        step_axis(axes, self.x_scale)
        value_axis(axes, self.y_scale, self.y_label)
        for measure, stroke in strokes(self.table["measure"].to_list(), theme).items():
            points = rows.filter(measure=measure)
            runs = points.drop_nulls("trial").partition_by("trial", maintain_order=True)
            summary = points.filter(pl.col("trial").is_null())
            width, alpha = (0.6, 0.45) if summary.height else (1.0, 1.0)
            for run in runs:
                axes.plot(run["step"], floats(run["value"]), color=stroke.color, ls=stroke.dash, lw=width, alpha=alpha)
            if summary.height:
                draw_band(axes, summary, "low", "high", stroke)
                axes.plot(summary["step"], floats(summary["value"]), color=stroke.color, ls=stroke.dash, zorder=3)
            axes.plot([], [], color=stroke.color, ls=stroke.dash, label=self.text("measure", measure))
        if "chance" in rows.columns and rows["chance"].is_not_null().any():
            chance = rows["chance"].drop_nulls()[0]
            axes.axhline(chance, color=theme.soft, lw=0.8, ls=":", zorder=1.5, label=self.text("chance"))
