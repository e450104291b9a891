"""From the result of a trial to the row of a store."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any

import polars as pl

from assay import __version__
from assay.config import Config, leaves
from assay.engine.base import Result
from assay.store import Row
from assay.store.schema import Types
from assay.trial import Trial


class RowMaker:
    """Makes rows; the config columns of a family of seeds are made once."""

    def __init__(self) -> None:
        self._families: dict[tuple[str, str], tuple[dict[str, Any], Types]] = {}

    def row(self, result: Result) -> Row:
        trial = result.trial
        if trial.around_seed not in self._families:
            self._families[trial.around_seed] = config_columns(trial)
        config, types = self._families[trial.around_seed]
        return Row(
            trial=trial.identity,
            config=config | {"seed": trial.seed},
            types=types,
            result={
                "outcome": str(result.outcome),
                "step": result.step,
                "quantity": result.quantity,
                "message": result.message,
                "engine": result.engine,
                "seconds": result.seconds,
                "version": __version__,
            },
            final=result.final,
            curves=result.curves,
            arrays=result.arrays,
        )


def config_columns(trial: Trial) -> tuple[dict[str, Any], Types]:
    """The leaves of a trial and their types. A part that is absent (`solve=None`) has no columns; `batch="all"` is the
    number of examples that it stands for, so that the column is a number in every row."""
    found = column_types(trial)
    columns = leaves(trial) | {"batch": trial.examples_a_step}
    return {name: columns[name] for name in found}, tuple(found.items())


def column_types(config: Config, prefix: str = "") -> dict[str, type[pl.DataType]]:
    """The type of the column of each leaf, from the annotations of the fields: the same for every value."""
    found: dict[str, type[pl.DataType]] = {f"{prefix}kind": pl.String} if config.kind else {}
    hints = typing.get_type_hints(type(config))
    for field in dataclasses.fields(config):  # type: ignore[arg-type]
        item = getattr(config, field.name)
        if isinstance(item, Config):
            found |= column_types(item, f"{prefix}{field.name}.")
        elif not _holds_configs(hints[field.name]):
            found[prefix + field.name] = _column_type(hints[field.name])
    return found


def _options(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)


def _holds_configs(hint: Any) -> bool:
    return any(isinstance(option, type) and issubclass(option, Config) for option in _options(hint))


def _column_type(hint: Any) -> type[pl.DataType]:
    numbers = {bool: pl.Boolean, int: pl.Int64, float: pl.Float64}
    return next((numbers[option] for option in _options(hint) if option in numbers), pl.String)
