"""The house style: two themes, one type size scale, colours that survive colour blindness and grey print.

Categories take the colours of `Theme.series`, which start from Okabe and Ito (2008) and vary in lightness beyond;
under simulated protanopia, deuteranopia and tritanopia (Machado et al. 2009) they stay apart, and each has a marker and
a dash pattern of its own besides. Ordered parameters (n, k, width) take equal steps of viridis, cut where it would
fade into the paper, and markers. Fonts are those that come with matplotlib.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib
import matplotlib.style
import numpy as np
from cycler import cycler
from matplotlib.colors import to_hex

from assay.errors import UnknownName

SINGLE, DOUBLE = 3.3, 6.8
"""Widths in inches of a figure in one and in two columns of a page."""

DPI = 200
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.4)), (0, (1, 1.1)), (0, (5, 1.2, 1, 1.2)), (0, (2.2, 1)), (0, (7, 1.5)))


@dataclasses.dataclass(frozen=True)
class Theme:
    """Colours by their role; `ordered` is the part of viridis used for ordered parameters."""

    paper: str
    ink: str
    soft: str
    grid: str
    faint: str
    series: tuple[str, ...]
    ordered: tuple[float, float]


THEMES = {
    "light": Theme(
        paper="#ffffff",
        ink="#1a1a1a",
        soft="#595959",
        grid="#e4e4e4",
        faint="#b4b4b4",
        series=("#0072b2", "#d55e00", "#009e73", "#4a1486", "#8c2d04", "#b8578f"),
        ordered=(0.68, 0.0),
    ),
    "dark": Theme(
        paper="#12161c",
        ink="#e8e8e8",
        soft="#a8adb5",
        grid="#2b313a",
        faint="#5c636e",
        series=("#56b4e9", "#f0803c", "#7ff0c8", "#8f6cf0", "#f5e36b", "#c77bb0"),
        ordered=(0.38, 1.0),
    ),
}


@dataclasses.dataclass(frozen=True)
class Stroke:
    """How one series is drawn."""

    color: str
    marker: str
    dash: Any


def theme_named(name: str) -> Theme:
    if name not in THEMES:
        raise UnknownName("theme", name, THEMES)
    return THEMES[name]


def strokes(values: Sequence[Any], theme: Theme) -> dict[Any, Stroke]:
    """One stroke for each different value: numbers are ordered parameters, anything else is a category."""
    distinct = list(dict.fromkeys(values))
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in distinct):
        ends = theme.ordered if len(distinct) > 1 else (theme.ordered[1], theme.ordered[1])
        colors = [to_hex(c) for c in matplotlib.colormaps["viridis"](np.linspace(*ends, len(distinct)))]
        return {v: Stroke(colors[i], MARKERS[i % len(MARKERS)], "-") for i, v in enumerate(sorted(distinct))}
    return {
        v: Stroke(theme.series[i % len(theme.series)], MARKERS[i % len(MARKERS)], DASHES[i % len(DASHES)])
        for i, v in enumerate(distinct)
    }


@contextmanager
def house_style(theme: str = "light") -> Iterator[Theme]:
    """Everything drawn and saved inside has the house style, whatever the user's own matplotlib settings are."""
    colors = theme_named(theme)
    with matplotlib.style.context(["default", _settings(colors)]):
        yield colors


def _settings(theme: Theme) -> dict[str, Any]:
    return {
        "font.family": "DejaVu Sans",
        "mathtext.fontset": "dejavusans",
        "font.size": 7.5,
        "axes.titlesize": 7.5,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.titlepad": 4,
        "axes.labelsize": 7.5,
        "axes.labelpad": 3,
        "xtick.labelsize": 6.5,
        "ytick.labelsize": 6.5,
        "legend.fontsize": 6.5,
        "figure.titlesize": 8.5,
        "figure.titleweight": "bold",
        "figure.dpi": DPI,
        "savefig.dpi": DPI,
        "figure.facecolor": theme.paper,
        "axes.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "text.color": theme.ink,
        "axes.labelcolor": theme.ink,
        "axes.titlecolor": theme.ink,
        "axes.edgecolor": theme.soft,
        "xtick.color": theme.soft,
        "ytick.color": theme.soft,
        "xtick.labelcolor": theme.ink,
        "ytick.labelcolor": theme.ink,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.6,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": theme.grid,
        "grid.linewidth": 0.5,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "xtick.minor.size": 1.5,
        "ytick.minor.size": 1.5,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.minor.width": 0.4,
        "ytick.minor.width": 0.4,
        "lines.linewidth": 1.2,
        "lines.markersize": 3.6,
        "lines.markeredgewidth": 0.7,
        "errorbar.capsize": 1.5,
        "patch.linewidth": 0.0,
        "legend.frameon": False,
        "legend.handlelength": 2.2,
        "legend.columnspacing": 1.4,
        "legend.borderaxespad": 0.3,
        "axes.prop_cycle": cycler(color=theme.series),
        "figure.constrained_layout.use": True,
        "figure.constrained_layout.w_pad": 0.04,
        "figure.constrained_layout.h_pad": 0.04,
        # the same bytes every time: no random ids, fonts embedded as outlines (svg) and as TrueType (pdf)
        "svg.hashsalt": "assay",
        "svg.fonttype": "path",
        "pdf.fonttype": 42,
        "path.simplify": True,
    }
