"""`assay figure FOLDER`: a figure of what a store holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import arg

from assay.cli.grammar import SettingError
from assay.cli.options import QUIET_HINT, Folder, Json, parse
from assay.cli.output import print_json

if TYPE_CHECKING:
    import polars as pl

    from assay.figures import Display
    from assay.store import Store

Kind = Annotated[Literal["times", "survival", "curves"], arg(help="solve times, survival curves or training curves")]
Column = Annotated[str | None, arg(metavar="COLUMN", **QUIET_HINT)]
Words = Annotated[
    tuple[str, ...], arg(metavar="NAME ...", help="of --kind curves; all scalar ones by default", **QUIET_HINT)
]
Where = Annotated[str, arg(metavar="EXPR", help="only runs for which this holds, as in `assay query`", **QUIET_HINT)]
Name = Annotated[str | None, arg(metavar="NAME", help="of the files; the kind by default", **QUIET_HINT)]
Target = Annotated[
    Path | None, arg(metavar="FOLDER", help="where to write; `figures` in the folder by default", **QUIET_HINT)
]
Scale = Literal["linear", "log"]

ROLES = {"times": ("x", "line", "panel"), "survival": ("line", "panel"), "curves": ("panel",)}


def command(
    folder: Folder,
    /,
    *,
    kind: Kind = "times",
    x: Column = None,
    line: Column = None,
    panel: Column = None,
    measures: Words = (),
    where: Where = "",
    x_scale: Scale = "log",
    y_scale: Scale = "linear",
    dark: Annotated[bool, arg(help="write dark versions as well", **QUIET_HINT)] = False,
    out: Target = None,
    name: Name = None,
    json: Json = False,
) -> int:
    """Draws the runs of a sweep: PNG, SVG, PDF, and beside them the table that was drawn (CSV, Parquet).

    Columns are those of `assay query`, by their last part where that is clear.

    For example:

      assay figure out/parity-1a2b3c4d --x n --line k
      assay figure out/parity-1a2b3c4d --kind survival --line width --where "n==50"
      assay figure out/parity-1a2b3c4d --kind curves --measures eval/error train/error --panel k

    Args:
        x: axis of the solve times.
        line: one line for each value.
        panel: one panel for each value.
        x_scale: of the steps of training curves.
        y_scale: of the measure in training curves.
    """
    from assay.cli.targets import open_store

    store = open_store(folder)
    runs = _runs(store, where)
    columns = {role: given for role, given in {"x": x, "line": line, "panel": panel}.items() if given is not None}
    chosen = {role: _column(given, runs) for role, given in columns.items()}
    if unused := [role for role in chosen if role not in ROLES[kind]]:
        raise SettingError(f"--{unused[0]} has no meaning for --kind {kind}, which takes --{', --'.join(ROLES[kind])}")
    display = (
        _curves(store, runs, chosen, measures, x_scale, y_scale) if kind == "curves" else _times(kind, runs, chosen)
    )
    paths = display.save(out if out is not None else Path(folder) / "figures", name or kind, dark=dark)
    if json:
        print_json({"files": paths})
    else:
        print(*paths, sep="\n")
    return 0


def _runs(store: Store, where: str) -> pl.DataFrame:
    from assay.cli.columns import QueryError, filtered

    runs = store.runs()
    if where:
        runs = filtered(runs, where)
    if runs.is_empty():
        raise QueryError(
            f"there is no run to draw in {store.folder}" + (f" for which {where!r} holds" if where else "")
        )
    return runs


def _column(name: str, runs: pl.DataFrame) -> str:
    from assay.cli.columns import find_column

    return find_column(name, runs.columns)


def _times(kind: str, runs: pl.DataFrame, chosen: dict[str, str]) -> Display:
    from assay.report import times

    if kind == "survival":
        return times.survival_display(runs, **chosen)
    x = chosen.pop("x", None) or times.first_scale(runs)
    return times.times_display(runs, x, **chosen)


def _curves(
    store: Store, runs: pl.DataFrame, chosen: dict[str, str], measures: Sequence[str], x_scale: Scale, y_scale: Scale
) -> Display:
    from assay.report import times

    return times.curves_display(store.curves(), runs, chosen.get("panel"), measures, x_scale, y_scale)


def main(args: Sequence[str]) -> int:
    return parse(command, "figure", args)
