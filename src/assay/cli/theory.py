"""`assay theory NAME`: closed forms and bounds."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Sequence
from typing import Any

from assay.cli.options import Json, parse
from assay.cli.output import print_facts, print_json, print_table

HELP = """\
usage: assay theory NAME [OPTIONS]        assay theory NAME --help explains a query

Numbers from closed forms, bounds and identities of the papers. --json prints one object whose main number is `value`.
"""


def main(args: Sequence[str]) -> int:
    if not args or args[0] in ("-h", "--help", "--json"):
        return _list(json="--json" in args)
    from assay.theory.commands import find_theory_command

    query = find_theory_command(args[0])
    return parse(_printing(query), f"theory {args[0]}", args[1:])


def _list(json: bool) -> int:
    from assay.cli.catalogue import theory

    known = list(theory())
    if json:
        print_json([{"name": named.name, "summary": named.summary} for named in known])
        return 0
    print(HELP)
    print_table(["name", "what it is"], [(named.name, named.summary) for named in known])
    return 0


def _printing(query: Callable[..., dict[str, Any]]) -> Callable[..., int]:
    """The query as a command: the same options and --json; the result is printed."""

    def command(*, json: bool = False, **options: Any) -> int:
        result = query(**options)
        if json:
            print_json(result)
        else:
            print_facts(result)
        return 0

    hints = typing.get_type_hints(query, include_extras=True)
    options = [each.replace(annotation=hints[name]) for name, each in inspect.signature(query).parameters.items()]
    flag = inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json)
    command.__signature__ = inspect.Signature([*options, flag])  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in [*options, flag]}
    command.__doc__ = query.__doc__
    return command
