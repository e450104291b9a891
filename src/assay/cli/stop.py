"""`assay stop FOLDER`: end a running sweep without losing anything."""

from __future__ import annotations

from collections.abc import Sequence

from assay.cli.options import Folder, Json, parse
from assay.cli.output import print_json


def command(folder: Folder, /, *, json: Json = False) -> int:
    """Asks the process at work on a folder to finish its chunk, save and end, as Ctrl-C does.

    The same command that started the sweep goes on where it stopped.
    """
    from assay.store import request_stop

    asked = request_stop(folder)
    if json:
        print_json({"folder": folder, "asked": asked})
    elif asked:
        print(f"asked the process at work on {folder} to save and end")
    else:
        print(f"no process is at work on {folder}")
    return 0


def main(args: Sequence[str]) -> int:
    return parse(command, "stop", args)
