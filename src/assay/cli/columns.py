"""Names of columns as people type them, and expressions and SQL in them.

A column may be called by its last part where no other ends alike: `k` for task.k, `width` for net.width, `loss` for the
kind of the loss. Expressions are comparisons joined by & and | (or `and`, `or`, `not`), words after == are text:

    k==3 & width>64          outcome==solved | step<500          net in (mlp, polynet) & ~(lr<0.1)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from assay.cli.settings import SHORT
from assay.errors import AssayError, UnknownName

if TYPE_CHECKING:
    import polars as pl

OPERATORS = {"==": "=", "&": "AND", "&&": "AND", "|": "OR", "||": "OR", "~": "NOT", "!": "NOT"}
KEYWORDS = {"and", "or", "not", "in", "is", "null", "between", "like", "true", "false"}
TOKEN = re.compile(
    r"""(?P<text>'(?:[^']|'')*')|(?P<quoted>"[^"]*")|(?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"""
    r"""|(?P<name>[A-Za-z_][\w.]*(?:/\w+)?)|(?P<operator>==|!=|<>|<=|>=|&&|\|\||[<>=&|~!(),+\-*/%])|(?P<space>\s+)"""
)
EQUALITY = {"==", "=", "!=", "<>"}


class QueryError(AssayError):
    """A query that cannot be read or answered."""


def full_names(columns: Sequence[str]) -> dict[str, str]:
    """What each column may be called -> the column."""
    called: dict[str, list[str]] = {}
    for column in columns:
        short = (
            set()
            if column.startswith("final.")
            else {column.rpartition(".")[2], column.removesuffix(".kind").rpartition(".")[2]}
        )
        for name in {column} | short:
            called.setdefault(name, []).append(column)
    names = {name: found[0] for name, found in called.items() if len(found) == 1 or name in columns}
    names |= {name: name for name in columns}
    return names | {short: names[full] for short, full in SHORT.items() if full in names}


def find_column(name: str, columns: Sequence[str]) -> str:
    """The column that a name means."""
    names = full_names(columns)
    if name not in names:
        raise UnknownName("column", name, names)
    return names[name]


def condition(expression: str, columns: Sequence[str]) -> str:
    """The expression as an SQL condition with full, quoted column names."""
    names = full_names(columns)
    parts: list[str] = []
    listing = 0  # open parentheses since `in`
    for kind, token in _tokens(expression):
        before = parts[-1] if parts else ""
        if kind == "name" and token.lower() in KEYWORDS:
            parts.append(token.upper())
        elif kind == "name" and token in names:
            parts.append(f'"{names[token]}"')
        elif kind == "name" and (before in ("=", "!=") or listing):
            parts.append(f"'{token}'")
        elif kind == "name":
            raise UnknownName("column", token, names)
        else:
            parts.append("!=" if token == "<>" else OPERATORS.get(token, token))
        if token == "(" and (before == "IN" or listing):
            listing += 1
        elif token == ")" and listing:
            listing -= 1
    return " ".join(parts)


def sql_with_full_names(query: str, columns: Sequence[str]) -> str:
    """The SQL with short names replaced by full ones in quotes; names that the query itself gives (AS) are left."""
    names = {name: column for name, column in full_names(columns).items() if name != column}
    tokens = [(match.lastgroup, match.group()) for match in SQL_TOKEN.finditer(query)]
    words = [token for kind, token in tokens if kind == "name"]
    given = {word for word, before in zip(words[1:], words, strict=False) if before.lower() == "as"}
    return "".join(
        f'"{names[token]}"' if kind == "name" and token in names and token not in given else token
        for kind, token in tokens
    )


SQL_TOKEN = re.compile(r"""(?P<text>'(?:[^']|'')*'|"[^"]*")|(?P<name>[A-Za-z_][\w.]*)|(?P<rest>.)""", re.DOTALL)


def filtered(frame: pl.DataFrame, expression: str) -> pl.DataFrame:
    """The rows for which the expression holds."""
    import polars as pl

    where = condition(expression, frame.columns)
    return answered(lambda: frame.filter(pl.sql_expr(where)), expression)


def answered(ask: Callable[[], pl.DataFrame], query: str) -> pl.DataFrame:
    """The answer, or what is wrong with the query in one line."""
    import polars as pl

    try:
        return ask()
    except pl.exceptions.PolarsError as error:
        reason = str(error).strip().partition("\n")[0]
        raise QueryError(f"cannot answer {query!r}: {reason}") from error


def _tokens(expression: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(expression):
        match = TOKEN.match(expression, at)
        if match is None:
            raise QueryError(f"cannot read {expression[at:]!r} in {expression!r}; write for example k==3 & width>64")
        at = match.end()
        if match.lastgroup != "space":
            yield str(match.lastgroup), match.group()
