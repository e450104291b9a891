"""Weights against steps: the relevant coordinates stand out of the grey rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import polars as pl
from matplotlib.axes import Axes

from assay.figures.axes import Scale, end_labels, floats, step_axis, value_axis
from assay.figures.panels import PanelDisplay
from assay.figures.style import Theme


@dataclasses.dataclass(frozen=True, eq=False)
class WeightTrajectories(PanelDisplay):
    """One line a coordinate. Columns of the table:

    step, coordinate, value            the weight of a coordinate at a step
    relevant                           bool; relevant coordinates are coloured and named at their ends
    """

    x_scale: Scale = "linear"
    y_label: str = "weight"

    share_x: ClassVar[bool] = False

    def needed(self) -> Sequence[str]:
        return ["step", "coordinate", "value", "relevant"]

    def keys(self) -> Sequence[str]:
        return ["coordinate", "step"]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        step_axis(axes, self.x_scale)
        value_axis(axes, "linear", self.y_label)
        rest = rows.filter(~pl.col("relevant")).partition_by("coordinate", maintain_order=True)
        for line in rest:
            axes.plot(line["step"], floats(line["value"]), color=theme.faint, lw=0.5, zorder=2)
        ends = [(0.0, f"{len(rest)} others", theme.soft)] if rest else []
        relevant = rows.filter("relevant").partition_by("coordinate", maintain_order=True)
        for i, line in enumerate(relevant):
            color = theme.series[i % len(theme.series)]
            axes.plot(line["step"], floats(line["value"]), color=color, zorder=3)
            ends.append((float(line["value"][-1]), f"$w_{{{line['coordinate'][0]}}}$", color))
        end_labels(axes, ends)
