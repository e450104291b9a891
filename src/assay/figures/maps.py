"""Attention between positions: as maps of colours, and as lines between the symbols of two layers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from assay.figures.panels import PanelDisplay
from assay.figures.style import DOUBLE, Theme


@dataclasses.dataclass(frozen=True, eq=False)
class AttentionMaps(PanelDisplay):
    """A square of colours for each panel; each panel has its own scale. Columns of the table:

    query, key                         whole numbers: the row and the column of a cell; only those with a row are drawn
    value                              sets the colour, from the smallest of the panel to the largest
    """

    share_x: ClassVar[bool] = True

    def needed(self) -> Sequence[str]:
        return ["query", "key", "value"]

    def keys(self) -> Sequence[str]:
        return ["query", "key"]

    def default_size(self) -> tuple[float, float]:
        rows, columns = self.grid(len(self.panels()))
        return DOUBLE, 0.5 + rows * (0.3 + 0.85 * DOUBLE / columns)

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        query, key = rows["query"].to_numpy(), rows["key"].to_numpy()
        size = int(max(query.max(), key.max())) + 1
        grid = np.full((size, size), np.nan)
        grid[query, key] = rows["value"].to_numpy()
        axes.imshow(np.ma.masked_invalid(grid), cmap="viridis", interpolation="nearest", aspect="equal")
        axes.grid(visible=False)
        axes.set(xlabel="key", ylabel="query")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(integer=True, nbins=4))


@dataclasses.dataclass(frozen=True, eq=False)
class AttentionLinks(PanelDisplay):
    """Symbols in three rows, the inputs of two layers and what comes out, with lines as strong as the attention between
    them. Columns of the table:

    layer                              0 or 1: from the row `layer` up to the next
    query, key                         positions: the line goes from the key below to the query above
    weight                             0 to 1; each query's largest is drawn in full
    symbol                             the symbol at `key`
    """

    share_y: ClassVar[bool] = True

    def needed(self) -> Sequence[str]:
        return ["layer", "query", "key", "weight", "symbol"]

    def keys(self) -> Sequence[str]:
        return ["layer", "query", "key"]

    def default_size(self) -> tuple[float, float]:
        return DOUBLE, 0.5 + 1.5 * self.grid(len(self.panels()))[0]

    def grid(self, count: int) -> tuple[int, int]:
        return count, 1

    def draw(self, axes: Axes, rows: pl.DataFrame, theme: Theme) -> None:
        strongest = pl.col("weight").max().over("layer", "query")
        for layer, query, key, share in (
            rows.select("layer", "query", "key", share=pl.col("weight") / strongest).sort("share").rows()
        ):
            if share > 0.02:
                color = theme.series[layer]
                axes.plot([key, query], [layer, layer + 1], color=color, lw=1.6 * share, alpha=share, zorder=2)
        symbols = rows.group_by("key").agg(pl.col("symbol").first()).sort("key")
        for place, symbol in symbols.rows():
            for row in range(3):
                axes.text(
                    place, row, f"{symbol:g}", ha="center", va="center", zorder=3,
                    bbox={"boxstyle": "circle,pad=0.15", "fc": theme.paper, "ec": theme.soft, "lw": 0.4},
                )  # fmt: skip
        axes.grid(visible=False)
        axes.set_xticks([])
        axes.set_yticks([0.5, 1.5], ["layer 1", "layer 2"])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set(ylim=(-0.3, 2.3), xlabel="position")
