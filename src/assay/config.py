"""Frozen configs: checked fields, JSON round-trip, content hash, and the split into shape and value.

A config is a keyword-only frozen dataclass whose fields are declared with `shape(...)` or `value(...)`:

- a *shape* field forces a compilation of its own (a width, a batch size, the kind of a net);
- a *value* field may differ between the trials of one pack (a seed, a learning rate, a noise level);
- a *host* field is read on the host alone (a budget, the subset of a parity) and may differ inside a pack as well.

Inside a compiled program the value fields of a config are traced arrays; `bind` puts them there. A value
field declared with `gate=True` is, for the planner, also the question "is it zero?", so that a program
for noiseless data or for no weight decay does not pay for what it does not use.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import numpy as np

from assay.errors import AssayError, ConfigError, UnknownName

SCHEMA = 1
"""Version of the config language; part of every content hash."""

C = TypeVar("C", bound="Config")


@dataclasses.dataclass(frozen=True)
class Check:
    """A condition on one field and the words for it."""

    allowed: str
    holds: Callable[[Any], bool]


def at_least(low: float) -> Check:
    return Check(f">= {low}", lambda v: v >= low)


def above(low: float) -> Check:
    return Check(f"> {low}", lambda v: v > low)


def between(low: float, high: float) -> Check:
    return Check(f"between {low} and {high}", lambda v: low <= v <= high)


def one_of(*options: str) -> Check:
    return Check(f"one of {', '.join(options)}", lambda v: v in options)


ANYTHING = Check("anything", lambda _: True)


def shape(*, default: Any = dataclasses.MISSING, check: Check = ANYTHING, doc: str = "") -> Any:
    """A field that forces a compilation of its own."""
    return _field(default, check, doc, role="shape", gate=False)


def value(*, default: Any = dataclasses.MISSING, check: Check = ANYTHING, doc: str = "", gate: bool = False) -> Any:
    """A field that may differ inside a pack."""
    return _field(default, check, doc, role="value", gate=gate)


def host(*, default: Any = dataclasses.MISSING, check: Check = ANYTHING, doc: str = "") -> Any:
    """A field that is read on the host alone: programs see what is made of it, never the field."""
    return _field(default, check, doc, role="host", gate=False)


def _field(default: Any, check: Check, doc: str, role: str, gate: bool) -> Any:
    metadata = {"role": role, "check": check, "doc": doc, "gate": gate}
    return dataclasses.field(default=default, metadata=metadata)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(shape, value, host))
class Config:
    """Base of every config. A direct subclass is a *family* (Task, Net, ...); subclasses of it with a
    `kind` are its members, found by name: a new member is a new file and no line elsewhere."""

    kind: ClassVar[str] = ""
    family: ClassVar[str] = ""
    members: ClassVar[dict[str, type[Config]]] = {}

    def __init_subclass__(cls, kind: str = "", family: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if family:
            cls.family, cls.members = family, {}
        if kind:
            cls.kind = kind
            cls.members[kind] = cls
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
        _refuse_unknown_arguments(cls)

    def __post_init__(self) -> None:
        hints = _hints(type(self))
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            where = f"{self.kind or type(self).__name__.lower()}.{field.name}"
            checked = _conform(where, getattr(self, field.name), hints[field.name])
            check: Check = field.metadata["check"]
            if not isinstance(checked, (Config, type(None))) and not check.holds(checked):
                raise ConfigError(where, checked, check.allowed)
            object.__setattr__(self, field.name, checked)
        self.validate()

    def validate(self) -> None:
        """Conditions between fields; raises ConfigError."""

    def replace(self, **changes: Any) -> Self:
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def to_json(self) -> dict[str, Any]:
        """Every field spelt out, defaults included, nested configs with their kind."""
        head = {"kind": self.kind} if self.kind else {}
        return head | {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The config that `to_json` wrote; unknown kinds and fields are errors."""
        fields = dict(data)
        target: type[Config] = cls
        if cls.family and not cls.kind:
            kind = fields.pop("kind", None)
            if not isinstance(kind, str):
                raise ConfigError(f"{cls.family}.kind", kind, f"one of {', '.join(sorted(cls.members))}")
            target = member(cls, kind)
        elif (kind := fields.pop("kind", cls.kind)) != cls.kind:
            raise ConfigError(f"{cls.kind or cls.__name__.lower()}.kind", kind, cls.kind or "left out")
        return target(**fields)  # type: ignore[return-value]

    def shape_part(self) -> dict[str, Any]:
        """What a compiled program depends on, as JSON."""
        part: dict[str, Any] = {"kind": self.kind or type(self).__name__}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            item = getattr(self, field.name)
            if isinstance(item, Config):
                part[field.name] = item.shape_part()
            elif field.metadata["role"] != "host" and not _is_argument(field, item):
                part[field.name] = _plain(item)
        return part

    @property
    def identity(self) -> str:
        """Content hash: equal configs, and only they, have equal identities."""
        return _digest({"schema": SCHEMA, "config": self.to_json()})


def member(family: type[C], kind: str) -> type[C]:
    """The class of a family registered under a name."""
    if kind not in family.members:
        raise UnknownName(family.family, kind, family.members)
    return typing.cast("type[C]", family.members[kind])


def leaves(config: Config, prefix: str = "") -> dict[str, Any]:
    """Dotted path -> plain leaf, for table columns. Tuples become JSON text."""
    found: dict[str, Any] = {f"{prefix}kind": config.kind} if config.kind else {}
    for field in dataclasses.fields(config):  # type: ignore[arg-type]
        item = getattr(config, field.name)
        if isinstance(item, Config):
            found |= leaves(item, f"{prefix}{field.name}.")
        else:
            found[prefix + field.name] = json.dumps(_plain(item)) if isinstance(item, (tuple, dict)) else item
    return found


def values(config: Config, prefix: str = "") -> dict[str, float | int]:
    """Dotted path -> number for every value field that a program takes as an argument."""
    found: dict[str, float | int] = {}
    for field in dataclasses.fields(config):  # type: ignore[arg-type]
        item = getattr(config, field.name)
        if isinstance(item, Config):
            found |= values(item, f"{prefix}{field.name}.")
        elif _is_argument(field, item):
            found[prefix + field.name] = item
    return found


def shape_key(config: Config) -> str:
    """Hash of all that a compiled program depends on: configs with equal keys can share a pack."""
    return _digest(config.shape_part())


def bind(config: C, arguments: Mapping[str, Any]) -> C:
    """The same config with its value fields replaced by (traced) arguments; nothing is checked."""
    bound: C = object.__new__(type(config))
    for field in dataclasses.fields(config):  # type: ignore[arg-type]
        item = getattr(config, field.name)
        if isinstance(item, Config):
            head = field.name + "."
            inner = {path.removeprefix(head): a for path, a in arguments.items() if path.startswith(head)}
            item = bind(item, inner)
        elif field.name in arguments:
            item = arguments[field.name]
        object.__setattr__(bound, field.name, item)
    return bound


def is_zero(number: Any) -> bool:
    """Whether a gated field is off; inside a program an argument that is on is never a Python number."""
    return isinstance(number, (int, float)) and number == 0


def _is_argument(field: dataclasses.Field[Any], item: Any) -> bool:
    if field.metadata["role"] != "value" or not isinstance(item, (int, float)) or isinstance(item, bool):
        return False
    return not (field.metadata["gate"] and item == 0)


def _digest(data: Any) -> str:
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()


def _plain(item: Any) -> Any:
    if isinstance(item, Config):
        return item.to_json()
    if isinstance(item, (tuple, list)):
        return [_plain(each) for each in item]
    if isinstance(item, Mapping):
        return {key: _plain(each) for key, each in item.items()}
    return item


_HINTS: dict[type, dict[str, Any]] = {}


def _hints(cls: type) -> dict[str, Any]:
    if cls not in _HINTS:
        _HINTS[cls] = typing.get_type_hints(cls)
    return _HINTS[cls]


def _refuse_unknown_arguments(cls: type[Config]) -> None:
    """Misspelt and missing arguments become errors with a suggestion instead of a bare TypeError."""
    made = cls.__init__
    fields = {f.name: f for f in dataclasses.fields(cls)}  # type: ignore[arg-type]

    @typing.no_type_check  # the fields check themselves, in words
    def __init__(self: Config, **arguments: Any) -> None:
        for name in arguments:
            if name not in fields:
                raise UnknownName(f"field of {cls.kind or cls.__name__}", name, fields)
        for name, field in fields.items():
            if name not in arguments and field.default is dataclasses.MISSING:
                check: Check = field.metadata["check"]
                raise ConfigError(f"{cls.kind or cls.__name__}.{name}", None, f"given ({check.allowed})")
        made(self, **arguments)

    __init__.__wrapped__ = made  # type: ignore[attr-defined]
    cls.__init__ = __init__  # type: ignore[method-assign]


def _conform(where: str, item: Any, hint: Any) -> Any:
    """The item as the annotation wants it: 1 for 1.0 where an int is wanted and exact, lists as tuples,
    mappings as nested configs; otherwise ConfigError."""
    origin = typing.get_origin(hint)
    options = typing.get_args(hint) if origin in (typing.Union, types.UnionType) else (hint,)
    for option in options:
        fits, converted = _fit(item, option)
        if fits:
            return converted
    raise ConfigError(where, item, " or ".join(_type_name(option) for option in options))


def _fit(item: Any, option: Any) -> tuple[bool, Any]:
    if isinstance(item, np.generic):
        item = item.item()
    if option is type(None):
        return item is None, None
    if typing.get_origin(option) is typing.Literal:
        return item in typing.get_args(option), item
    if typing.get_origin(option) is tuple:
        if not isinstance(item, (tuple, list)):
            return False, None
        inner = typing.get_args(option)[0]
        fitted = [_fit(each, inner) for each in item]
        return all(ok for ok, _ in fitted), tuple(each for _, each in fitted)
    if option is bool or option is str:
        return isinstance(item, option), item
    if option is int:
        whole = type(item) is int or (isinstance(item, float) and item.is_integer())
        return whole, int(item) if whole else None
    if option is float:
        fits = isinstance(item, (int, float)) and not isinstance(item, bool) and abs(item) <= sys.float_info.max
        return fits, float(item) + 0.0 if fits else None  # -0.0 is written differently from 0.0, and is the same
    if isinstance(option, type) and issubclass(option, Config):
        if isinstance(item, Mapping):
            return True, option.from_json(item)
        return isinstance(item, option), item
    raise AssayError(f"field type {option!r} is not one a config can hold")


def _type_name(option: Any) -> str:
    if typing.get_origin(option) is typing.Literal:
        return " or ".join(repr(name) for name in typing.get_args(option))
    if typing.get_origin(option) is tuple:
        return "a list"
    if option is type(None):
        return "none"
    if isinstance(option, type) and issubclass(option, Config):
        return f"a {option.family or option.__name__}"
    return {int: "a whole number", float: "a finite number", str: "text", bool: "true or false"}.get(
        option, str(option)
    )
