"""Where things are printed: data on stdout, as a table or as JSON; everything else on stderr."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

COLOURS = {"holds": "green", "fails": "bold red", "undecided": "yellow", "yes": "green", "no": "red"}
UNBOUNDED = 100_000
"""Columns of a stdout that is no terminal: a table in a file is never cut or folded."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def print_json(data: Any) -> None:
    """Strict JSON: what is not finite is null."""
    print(json.dumps(plain(data), indent=2, allow_nan=False))


def plain(data: Any) -> Any:
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {str(key): plain(item) for key, item in data.items()}
    if isinstance(data, (list, tuple)):
        return [plain(item) for item in data]
    return str(data) if isinstance(data, Path) else data


def console() -> Console:
    """Colours only where a terminal shows them and NO_COLOR does not forbid it."""
    from rich.console import Console

    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else UNBOUNDED, highlight=False)


def heading(text: str) -> None:
    console().print(text, style="bold", markup=False)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Numbers to the right, text to the left, verdicts in colour."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    rows = [list(row) for row in rows]
    table = Table(box=SIMPLE_HEAD, show_edge=False)
    for i, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[i], (int, float, type(None))) for row in rows)
        table.add_column(Text(column), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        cells = [word(item) for item in row]
        table.add_row(*(Text(cell, style=COLOURS.get(cell, "")) for cell in cells))
    screen = console()
    with screen.capture() as captured:
        screen.print(table)
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def print_facts(facts: Mapping[str, Any]) -> None:
    """Names and what they are, one a line."""
    width = max(map(len, facts), default=0) + 2
    for name, item in facts.items():
        if isinstance(item, list):
            item = ", ".join(map(word, item)) or "none"
        print(f"{name:{width}}{f'{item:.12g}' if isinstance(item, float) else word(item)}")


def print_frame(frame: pl.DataFrame, limit: int = 0) -> None:
    """A frame as a table, at most `limit` rows of it where that is not 0."""
    shown = frame.head(limit) if limit else frame
    print_table(shown.columns, shown.iter_rows())
    if shown.height < frame.height:
        say(f"{frame.height - shown.height:,} more rows; --limit 0 shows all, --csv and --json print all")


def word(item: Any) -> str:
    """A cell."""
    if item is None:
        return "-"
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, int):
        return str(item)
    if isinstance(item, float):
        return f"{item:.5g}" if abs(item) < 1e5 or not math.isfinite(item) else f"{item:.6g}"
    return str(item)


def with_interval(value: float | None, interval: Sequence[float | None] | None, form: str = ".4g") -> str:
    """1,230 [1,100, 1,400]; an end that is not known, or infinite, is a dash."""
    if value is None:
        return "-"
    ends = ", ".join("-" if end is None else format(end, form) for end in interval) if interval else ""
    return f"{format(value, form)} [{ends}]" if ends else format(value, form)
