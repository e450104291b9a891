"""A table as a figure: numbers in coloured cells, for example measured over published solve times."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Literal

import matplotlib
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, LinearSegmentedColormap, LogNorm, Normalize
from matplotlib.figure import Figure, SubFigure

from assay.figures.axes import log_ticks
from assay.figures.panels import PanelDisplay
from assay.figures.style import DOUBLE, SINGLE, Theme

NOTHING = "\N{EN DASH}"


@dataclasses.dataclass(frozen=True, eq=False)
class HeatTable(PanelDisplay):
    """One cell for each row of the table. Columns:

    row, column                        where the cell is (fields name them); order of first appearance
    value                              its number, which sets the colour; null: an empty cell with a dash
    text                               optional: printed instead of the number (else formatted as in field `number`)

    With a `centre` colours diverge from it (a ratio from 1) up to the factor, or on a linear `scale` the distance,
    `reach` on either side; without one they run between the `ends`, else from the smallest to the largest value. Panels
    have their colours and their cells in common; a place without a row stays blank. `bar` labels a colour bar below.

    HeatTable(table, panel="k", row="setting", column="batch", value="ratio", bar="measured over published")
    """

    row: str = "row"
    column: str = "column"
    value: str = "value"
    centre: float | None = 1.0
    reach: float = 4.0
    ends: tuple[float, float] | None = None
    scale: Literal["linear", "log"] = "log"
    number: str = ".2f"
    bar: str = ""  # without a label there is none

    def needed(self) -> Sequence[str]:
        return [self.row, self.column, self.value]

    def default_size(self) -> tuple[float, float]:
        rows, columns = self.grid(len(self.panels()))
        cells = self.table[self.row].n_unique(), self.table[self.column].n_unique()
        names = 0.075 * max(len(self.word(name)) for name in self.table[self.row])
        texts = self.table["text"].drop_nulls().to_list() if "text" in self.table.columns else []
        width = 0.4 + names + max(0.42, 0.06 * max(map(len, texts), default=0)) * columns * cells[1]
        return min(max(width, SINGLE), DOUBLE), 0.8 + 0.4 * bool(self.bar) + rows * (0.35 + 0.19 * cells[0])

    def keys(self) -> Sequence[str]:
        return [self.row, self.column]

    def compose(self, target: Figure | SubFigure, theme: Theme) -> None:
        super().compose(target, theme)
        if not self.bar:
            return
        colors, norm = self._colors(theme)
        ends = "both" if self.centre is not None else "neither"
        bar = target.colorbar(
            ScalarMappable(norm, colors), ax=target.axes, location="bottom", extend=ends, shrink=0.6, aspect=40
        )
        bar.set_label(self.bar)
        bar.outline.set_visible(False)
        if self.scale == "log":
            log_ticks(bar.ax.xaxis)

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        names, heads = (self.table[axis].unique(maintain_order=True).to_list() for axis in (self.row, self.column))
        colors, norm = self._colors(theme)
        axes.set_facecolor(theme.grid)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        grid = np.full((len(names), len(heads)), math.nan)
        for cell in rows.iter_rows(named=True):
            i, j = names.index(cell[self.row]), heads.index(cell[self.column])
            number = cell[self.value]
            if number is not None:
                grid[i, j] = number
            words = cell.get("text") or (NOTHING if number is None else format(number, self.number))
            ink = theme.soft if number is None else _ink_on(colors(norm(number)))
            axes.text(j, i, words, ha="center", va="center", color=ink, size=6)
        axes.pcolormesh(
            np.arange(len(heads) + 1) - 0.5, np.arange(len(names) + 1) - 0.5, np.ma.masked_invalid(grid),
            cmap=colors, norm=norm, edgecolors=theme.paper, linewidth=1.0
        )  # fmt: skip
        axes.set_xticks(range(len(heads)), [self.word(head) for head in heads])
        axes.set_yticks(range(len(names)), [self.word(name) for name in names])
        axes.set(xlim=(-0.5, len(heads) - 0.5), ylim=(len(names) - 0.5, -0.5), xlabel=self.text(self.column))

    def _colors(self, theme: Theme) -> tuple[Colormap, Normalize]:
        if self.centre is None:
            numbers = self.table[self.value].drop_nulls().to_list()
            low, high = self.ends or ((min(numbers), max(numbers)) if numbers else (0.5, 1.0))
            if low == high:  # a single value takes the middle colour
                low, high = (low / 2, high * 2) if self.scale == "log" else (low - 1, high + 1)
        elif self.scale == "log":
            low, high = self.centre / self.reach, self.centre * self.reach
        else:
            low, high = self.centre - self.reach, self.centre + self.reach
        norm = (LogNorm if self.scale == "log" else Normalize)(low, high, clip=True)
        if self.centre is None:
            return matplotlib.colormaps["viridis"], norm
        cold, warm = theme.series[:2]
        return LinearSegmentedColormap.from_list("diverging", [cold, theme.paper, warm]), norm


def _ink_on(color: Sequence[float]) -> str:
    """Black or white, whichever has the larger contrast (WCAG relative luminance)."""
    channels = np.asarray(color[:3])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return "black" if linear @ [0.2126, 0.7152, 0.0722] > 0.179 else "white"
