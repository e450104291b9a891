"""The theory queries of the command line, by name.

A query is a function with annotated keyword-only arguments, a docstring that explains them, and a result of plain
numbers and text whose main number is `value`. Marking it is all there is to do, in any module below `assay.theory`:

    @theory_command("parseval")
    def parseval(*, n: int) -> dict[str, Any]:
        ...
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import assay.theory
from assay.errors import AssayError, UnknownName

TheoryQuery = Callable[..., dict[str, Any]]

_QUERIES: dict[str, TheoryQuery] = {}


def theory_command(name: str) -> Callable[[TheoryQuery], TheoryQuery]:
    """Registers a function as the query `name`; the function itself stays as it is."""

    def register(query: TheoryQuery) -> TheoryQuery:
        if name in _QUERIES:
            raise AssayError(f"theory query {name!r} exists twice: {_place(_QUERIES[name])} and {_place(query)}")
        _QUERIES[name] = query
        return query

    return register


def theory_commands() -> Mapping[str, TheoryQuery]:
    """All queries by name, sorted; imports every module below `assay.theory` so that none is forgotten."""
    for module in pkgutil.walk_packages(assay.theory.__path__, "assay.theory."):
        importlib.import_module(module.name)
    return MappingProxyType(dict(sorted(_QUERIES.items())))


def find_theory_command(name: str) -> TheoryQuery:
    """The query of a name, or UnknownName with the closest ones."""
    queries = theory_commands()
    if name not in queries:
        raise UnknownName("theory query", name, queries)
    return queries[name]


def _place(query: TheoryQuery) -> str:
    return f"{query.__module__}.{query.__qualname__}"
