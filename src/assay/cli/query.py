"""`assay query FOLDER EXPR`: a filter, or SQL."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from assay.cli.options import QUIET_HINT, Folder, Json, parse
from assay.cli.output import print_frame, print_json

if TYPE_CHECKING:
    import polars as pl

    from assay.store import Store

Expression = Annotated[
    str, arg(metavar="[EXPR]", help="a filter of the runs, or SQL; all runs if left out", **QUIET_HINT)
]
Csv = Annotated[bool, arg(help="print CSV", **QUIET_HINT)]
Curves = Annotated[bool, arg(help="print the curves of the runs that a filter leaves, not the runs", **QUIET_HINT)]
Limit = Annotated[int, arg(metavar="N", help="rows of the table; 0: all")]

ALWAYS = ("outcome", "step", "seconds")
"""Columns that a table of runs has even where they are constant."""


def command(
    folder: Folder,
    expression: Expression = "",
    /,
    *,
    curves: Curves = False,
    csv: Csv = False,
    json: Json = False,
    limit: Limit = 40,
) -> int:
    """Prints the runs of a sweep for which an expression holds, or the answer to an SQL query.

    SQL sees the tables `runs` (a row a trial) and `curves` (a row per trial and recorded step). A column can be called
    by its last part (k for task.k) where that is clear; names with a slash are quoted in SQL: "eval/loss".

    The table leaves out columns that are the same in all rows; --csv and --json have them all.

    For example:

      assay query out/parity-1a2b3c4d "k==3 & width>64 & outcome==solved"
      assay query out/parity-1a2b3c4d "select width, median(step) from runs group by width order by width"
      assay query out/parity-1a2b3c4d "lr<1" --curves --csv
    """
    from assay.cli.targets import open_store

    store = open_store(folder)
    sql = expression.lstrip().lower().startswith(("select ", "with ", "show "))
    frame = _sql(store, expression) if sql else _runs(store, expression)
    if curves and not sql:
        frame = store.curves().join(frame.select("trial"), on="trial", how="semi", maintain_order="left")
    if json:
        print_json(frame.to_dicts())
    elif csv:
        sys.stdout.write(frame.write_csv())
    else:
        print_frame(frame if sql or curves else _brief(frame), limit)
    return 0


def _runs(store: Store, expression: str) -> pl.DataFrame:
    from assay.cli.columns import filtered

    runs = store.runs()
    return filtered(runs, expression) if expression.strip() else runs


def _sql(store: Store, query: str) -> pl.DataFrame:
    import polars as pl

    from assay.cli.columns import answered, sql_with_full_names

    runs, curves = store.runs(), store.curves()
    text = sql_with_full_names(query, [*runs.columns, *curves.columns])
    return answered(lambda: pl.SQLContext(runs=runs, curves=curves).execute(text, eager=True), query)


def _brief(runs: pl.DataFrame) -> pl.DataFrame:
    """Without the columns that tell nothing: constant ones and those that are null throughout."""
    told = [name for name in runs.columns if name in ALWAYS or (runs[name].n_unique() > 1 and name != "version")]
    return runs.select(told if runs.height > 1 else runs.columns)


def main(args: Sequence[str]) -> int:
    return parse(command, "query", args)
