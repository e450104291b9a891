"""Rows to put into a store, each a function of its number alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import polars as pl

from assay.store import SCHEMA, Row, Store, Writer, prepare

TYPES = (("task.kind", pl.String), ("task.n", pl.Int64), ("optimiser.learning_rate", pl.Float64), ("seed", pl.Int64))


def identity(number: int) -> str:
    return f"{number:020x}"


def row(number: int, recorded: bool = True) -> Row:
    """A trial; with `recorded` one with two records of a number and of an array."""
    return Row(
        trial=identity(number),
        config={"task.kind": "parity", "task.n": 10, "optimiser.learning_rate": 0.5, "seed": number},
        types=TYPES,
        result={
            "outcome": "solved" if number % 3 else "censored",
            "step": 10 * number,
            "quantity": None,
            "message": None,
            "engine": "toy",
            "seconds": 0.25,
            "version": "0",
        },
        final={"loss": number / 8},
        curves={"step": np.arange(2), "train/loss": np.array([1, number], np.float32)} if recorded else {},
        arrays={"weights/w": np.full((2, 3), number, np.float32)} if recorded else {},
    )


def written(folder: str | Path, *fragments: Iterable[int]) -> Store:
    """A store with a fragment for each list of numbers."""
    store = Store(folder)
    prepare(store.place)
    writer = Writer(store.place)
    for numbers in fragments:
        for number in numbers:
            writer.add(row(number))
        writer.flush()
    return store


def plan_of(numbers: Iterable[int], schema: int = SCHEMA) -> bytes:
    """A plan.json with one family."""
    seeds = list(numbers)
    family = {"config": {}, "seeds": seeds, "identities": [identity(number) for number in seeds]}
    return json.dumps({"schema": schema, "launches": [{"assay": "9.9.9"}], "families": [family]}).encode()


def numbers_in(store: Store) -> list[int]:
    """The rows of a store by number, each checked to be whole: its curves and arrays with it."""
    frame, curves, arrays = store.runs(), store.curves(), store.arrays("weights/w")
    numbers = frame["seed"].to_list() if frame.height else []
    losses = dict(curves.filter(pl.col("step") == 1).select("trial", "train/loss").iter_rows()) if curves.height else {}
    assert losses == {identity(number): float(number) for number in numbers}
    assert curves.height == 2 * len(numbers)
    assert {trial: array.tolist() for trial, array in arrays.items()} == {
        identity(number): [[number] * 3] * 2 for number in numbers
    }
    return numbers
