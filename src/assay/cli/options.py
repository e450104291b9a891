"""Options that several commands share, and the one way in which commands are parsed."""

from __future__ import annotations

import contextlib
import functools
import io
import re
import shutil
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import FlagCreatePairsOff, HelptextFromCommentsOff, arg

MARKERS = (FlagCreatePairsOff, HelptextFromCommentsOff)
QUIET_HINT = {"help_behavior_hint": ""}

Json = Annotated[bool, arg(help="print JSON", **QUIET_HINT)]
Yes = Annotated[bool, arg(help="start even if there are more trials than the guard allows", **QUIET_HINT)]
Engine = Annotated[str, arg(metavar="NAME", help="what trains: auto, or the name of an engine")]
Threads = Annotated[int | None, arg(metavar="N", help="threads; all cores by default", **QUIET_HINT)]
Quiet = Annotated[bool, arg(help="no progress on stderr", **QUIET_HINT)]
Scale = Annotated[str, arg(metavar="SCALE", help="smoke (seconds), desk (minutes to two hours) or paper")]
Folder = Annotated[str, arg(metavar="FOLDER", help="folder of a sweep, or its address in a bucket", **QUIET_HINT)]
Out = Annotated[
    Path | None, arg(metavar="FOLDER", help="where to write; a folder below ./out by default", **QUIET_HINT)
]
Words = Annotated[
    tuple[str, ...], arg(metavar="[TASK] [KEY=VALUE ...]", help="the question, as in the examples", **QUIET_HINT)
]

SETTING = re.compile(r"[A-Za-z_][\w.]*=")


def parse(command: Callable[..., int | None], name: str, args: Sequence[str]) -> int:
    """Runs a command with its arguments; what cannot be parsed ends with a suggestion and code 2."""
    run = functools.partial(tyro.cli, command, prog=f"assay {name}", args=args, config=MARKERS)
    if not {"-h", "--help"}.intersection(args):
        return run() or 0
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        run()
    print(folded(text.getvalue(), shutil.get_terminal_size().columns))
    return 0


def folded(text: str, width: int) -> str:
    """Help with its paragraphs folded to the width of the terminal: tyro joins the lines of each."""
    lines = [textwrap.fill(line, width) if line[:1].isalpha() else line.rstrip() for line in text.splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def settings_first(args: Sequence[str]) -> list[str]:
    """Settings (key=value) may stand anywhere: they are moved before the options."""
    settings = [word for word in args if SETTING.match(word)]
    return [*settings, *(word for word in args if not SETTING.match(word))]
