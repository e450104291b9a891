"""The public surface: names load when they are used, type checkers see the same ones, all of them are explained."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import assay as ay

SOURCE = Path(ay.__file__)
NAMES = [name for name in ay.__all__ if name != "__version__"]


def seen_by_type_checkers() -> dict[str, set[str]]:
    """What the block under TYPE_CHECKING imports: module -> names."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    found: dict[str, set[str]] = {}
    for statement in blocks[0].body:
        assert isinstance(statement, ast.ImportFrom)
        assert statement.module
        assert all(alias.asname is None for alias in statement.names)
        found.setdefault(statement.module, set()).update(alias.name for alias in statement.names)
    return found


def test_type_checkers_see_the_names_that_load_and_no_others():
    assert seen_by_type_checkers() == {home: set(names) for home, names in ay._HOMES.items()}


def test_no_name_has_two_homes():
    names = [name for home in ay._HOMES.values() for name in home]
    assert len(set(names)) == len(names)
    assert ay.__all__ == ["__version__", *sorted(names)]
    assert dir(ay) == sorted(ay.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_what_its_home_calls_so(name: str):
    home = importlib.import_module(ay._HOME[name])
    assert getattr(ay, name) is getattr(home, name)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_says_what_it_is(name: str):
    found = getattr(ay, name)
    own = vars(found).get("__doc__") if inspect.isclass(found) else found.__doc__
    assert own, f"{name} needs a docstring"
    assert not own.startswith(f"{name}("), f"{name} needs a docstring of its own, not the one a dataclass is given"


def test_a_name_that_is_none_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'assay' has no attribute 'Parities'"):
        ay.Parities  # noqa: B018
    assert not hasattr(ay, "jax")


def test_the_version_is_one():
    assert all(part.isdigit() for part in ay.__version__.split(".")[:2])
