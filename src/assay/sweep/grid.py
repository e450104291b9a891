"""Sweeps: a base trial and the axes along which it varies; the trials are their points applied to the base.

Changes are made to the JSON form of the base and only the outcome is checked, so that fields which must agree (n and
k of a parity) can change together. The points of a family, equal but for the seed, are checked once.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, Self

from assay.errors import AssayError, ConfigError, PlanError
from assay.sweep.axes import Axis, Point, Product, product
from assay.trial import Trial


@dataclasses.dataclass(frozen=True, init=False, repr=False)
class Sweep:
    """`Sweep(base, axis, ...)`: the product of the axes around the base. Sweeps add up: `small + large`."""

    parts: tuple[tuple[Trial, Product], ...]

    def __init__(self, base: Trial, *axes: Axis) -> None:
        object.__setattr__(self, "parts", ((base, product(*axes)),))

    def __add__(self, other: Sweep) -> Self:
        both = object.__new__(type(self))
        object.__setattr__(both, "parts", self.parts + other.parts)
        return both

    def __len__(self) -> int:
        """Number of points; there are fewer trials where points coincide."""
        return sum(len(axes) for _, axes in self.parts)

    def __repr__(self) -> str:
        return f"<Sweep of {len(self):,} points over {', '.join(sorted(self.paths)) or 'nothing'}>"

    @property
    def paths(self) -> frozenset[str]:
        """Every path that varies."""
        return frozenset().union(*(axes.paths for _, axes in self.parts))

    def trials(self) -> list[Trial]:
        """The trials in the order of the points, each once. A point that makes no valid trial is a PlanError."""
        found: dict[str, Trial] = {}
        for base, axes in self.parts:
            for trial in _applied(base, axes):
                found.setdefault(trial.identity, trial)
        return list(found.values())


def _applied(base: Trial, axes: Product) -> Iterator[Trial]:
    plain = base.to_json()
    families: dict[str, Trial] = {}
    for point in axes:
        rest = {path: value for path, value in point.items() if path != "seed"}
        text = json.dumps(rest, sort_keys=True)
        if text not in families:
            families[text] = _checked(plain, rest)
        yield _reseeded(families[text], point)


def _checked(plain: dict[str, Any], changes: Point) -> Trial:
    """The trial that the changes make, applied from the outermost path inwards."""
    changed = plain
    try:
        for path in sorted(changes, key=lambda path: path.count(".")):
            changed = _with(changed, path, path.split("."), changes[path])
        return Trial.from_json(changed)
    except AssayError as error:
        raise PlanError(f"{_where(changes)}: {error}") from error


def _reseeded(trial: Trial, point: Point) -> Trial:
    if "seed" not in point:
        return trial
    try:
        return trial.reseeded(point["seed"])
    except AssayError as error:
        raise PlanError(f"{_where(point)}: {error}") from error


def _with(plain: Any, path: str, names: list[str], value: Any) -> Any:
    """The JSON form with the value at a path; a name that no config knows is left to the config to refuse."""
    if not names:
        return value
    if not isinstance(plain, dict):
        raise ConfigError(path, value, "a field of a config", f"{names[0]!r} cannot be set in {plain!r}")
    return plain | {names[0]: _with(plain.get(names[0], {}), path, names[1:], value)}


def _where(point: Point) -> str:
    """A point in words."""
    if not point:
        return "in the base trial"
    return "at " + ", ".join(f"{path} = {json.dumps(value)}" for path, value in point.items())
