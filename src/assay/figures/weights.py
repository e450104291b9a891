"""Weights against steps: the relevant coordinates stand out of the grey rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import polars as pl
from matplotlib.axes import Axes

from assay.figures.axes import Scale, end_labels, floats, step_axis, value_axis
from assay.figures.panels import PanelDisplay
from assay.figures.style import Theme, strokes


@dataclasses.dataclass(frozen=True, eq=False)
class WeightTrajectories(PanelDisplay):
    """One line a coordinate. Columns of the table:

    step, coordinate, value            the weight of a coordinate at a step
    relevant                           bool; relevant coordinates are coloured and named at their ends
    neuron                             if the field `neuron` names one: a number. A panel of several neurons has a
                                       colour for each, its relevant coordinates in a strong stroke
    """

    neuron: str | None = None
    x_scale: Scale = "linear"
    y_label: str = "weight"

    share_x: ClassVar[bool] = False
    share_y: ClassVar[bool] = False

    def needed(self) -> Sequence[str]:
        return [*([self.neuron] if self.neuron else []), "step", "coordinate", "value", "relevant"]

    def keys(self) -> Sequence[str]:
        return [*([self.neuron] if self.neuron else []), "coordinate", "step"]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        step_axis(axes, self.x_scale)
        value_axis(axes, "linear", self.y_label)
        if self.neuron and rows[self.neuron].n_unique() > 1:
            self._draw_layer(axes, rows, self.neuron, theme)
        else:
            self._draw_neuron(axes, rows, theme)

    def _draw_neuron(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
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

    def _draw_layer(self, axes: Axes, rows: pl.DataFrame, neuron: str, theme: Theme) -> None:
        for value, stroke in strokes(rows[neuron].to_list(), theme).items():
            for line in rows.filter(pl.col(neuron) == value).partition_by("coordinate", maintain_order=True):
                looks: dict[str, Any] = (
                    {"lw": 0.9, "zorder": 3} if line["relevant"][0] else {"lw": 0.3, "alpha": 0.3, "zorder": 2}
                )
                axes.plot(line["step"], floats(line["value"]), color=stroke.color, **looks)
            axes.plot([], [], color=stroke.color, label=self.text(neuron, value))
