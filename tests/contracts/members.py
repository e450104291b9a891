"""Finding the members of a family through its registry, for the suites that every one of them passes."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterable
from types import ModuleType
from typing import Any, TypeVar

from assay.config import Config, bind, leaves, shape_key, values

C = TypeVar("C", bound=Config)


def home_of(family: type[Config]) -> ModuleType:
    """The package of a family, all of its files imported: a member is registered by being imported."""
    home = importlib.import_module(family.__module__.rpartition(".")[0])
    import_files(home)
    return home


def import_files(package: ModuleType) -> None:
    """Imports every file of a package, also one that the package itself forgot."""
    for found in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{found.name}")


def shipped(family: type[C]) -> dict[str, type[C]]:
    """The members that come with the package, by kind; those that a test or a notebook registered are its own."""
    home_of(family)
    return {kind: cls for kind, cls in family.members.items() if cls.__module__.startswith("assay.")}  # type: ignore[misc]


def check_examples(family: type[C], examples: Iterable[C], where: str) -> None:
    """Every member is among the examples, can be imported from its package, and says what it is."""
    members = shipped(family)
    assert members
    missing = sorted(set(members) - {example.kind for example in examples})
    assert not missing, f"{family.family} {missing}: add an example of each to EXAMPLES in {where}"
    home = home_of(family)
    for kind, cls in members.items():
        name = cls.__name__
        assert getattr(home, name, None) is cls, f"{family.family} {kind!r}: import {name} in {home.__file__}"
        doc = vars(cls).get("__doc__") or ""
        assert doc, f"{family.family} {kind!r}: {name} needs a docstring"
        assert not doc.startswith(f"{name}("), f"{family.family} {kind!r}: {name} needs a docstring of its own"
        assert not inspect.isabstract(cls), f"{family.family} {kind!r}: {name} leaves something abstract"


def check_config(family: type[C], config: C) -> None:
    """JSON and back, a stable identity, and fields that are each a shape, a value or the host's."""
    back: Any = family.from_json(json.loads(json.dumps(config.to_json())))
    assert back == config
    assert back.identity == config.identity
    assert shape_key(back) == shape_key(config)
    assert hash(back) == hash(config)
    assert repr(back) == repr(config)
    assert config.replace() == config
    assert bind(config, values(config)) == config
    assert all(isinstance(leaf, (int, float, str, bool, type(None))) for leaf in leaves(config).values())


def named(config: Config) -> str:
    """A short name for the id of a test: the kind, and what is unusual."""
    unusual = [str(value) for path, value in leaves(config).items() if path not in ("kind", "inputs")]
    return "-".join([config.kind, *unusual])[:50]
