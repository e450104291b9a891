"""Shared ground of the analyses: columns that must be there, groups in a fixed order, rows back into a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.errors import ConfigError, UnknownName

Columns = Mapping[str, Any]
"""Column names and their polars types; written so loosely because beartype cannot read the type of those types."""


def require(table: pl.DataFrame, columns: Sequence[str], what: str) -> None:
    """Raises UnknownName for the first of `columns` that the table does not have."""
    for column in columns:
        if column not in table.columns:
            raise UnknownName(f"column of {what}", column, table.columns)


def check_names(by: Sequence[str], made: Sequence[str]) -> None:
    """Raises ConfigError when a group column carries the name of a result column."""
    for column in by:
        if column in made:
            raise ConfigError("by", column, "a column whose name the result does not use", f"rename {column!r} first")


def check_resamples(resamples: int) -> None:
    if resamples < 2:
        raise ConfigError("resamples", resamples, ">= 2")


def split(table: pl.DataFrame, by: Sequence[str]) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """One row of keys for each group, sorted, and the rows of each group in the order of the table.

    Without group columns the whole table is one group, and the keys have no column.
    """
    if not by:
        return pl.DataFrame(), [table]
    parts = table.sort(by, maintain_order=True).partition_by(by, maintain_order=True)
    keys = pl.concat([part.select(by).head(1) for part in parts]) if parts else table.select(by)
    return keys, parts


def join(keys: pl.DataFrame, rows: Sequence[Mapping[str, object]], schema: Columns) -> pl.DataFrame:
    """Keys beside their results. Infinite and undefined numbers become null: a table holds only what is known."""
    results = pl.DataFrame([{name: _finite(row[name]) for name in schema} for row in rows], schema=dict(schema))
    return pl.concat([keys, results], how="horizontal") if keys.width else results


def stack(keys: pl.DataFrame, tables: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The tables of the groups below each other, each with its keys repeated on every row."""
    if not keys.width:
        return tables[0]
    repeated = [pl.concat([keys[i]] * table.height) for i, table in enumerate(tables)]
    return pl.concat([pl.concat(repeated), pl.concat(tables)], how="horizontal")


def parts(**tables: pl.DataFrame) -> pl.DataFrame:
    """The tables below each other as one, `part` naming each; null where a table does not have a column of another."""
    return pl.concat([table.with_columns(part=pl.lit(name)) for name, table in tables.items()], how="diagonal_relaxed")


def _finite(value: object) -> object:
    return None if isinstance(value, (float, np.floating)) and not np.isfinite(value) else value
