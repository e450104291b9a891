"""Small multiples: one panel for each value of a column, all with the same strokes, one legend below them."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure

from assay.errors import ConfigError
from assay.figures.display import Display, root_figure
from assay.figures.style import DOUBLE, SINGLE, Theme, house_style


@dataclasses.dataclass(frozen=True, eq=False)
class PanelDisplay(Display):
    """A display that says which columns it needs and draws the rows of one panel.

    `panel` names the column of the panels (none: a single one), in order of first appearance; `columns` is their number
    in a row. `labels` replaces names of columns and values by the words to print.
    """

    panel: str | None = None
    columns: int | None = None
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)

    share_x: ClassVar[bool | Literal["col"]] = True
    share_y: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        name = type(self).__name__
        if self.panel is not None and self.panel not in self.table.columns:
            raise ConfigError(f"{name}.panel", self.panel, f"one of {', '.join(self.table.columns)}")
        keys = [*self.keys(), *([self.panel] if self.panel else [])]
        for key in keys:
            if key != "trial" and self.table[key].has_nulls():
                raise ConfigError(f"{name}.table", f"null in {key!r}", "a frame with a value in every key column")
        twice = self.table.filter(self.table.select(keys).is_duplicated())
        if twice.height:
            allowed = f"a frame with one row for each {', '.join(keys)}"
            raise ConfigError(f"{name}.table", twice.row(0), allowed, "filter it, or give a panel or line column")

    @abc.abstractmethod
    def keys(self) -> Sequence[str]:
        """The columns that say where a row is drawn, besides `panel`: no two rows may agree in all of them."""

    @abc.abstractmethod
    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        """Draws the rows of one panel, and names and scales its axes."""

    def plot(self, into: Figure | SubFigure | Axes | None = None, theme: str = "light") -> Figure:
        """Draws into a new figure, a figure or a part of one, or, where there is one panel only, into given axes."""
        if not isinstance(into, Axes):
            return super().plot(into, theme)
        panels = self.panels()
        if len(panels) > 1:
            advice = "give a figure or a subfigure instead"
            raise ConfigError("into", f"one Axes for {len(panels)} panels", "a figure with room for all panels", advice)
        with house_style(theme) as colors:
            self.draw(into, panels[0][1], colors)
            into.set_title(self.title or panels[0][0])
            entries = _entries([into])
            if len(entries) > 1:
                into.legend(list(entries.values()), list(entries))
        parent = into.get_figure(root=False)
        assert parent is not None
        return root_figure(parent)

    def compose(self, target: Figure | SubFigure, theme: Theme) -> None:
        panels = self.panels()
        rows, columns = self.grid(len(panels))
        cells = target.subplots(rows, columns, sharex=self.share_x, sharey=self.share_y, squeeze=False).ravel().tolist()
        for axes in cells[len(panels) :]:
            axes.remove()
        cells = cells[: len(panels)]
        for (name, part), axes in zip(panels, cells, strict=True):
            self.draw(axes, part, theme)
            axes.set_title(name)
        if len(cells) > 1:
            target.supylabel(cells[0].get_ylabel(), size="medium")
            for i, axes in enumerate(cells):
                lowest = i + columns >= len(cells)
                axes.set(ylabel="", xlabel=axes.get_xlabel() if lowest else "")
                axes.tick_params(labelbottom=lowest or not self.share_x)
        entries = _entries(cells)
        if len(entries) > 1:
            across = self._legend_columns(target, list(entries))
            target.legend(list(entries.values()), list(entries), loc="outside lower center", ncols=across)
        if self.title:
            target.suptitle(self.title, x=0.01, ha="left")

    def panels(self) -> list[tuple[str, pl.DataFrame]]:
        """The name and the rows of each panel."""
        if self.panel is None:
            return [("", self.table)]
        parts = self.table.partition_by(self.panel, maintain_order=True)
        return [(self.text(self.panel, part[self.panel][0]), part) for part in parts]

    def grid(self, count: int) -> tuple[int, int]:
        """Rows and columns for so many panels: at most four in a row, and rows as equal as can be."""
        columns = self.columns or math.ceil(count / math.ceil(count / 4))
        return math.ceil(count / columns), min(count, columns)

    def default_size(self) -> tuple[float, float]:
        rows, columns = self.grid(len(self.panels()))
        if rows * columns == 1:
            return SINGLE, 2.5
        return DOUBLE, 0.75 + rows * {1: 2.6, 2: 2.3, 3: 1.8}.get(columns, 1.45)

    def text(self, column: str, value: object | None = None) -> str:
        """The words for a column, or for one of its values: k = 3 for a number, a text as it is."""
        name = self.labels.get(column, column.rsplit(".", 1)[-1].replace("_", " "))
        if value is None:
            return name
        number = isinstance(value, int | float) and str(value) not in self.labels
        return f"{name} = {self.word(value)}" if number else self.word(value)

    def word(self, value: object) -> str:
        """The words for a value alone."""
        if str(value) in self.labels:
            return self.labels[str(value)]
        return f"{value:,}" if isinstance(value, int | float) else str(value)

    def _legend_columns(self, target: Figure | SubFigure, names: Sequence[str]) -> int:
        """As many entries side by side as fit, in rows as equal as can be."""
        room = target.bbox.width / root_figure(target).dpi - 0.1
        widths = [0.40 + 0.048 * len(name) for name in names]  # inches: handle and gaps, and the letters
        fitting = len(names) if sum(widths) <= room else max(1, int(room / max(widths)))
        return math.ceil(len(names) / math.ceil(len(names) / fitting))


def _entries(cells: Sequence[Axes]) -> dict[str, Artist]:
    """The first handle of each label."""
    entries: dict[str, Artist] = {}
    for axes in cells:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    return entries
