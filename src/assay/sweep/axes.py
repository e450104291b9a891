"""Axes: what varies in a sweep, as small frozen objects that yield points, and their algebra.

A point is a dictionary from dotted path to value: `{"task.n": 30, "net.width": 100, "seed": 7}`. Combinators take axes
and give axes:

- `product(a, b)` has |a| |b| points, the last axis fastest;
- `zipped(a, b)` goes through both side by side, |a| = |b| points;
- `union(a, b)` has the points of a, then those of b, |a| + |b| in all.
"""

from __future__ import annotations

import abc
import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from assay.config import Config
from assay.errors import PlanError

Point = dict[str, Any]
"""Dotted path to value; configs as their JSON form, so that a point can be written down."""


class Axis(abc.ABC):
    """Base of what varies; iterates over its points, always in the same order."""

    @abc.abstractmethod
    def __len__(self) -> int:
        """Number of points."""

    @abc.abstractmethod
    def __iter__(self) -> Iterator[Point]:
        """The points."""

    @property
    @abc.abstractmethod
    def paths(self) -> frozenset[str]:
        """Every path that some point sets."""


@dataclasses.dataclass(frozen=True)
class Values(Axis):
    """One path that takes one value after the other."""

    path: str
    values: Sequence[Any]

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Point]:
        return ({self.path: value} for value in self.values)

    @property
    def paths(self) -> frozenset[str]:
        return frozenset({self.path})


@dataclasses.dataclass(frozen=True)
class Product(Axis):
    """Every combination of the points of its parts."""

    parts: tuple[Axis, ...]

    def __post_init__(self) -> None:
        _refuse_shared_paths("product", self.parts)

    def __len__(self) -> int:
        return math.prod(len(part) for part in self.parts)

    def __iter__(self) -> Iterator[Point]:
        return (_merged(points) for points in itertools.product(*self.parts))

    @property
    def paths(self) -> frozenset[str]:
        return frozenset().union(*(part.paths for part in self.parts))


@dataclasses.dataclass(frozen=True)
class Zipped(Axis):
    """The points of its parts side by side."""

    parts: tuple[Axis, ...]

    def __post_init__(self) -> None:
        _refuse_shared_paths("zipped", self.parts)
        if len({len(part) for part in self.parts}) != 1:
            lengths = ", ".join(f"{_name(part)} {len(part)}" for part in self.parts)
            raise PlanError(
                f"zipped axes must have equally many points, got {lengths or 'no axis'}; use product for all pairs"
            )

    def __len__(self) -> int:
        return len(self.parts[0])

    def __iter__(self) -> Iterator[Point]:
        return (_merged(points) for points in zip(*self.parts, strict=True))

    @property
    def paths(self) -> frozenset[str]:
        return frozenset().union(*(part.paths for part in self.parts))


@dataclasses.dataclass(frozen=True)
class Union(Axis):
    """The points of its parts one after the other."""

    parts: tuple[Axis, ...]

    def __post_init__(self) -> None:
        if not self.parts:
            raise PlanError("union must have at least one axis, got none; an empty axis would make an empty sweep")

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def __iter__(self) -> Iterator[Point]:
        return itertools.chain.from_iterable(self.parts)

    @property
    def paths(self) -> frozenset[str]:
        return frozenset().union(*(part.paths for part in self.parts))


def axis(path: str, *values: Any) -> Values:
    """A path and the values it takes: `axis("net.width", 10, 100)`, `axis("net", MLP(width=10), PolyNet())`."""
    if not values:
        raise PlanError(f"axis {path!r} must have at least one value, got none; name the values or leave the axis out")
    return Values(path, tuple(_plain(value) for value in values))


def seeds(count: int, first: int = 0) -> Values:
    """`count` seeds in a row from `first`."""
    if count < 1:
        raise PlanError(f"axis 'seed' must have at least one value, got seeds({count}); ask for one or more")
    return Values("seed", range(first, first + count))


def linspaced(path: str, low: float, high: float, num: int, whole: bool = False) -> Values:
    """`num` values from `low` to `high`, evenly spaced, ends included; with `whole` rounded, each once."""
    _check_span(path, low, high, num)
    return _spaced(path, np.linspace(low, high, num), whole)


def logspaced(path: str, low: float, high: float, num: int, whole: bool = False) -> Values:
    """`num` values from `low` to `high` at a constant ratio, ends included; with `whole` rounded, each once."""
    _check_span(path, low, high, num)
    if low <= 0:
        raise PlanError(f"axis {path!r}: low must be > 0 on a logarithmic axis, got {low}; use linspaced")
    return _spaced(path, np.geomspace(low, high, num), whole)


def product(*parts: Axis) -> Product:
    """Every combination, the last axis fastest; without an axis the one empty point."""
    return Product(parts)


def zipped(*parts: Axis) -> Zipped:
    """Axes of equal length side by side."""
    return Zipped(parts)


def union(*parts: Axis) -> Union:
    """One axis after the other."""
    return Union(parts)


def _check_span(path: str, low: float, high: float, num: int) -> None:
    if num < 1:
        raise PlanError(f"axis {path!r} must have at least one value, got num={num}; ask for one or more")
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise PlanError(f"axis {path!r} must go from low to a finite high >= low, got {low} to {high}")


def _spaced(path: str, numbers: np.ndarray, whole: bool) -> Values:
    """Twelve significant digits: 0.01 rather than 0.010000000000000002, which would be another trial."""
    if whole:
        return Values(path, tuple(dict.fromkeys(round(number) for number in numbers.tolist())))
    return Values(path, tuple(float(f"{number:.12g}") for number in numbers.tolist()))


def _merged(points: tuple[Point, ...]) -> Point:
    return {path: value for point in points for path, value in point.items()}


def _refuse_shared_paths(what: str, parts: Sequence[Axis]) -> None:
    seen: set[str] = set()
    for part in parts:
        if shared := sorted(seen & part.paths):
            raise PlanError(f"{what}: {shared[0]!r} must be set by one axis, got two; use union to go through both")
        seen |= part.paths


def _name(part: Axis) -> str:
    return " x ".join(sorted(part.paths))


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Config):
        return value.to_json()
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, (tuple, list)):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return value
