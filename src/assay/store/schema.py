"""The schema of a store: which files it has, which columns, of which types. docs/store.md says the same in words."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay import __version__
from assay.errors import StoreError

SCHEMA = 1
"""Version of the files of a store. A reader refuses what is newer than itself."""

PLAN = "plan.json"
RUNS, CURVES, ARRAYS, SUSPENDED = "runs-", "curves-", "arrays/", "suspended/"

Types = tuple[tuple[str, type[pl.DataType]], ...]
"""Columns and their types, in order."""

RESULT: Types = (
    ("outcome", pl.String),
    ("step", pl.Int64),
    ("quantity", pl.String),
    ("message", pl.String),
    ("engine", pl.String),
    ("seconds", pl.Float64),
    ("version", pl.String),
)
FINAL = "final."
"""Prefix of the columns with final numbers."""

TIMING = ("seconds",)
"""The columns that a second run of the same trials does not repeat."""

PARTS = ("task", "net", "init", "loss", "optimiser", "data", "batch", "budget", "solve", "record", "seed")
"""Order of the config columns; those of one part by name, its kind first."""


@dataclasses.dataclass(frozen=True)
class Row:
    """A trial that has ended: its config columns with their types, how it ended, and what was recorded."""

    trial: str
    config: Mapping[str, Any]
    types: Types
    result: Mapping[str, Any]
    final: Mapping[str, float]
    curves: Mapping[str, np.ndarray]
    arrays: Mapping[str, np.ndarray]


def ordered(columns: Sequence[str]) -> list[str]:
    """The columns of the runs frame in their fixed order."""
    results = [name for name, _ in RESULT]
    rank = {part: i for i, part in enumerate(PARTS)}

    def place(name: str) -> tuple[int, int, bool, str]:
        if name == "trial":
            return 0, 0, False, name
        if name in results:
            return 2, results.index(name), False, name
        if name.startswith(FINAL):
            return 3, 0, False, name
        return 1, rank.get(name.partition(".")[0], len(rank)), not name.endswith(".kind"), name

    return sorted(columns, key=place)


def runs_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """One row a trial. Types follow the fields, not the values that happen to be there."""
    groups: dict[tuple[Types, tuple[str, ...]], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.types, tuple(row.final)), []).append(row)
    frames = []
    for (types, final), members in groups.items():
        columns: dict[str, list[Any]] = {"trial": [row.trial for row in members]}
        columns |= {name: [row.config[name] for row in members] for name, _ in types}
        columns |= {name: [row.result[name] for row in members] for name, _ in RESULT}
        columns |= {FINAL + name: [row.final[name] for row in members] for name in final}
        schema = {"trial": pl.String, **dict(types), **dict(RESULT), **{FINAL + name: pl.Float64 for name in final}}
        frames.append(pl.DataFrame(columns, schema=schema))
    return stacked(frames)


def curves_frame(rows: Sequence[Row]) -> pl.DataFrame:
    """One row per trial and recorded step."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        if len(row.curves):
            groups.setdefault(tuple(row.curves), []).append(row)
    frames = []
    for names, members in groups.items():
        lengths = [len(row.curves["step"]) for row in members]
        trial = pl.Series("trial", [row.trial for row in members], pl.String)
        columns = {name: np.concatenate([row.curves[name] for row in members]) for name in names}
        frame = pl.DataFrame(columns, schema={n: pl.Int64 if n == "step" else pl.Float64 for n in names}, strict=False)
        frames.append(frame.insert_column(0, trial.repeat_by(pl.Series(lengths)).explode()))
    return stacked(frames)


def stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Frames with different columns below each other; a column that is whole in one and not in another is a float."""
    return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()


def header(**more: Any) -> dict[str, str]:
    """The key-value metadata of a Parquet file of the store."""
    return {"assay.schema": str(SCHEMA), "assay.version": __version__} | {
        f"assay.{name}": json.dumps(value) for name, value in more.items()
    }


def check_schema(where: str, schema: Any, version: Any) -> None:
    """Raises StoreError for what a newer Assay has written."""
    if not isinstance(schema, int) or schema > SCHEMA:
        raise StoreError(
            f"{where} has schema {schema} (written by Assay {version}); this is Assay {__version__}, "
            f"which reads schema {SCHEMA} and older: update Assay to read it"
        )
