"""`assay claims`: the ledger."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from assay.cli.codes import FAILED
from assay.cli.options import QUIET_HINT, Json, parse
from assay.cli.output import print_json, print_table, say, with_interval

if TYPE_CHECKING:
    from assay.studies.claims import Entry

Study = Annotated[str | None, arg(metavar="STUDY", help="only this study", **QUIET_HINT)]
AtScale = Annotated[str | None, arg(metavar="SCALE", help="only this scale: smoke, desk or paper", **QUIET_HINT)]
Results = Annotated[
    Path | None,
    arg(metavar="DIR", help="where results lie; ./out and those of the package by default", **QUIET_HINT),
]


def command(*, study: Study = None, scale: AtScale = None, results: Results = None, json: Json = False) -> int:
    """Prints every claim of the papers and what the newest numbers say of it: holds, fails, or undecided.

    Ends with 1 if a claim fails; a statement that is wrong as printed (errata) is expected to.
    """
    from assay.cli.catalogue import find_study
    from assay.studies.ledger import contradicted, ledger

    entries = ledger(results, find_study(study)[0].name if study else None, scale)
    if json:
        print_json([entry.to_json() for entry in entries])
    else:
        print_verdicts(entries)
        say("`assay show CLAIM` has the criterion of each scale; --json has everything")
    return FAILED if contradicted(entries) else 0


def print_verdicts(entries: Sequence[Entry]) -> None:
    """The verdict table on stdout; how many of each on stderr."""
    several = len({entry.study for entry in entries}) > 1
    rows = []
    for entry in entries:
        said = entry.statement + (" (as printed: expected to fail)" if entry.kind == "errata" else "")
        row = [entry.id, entry.scale, entry.verdict, with_interval(entry.value, entry.interval), said]
        rows.append([entry.study, *row] if several else row)
    print_table([*(["study"] if several else []), "claim", "scale", "verdict", "value", "statement"], rows)
    counts = collections.Counter(entry.verdict for entry in entries)
    words = {"holds": "hold", "undecided": "undecided", "fails": "fail"}
    printed = sum(entry.verdict == "fails" and entry.kind == "errata" for entry in entries)
    said = ", ".join(f"{counts[verdict]} {word}" for verdict, word in words.items() if counts[verdict])
    say(f"{len(entries)} claims: {said}" + (f" ({printed} of them wrong as printed)" if printed else ""))


def main(args: Sequence[str]) -> int:
    return parse(command, "claims", args)
