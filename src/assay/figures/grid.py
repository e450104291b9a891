"""Training curves over two parameters at once: a panel for each pair of their values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import polars as pl
from matplotlib.figure import Figure, SubFigure

from assay.errors import ConfigError
from assay.figures.curves import TrainingCurves
from assay.figures.style import DOUBLE, Theme


@dataclasses.dataclass(frozen=True, eq=False)
class CurveGrid(TrainingCurves):
    """Training curves in rows and columns that carry the values of the columns `row` and `column` of the table, in
    order of first appearance; every pair must be there. Panels below each other share their steps. The other columns
    are those of `TrainingCurves`."""

    row: str = "row"
    column: str = "column"

    share_x: ClassVar[bool | Literal["col"]] = "col"

    def __post_init__(self) -> None:
        super().__post_init__()
        rows, columns = self._values()
        there = set(self.table.select(self.row, self.column).unique().rows())
        empty = [(row, column) for row in rows for column in columns if (row, column) not in there]
        if empty:
            place = f"nothing at {self.row} = {empty[0][0]}, {self.column} = {empty[0][1]}"
            raise ConfigError("CurveGrid.table", place, "a frame with rows for every pair of their values")

    def needed(self) -> Sequence[str]:
        return [self.row, self.column, *super().needed()]

    def keys(self) -> Sequence[str]:
        return [self.row, self.column, *super().keys()]

    def panels(self) -> list[tuple[str, pl.DataFrame]]:
        """Row by row; only the panels of the first row have a name."""
        rows, columns = self._values()
        return [
            (
                self.text(self.column, column) if row == rows[0] else "",
                self.table.filter(pl.col(self.row) == row, pl.col(self.column) == column),
            )
            for row in rows
            for column in columns
        ]

    def grid(self, count: int) -> tuple[int, int]:
        columns = len(self._values()[1])
        return math.ceil(count / columns), columns

    def default_size(self) -> tuple[float, float]:
        return DOUBLE, 0.75 + max(0.85 * len(self._values()[0]), 1.45)

    def compose(self, target: Figure | SubFigure, theme: Theme) -> None:
        super().compose(target, theme)
        rows, columns = self._values()
        for i, row in enumerate(rows):
            target.axes[i * len(columns)].set_ylabel(self.text(self.row, row), size="medium")

    def _values(self) -> tuple[list[object], list[object]]:
        rows, columns = (self.table[name].unique(maintain_order=True).to_list() for name in (self.row, self.column))
        return rows, columns
