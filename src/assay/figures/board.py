"""Several displays as one figure, lettered a, b, c; the table beside it is theirs below each other."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import polars as pl
from matplotlib.figure import Figure, SubFigure

from assay.figures.display import Display
from assay.figures.style import DOUBLE, Theme


@dataclasses.dataclass(frozen=True, eq=False)
class Board(Display):
    """Displays in a grid, row by row. Made by `board`; column `part` of its table is the letter of the display.
    `heights` are those of the rows, relative to each other; equal if none."""

    parts: tuple[Display, ...] = ()
    columns: int | None = None
    heights: tuple[float, ...] | None = None

    def needed(self) -> Sequence[str]:
        return ["part"]

    def compose(self, target: Figure | SubFigure, theme: Theme) -> None:
        rows, columns = self.grid()
        cells = target.subfigures(rows, columns, squeeze=False, height_ratios=self.heights).ravel()
        for letter, cell, part in zip(_letters(self.parts), cells, self.parts, strict=False):
            dataclasses.replace(part, title=f"{letter}  {part.title}").compose(cell, theme)
        if self.title:
            target.suptitle(self.title, x=0.005, ha="left")

    def default_size(self) -> tuple[float, float]:
        rows, columns = self.grid()
        return DOUBLE, rows * {1: 3.0, 2: 2.5}.get(columns, 2.2) + (0.3 if self.title else 0.0)

    def grid(self) -> tuple[int, int]:
        columns = self.columns or min(len(self.parts), 3)
        return math.ceil(len(self.parts) / columns), columns


def board(
    *parts: Display,
    title: str = "",
    caption: str = "",
    columns: int | None = None,
    size: tuple[float, float] | None = None,
    heights: tuple[float, ...] | None = None,
) -> Board:
    """The displays as one figure with `columns` of them in a row."""
    lettered = [
        part.table.select(pl.lit(letter).alias("part"), pl.all())
        for letter, part in zip(_letters(parts), parts, strict=True)
    ]
    table = pl.concat(lettered, how="diagonal_relaxed")
    return Board(table, parts=parts, title=title, caption=caption, columns=columns, size=size, heights=heights)


def _letters(parts: Sequence[Display]) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[: len(parts)]
