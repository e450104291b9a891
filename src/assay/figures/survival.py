"""Survival curves: the fraction of runs not solved yet, against steps."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import polars as pl
from matplotlib.axes import Axes

from assay.figures.axes import Scale, draw_band, floats, log_ticks, step_axis
from assay.figures.panels import PanelDisplay
from assay.figures.style import Theme, strokes


@dataclasses.dataclass(frozen=True, eq=False)
class SurvivalCurves(PanelDisplay):
    """Kaplan-Meier curves with their bands, one for each value of `line`. Columns of the table:

    line                               as named by the field
    step, survival                     the step function: `survival` holds from `step` on
    survival_low, survival_high        its band; null: none
    censored                           runs that left at this step without being solved: a tick across the line

    `survival.curve` makes such a table.
    """

    line: str | None = None
    x_scale: Scale = "log"
    x_label: str = "step"
    y_label: str = "not yet solved"

    source: ClassVar[str] = "assay.analysis.survival.curve makes such a table"

    def needed(self) -> Sequence[str]:
        lines = [self.line] if self.line else []
        return [*lines, "step", "survival", "survival_low", "survival_high", "censored"]

    def keys(self) -> Sequence[str]:
        return [*([self.line] if self.line else []), "step"]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        steps = self.table.filter(pl.col("step") > 0)["step"].to_list()
        scale = self.x_scale if steps else "linear"  # where nothing happens after step 0 there is no logarithm
        step_axis(axes, scale)
        axes.set_xlabel(self.x_label)
        values = self.table[self.line].to_list() if self.line else [0]
        for value, stroke in strokes(values, theme).items():
            part = rows.filter(pl.col(self.line) == value) if self.line else rows
            name = self.text(self.line, value) if self.line else ""
            at, survival = part["step"].to_numpy(), floats(part["survival"])
            draw_band(axes, part, "survival_low", "survival_high", stroke, step="post")
            axes.plot(at, survival, color=stroke.color, ls=stroke.dash, drawstyle="steps-post", label=name)
            left = part["censored"].to_numpy() > 0
            if left.any():
                axes.plot(at[left], survival[left], "|", color=stroke.color, ms=5, clip_on=False)
        if scale == "log":
            axes.set_xscale("log", nonpositive="clip")  # the curve comes in from step 0, beyond the left edge
            axes.set_xlim(0.8 * min(steps), 1.05 * max(steps))
            log_ticks(axes.xaxis)
        axes.set(ylim=(0, 1.02), ylabel=self.y_label)
