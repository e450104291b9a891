"""`assay list`: everything that has a name."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Annotated

from tyro.conf import arg

from assay.cli.options import QUIET_HINT, Json, parse
from assay.cli.output import heading, print_json, print_table

Group = Annotated[
    str | None, arg(metavar="[GROUP]", help="tasks, nets, measures, studies, ...; all if left out", **QUIET_HINT)
]


def command(group: Group = None, /, *, json: Json = False) -> int:
    """Lists everything that has a name, with one line each.

    Groups: tasks, nets, inits, losses, optimisers, schedules, data, activations, measures, theory, studies,
    experiments, claims. `assay show NAME` tells more.
    """
    from assay.cli import catalogue

    found = catalogue.everything() if group is None else catalogue.group(group)
    if json:
        print_json([{"group": named.group, "name": named.name, "summary": named.summary} for named in found])
        return 0
    for i, (title, members) in enumerate(itertools.groupby(found, key=lambda named: named.group)):
        heading(f"\n{title}" if i else title)
        print_table(["name", "what it is"], [(named.name, named.summary) for named in members])
    return 0


def main(args: Sequence[str]) -> int:
    return parse(command, "list", args)
