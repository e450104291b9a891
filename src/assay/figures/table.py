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
from matplotlib.colors import Colormap, LinearSegmentedColormap, LogNorm, Normalize

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
    `reach` on either side; without one they run from the smallest to the largest value.
    """

    row: str = "row"
    column: str = "column"
    value: str = "value"
    centre: float | None = 1.0
    reach: float = 4.0
    scale: Literal["linear", "log"] = "log"
    number: str = ".2f"

    def needed(self) -> Sequence[str]:
        return [self.row, self.column, self.value]

    def default_size(self) -> tuple[float, float]:
        rows, columns = self.grid(len(self.panels()))
        cells = self.table[self.row].n_unique(), self.table[self.column].n_unique()
        names = 0.075 * max(len(self.word(name)) for name in self.table[self.row])
        width = 0.4 + names + 0.42 * columns * cells[1]
        return min(max(width, SINGLE), DOUBLE), 0.8 + rows * (0.35 + 0.19 * cells[0])

    def keys(self) -> Sequence[str]:
        return [self.row, self.column]

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
            low, high = (min(numbers), max(numbers)) if numbers else (0.5, 1.0)
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
