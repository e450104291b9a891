"""The command `assay`: finds the command that is meant, runs it, and turns what goes wrong into a line and a code.

Loads nothing but the standard library until a command is known: `assay --help` answers at once. A new command is a
module beside this one with a function `main(args) -> int`, and a line in COMMANDS.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence

from assay import __version__
from assay.cli.codes import FAILED, INTERRUPTED, OK, USAGE
from assay.errors import AssayError, UnknownName

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "Look around": {
        "list": "tasks, nets, measures, studies and whatever else has a name",
        "show": "what a name means: definition, fields, examples, claims",
        "theory": "closed forms and bounds: `assay theory fourier-gap --n 101 --k 4`",
        "tables": "real tables to train on: where they come from, and which are here",
        "doctor": "what this machine has, and what works on it",
    },
    "Train": {
        "plan": "trials, packs and time, before anything runs",
        "run": "one trial",
        "sweep": "many trials; ends in a table of solve times and a figure",
        "frontier": "where success begins along a setting, by sequential search instead of a grid",
        "status": "where the sweep of a folder stands",
        "stop": "ask a running sweep to save and end",
    },
    "Understand": {
        "query": "filter or SQL over the runs and curves of a folder",
        "figure": "draw solve times, training curves or survival curves of a folder",
        "reproduce": "a paper's experiments: figures, tables, verdicts, a page",
        "claims": "the papers' statements and what the numbers say of them",
        "bench": "speed beside plain PyTorch (from a checkout of the repository)",
    },
}
NAMES = [name for group in COMMANDS.values() for name in group]

HELP = f"""\
usage: assay COMMAND [OPTIONS]        assay COMMAND --help explains a command

Assay: the laboratory for test-tube experiments on deep learning.

{{commands}}
For example:
  assay sweep parity n=50 k=3 net=mlp width=10,100,1000 lr=0.1 batch=32 seeds=100
  assay reproduce hidden-progress --scale smoke --page
  assay query out/parity-1a2b3c4d "k==3 & width>64"

Data goes to stdout, everything else to stderr; every command takes --json. NO_COLOR is respected.
Exit codes: {OK} ok, {FAILED} a claim or a trial failed, {USAGE} usage, {INTERRUPTED} interrupted.
  --version          print the version
  -h, --help         print this"""


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of a command line."""
    args = list(sys.argv[1:] if argv is None else argv)
    if os.environ.get("NO_COLOR"):
        os.environ.setdefault("PYTHON_TYRO_ANSI_CODES", "False")
    name = args[0] if args else ""
    try:
        code = _dispatch(name, args[1:])
        sys.stdout.flush()  # a reader that went away is noticed here, not when Python ends
        return code
    except AssayError as error:
        print(f"assay{f' {name}' if name in NAMES else ''}: {' '.join(str(error).split())}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("assay: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # the reader (head, a pager) has seen enough; Python must not complain again when it flushes at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else OK


def _dispatch(name: str, args: Sequence[str]) -> int:
    if name in ("-h", "--help", "help") and not args:
        print(overview())
        return OK
    if name == "help":
        return _dispatch(args[0], ["--help"])
    if name == "--version":
        print(f"assay {__version__}")
        return OK
    if not name:
        print(overview(), file=sys.stderr)
        return USAGE
    if name not in NAMES:
        raise UnknownName("command", name, NAMES)
    return importlib.import_module(f"assay.cli.{name}").main(list(args))


def overview() -> str:
    """The help of the command as a whole."""
    width = max(map(len, NAMES)) + 2
    groups = [
        "\n".join([f"{title}:", *(f"  {name:{width}}{what}" for name, what in group.items())])
        for title, group in COMMANDS.items()
    ]
    return HELP.format(commands="\n\n".join(groups) + "\n")


if __name__ == "__main__":
    sys.exit(main())
