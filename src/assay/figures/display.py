"""The base of all displays: a table that was checked, and the ways to show and save a drawing of it."""

from __future__ import annotations

import abc
import base64
import dataclasses
import html
import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import polars as pl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure

from assay.errors import ConfigError
from assay.figures import export
from assay.figures.style import Theme, house_style


@dataclasses.dataclass(frozen=True, eq=False)
class Display(abc.ABC):
    """A table and how to draw it: title and caption, `size` in inches (width, height) where the default does not do.

    Drawing computes nothing: what a figure shows are rows of its table. Notebooks show the object itself.
    """

    table: pl.DataFrame
    _: dataclasses.KW_ONLY
    title: str = ""
    caption: str = ""
    size: tuple[float, float] | None = None

    source: ClassVar[str] = ""
    """What makes such a table; the end of the error message about a wrong one."""

    def __post_init__(self) -> None:
        needed = list(dict.fromkeys(self.needed()))
        missing = [column for column in needed if column not in self.table.columns]
        where = f"{type(self).__name__}.table"
        if missing:
            advice = f"missing: {', '.join(missing)}" + (f"; {self.source}" if self.source else "")
            raise ConfigError(where, self.table.columns, f"a frame with the columns {', '.join(needed)}", advice)
        if self.table.is_empty():
            raise ConfigError(where, "no row", "a frame with at least one row")
        nested = [name for name, dtype in self.table.schema.items() if dtype.is_nested()]
        if nested:
            advice = "explode or drop them"
            raise ConfigError(where, nested, "a frame of plain columns, which a csv file can hold", advice)

    @abc.abstractmethod
    def needed(self) -> Sequence[str]:
        """The columns the table must have."""

    @abc.abstractmethod
    def default_size(self) -> tuple[float, float]:
        """Width and height in inches."""

    @abc.abstractmethod
    def compose(self, target: Figure | SubFigure, theme: Theme) -> None:
        """Draws everything into an empty figure; called inside the house style."""

    def plot(self, into: Figure | SubFigure | None = None, theme: str = "light") -> Figure:
        """Draws into a new figure, or into a figure or a part of one."""
        with house_style(theme) as colors:
            target = new_figure(self.size or self.default_size()) if into is None else into
            self.compose(target, colors)
        return root_figure(target)

    def save(
        self, folder: str | os.PathLike[str], name: str, formats: Sequence[str] = export.FORMATS, dark: bool = False
    ) -> tuple[Path, ...]:
        """Writes table, caption and pictures (see `export`); the paths of what was written."""
        export.check(name, formats)
        files = {f"{name}.{kind}": content for kind, content in export.tables(self.table).items()}
        files[f"{name}.md"] = f"# {self.title or name}\n\n{self.caption}\n".encode()
        for theme, ending in (("light", ""), ("dark", ".dark"))[: 1 + dark]:
            for kind in formats:
                files[f"{name}{ending}.{kind}"] = self.picture(kind, theme)
        return export.write(folder, files)

    def picture(self, kind: str = "png", theme: str = "light") -> bytes:
        """The bytes of the picture as png, svg or pdf."""
        with house_style(theme):
            return export.picture(self.plot(theme=theme), kind)

    def _repr_png_(self) -> bytes:
        return self.picture()

    def _repr_html_(self) -> str:
        width = 1.5 * (self.size or self.default_size())[0]  # a screen is read from further away than a page
        data = base64.b64encode(self.picture()).decode()
        look = f"width:{width:g}in;max-width:100%"
        image = f'<img alt="{html.escape(self.title)}" style="{look}" src="data:image/png;base64,{data}">'
        return f"<figure>{image}<figcaption>{html.escape(self.caption)}</figcaption></figure>"


def new_figure(size: tuple[float, float]) -> Figure:
    """A figure of its own, outside pyplot; to be called inside `house_style`."""
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)
    return figure


def root_figure(target: Figure | SubFigure) -> Figure:
    figure = target.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure
