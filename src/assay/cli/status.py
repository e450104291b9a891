"""`assay status FOLDER`: where a sweep stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from assay.cli.options import Folder, Json, parse
from assay.cli.output import print_json


def command(folder: Folder, /, *, json: Json = False) -> int:
    """Says where the sweep of a folder stands, from any shell and at any time.

    Counts the trials that are solved, censored (budget spent), diverged, failed, running and waiting, and says whether
    a process is at work.
    """
    from assay.store import status

    found = status(folder)
    if json:
        counts = {"done": found.done, "waiting": found.waiting}
        print_json({"folder": folder, **dataclasses.asdict(found), **counts})
        return 0
    print(found.line())
    if found.alive and found.process:
        print(f"{found.process} is at work; `assay stop {folder}` asks it to save and end")
    return 0


def main(args: Sequence[str]) -> int:
    return parse(command, "status", args)
