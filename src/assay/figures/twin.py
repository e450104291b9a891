"""Two quantities of one run against the same steps: what stands still, and what moves meanwhile."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from assay.figures.axes import NICE, Scale, floats, step_axis, value_axis
from assay.figures.panels import PanelDisplay
from assay.figures.style import Stroke, Theme, strokes


@dataclasses.dataclass(frozen=True, eq=False)
class TwinCurves(PanelDisplay):
    """Each quantity on an axis of its own colour: the left ones alike in all panels, the right ones from 0 to each
    panel's own height. Columns of the table:

    step
    left, right                        as named by the fields; null: not measured at this step
    each of `marks`                    a step, one in each panel; null: none. A vertical line
    """

    left: str = "loss"
    right: str = "movement"
    marks: tuple[str, ...] = ()
    x_scale: Scale = "linear"
    y_label: str = ""

    share_x: ClassVar[bool] = False

    def needed(self) -> Sequence[str]:
        return ["step", self.left, self.right, *self.marks]

    def keys(self) -> Sequence[str]:
        return ["step"]

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        step_axis(axes, self.x_scale)
        value_axis(axes, "linear", self.y_label)
        other = axes.twinx()
        named = strokes([self.left, self.right], theme)
        for name, of in ((self.left, axes), (self.right, other)):
            part, stroke = rows.drop_nulls(name).sort("step"), named[name]
            of.plot(part["step"], floats(part[name]), color=stroke.color, ls=stroke.dash, lw=1.0)
            of.tick_params(axis="y", colors=stroke.color)
            axes.plot([], [], color=stroke.color, ls=stroke.dash, label=self.text(name))
        _right_axis(other, named[self.right])
        for i, mark in enumerate(self.marks):
            dash = (":", "-.")[i % 2]
            for place in rows[mark].drop_nulls()[:1]:
                axes.axvline(place, color=theme.soft, lw=0.8, ls=dash)
            axes.plot([], [], color=theme.soft, lw=0.8, ls=dash, label=self.text(mark))


def _right_axis(axes: Axes, stroke: Stroke) -> None:
    axes.set_label("<twin>")
    axes.grid(visible=False)
    axes.spines["right"].set(visible=True, color=stroke.color)
    axes.margins(x=0)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, steps=NICE))
