"""Imports point downwards only: the picture of docs/design.md, section 2, as a test.

Every import counts, also one inside a function or under TYPE_CHECKING: a layer that needs an upper one only
sometimes still needs it.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"

# From bottom to top. A module or package directly under src/assay stands in exactly one layer; `assay` is its __init__.
LAYERS = (
    {"errors", "config"},
    {"maths"},
    {"tasks", "theory"},
    {"nets", "losses", "optim", "measures", "learners"},
    {"trial"},
    {"engine", "store"},
    {"sweep", "analysis", "figures"},
    {"assay"},
    {"studies"},
    {"report", "cli", "app", "__main__"},
)
HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}

# Neighbours in one layer do not import each other, nor lower ones upper ones, except these.
EXCEPT = {
    ("config", "errors"),
    ("measures", "nets"),  # a measure evaluates a net and its loss
    ("measures", "losses"),
    ("figures", "analysis"),
    ("app", "report"),
    ("cli", "report"),
    ("cli", "app"),
    ("__main__", "cli"),
    ("assay", "studies"),  # the public names include a study's; each is loaded when it is first used
}

# Where the picture is narrower than "downwards".
ONLY = {
    "theory": {"maths", "config", "errors"},
    "figures": {"analysis", "errors"},
    "a study": {"assay", "analysis", "figures", "theory", "learners", "maths", "studies"},
}
NEVER = {
    "theory": {"jax", "jaxlib", "optax"},
    "learners": {"jax", "jaxlib", "optax"},
    "analysis": {"jax", "jaxlib", "optax", "matplotlib"},
    "figures": {"jax", "jaxlib", "optax", "scipy"},
    "store": {"jax", "jaxlib", "optax", "matplotlib"},
    "engine": {"theory", "matplotlib", "polars"},
}


def imported(module: str, tree: ast.AST, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that a module imports; `from a import b` gives a.b."""
    package = module if is_package else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield from ((node.lineno, f"{origin}.{alias.name}") for alias in node.names)


def part(name: str) -> str:
    """The part of the package that a full name belongs to: `assay.engine.xla` -> engine, `assay.Sweep` -> assay."""
    second = name.split(".")[1] if "." in name else "assay"
    return second if second in HEIGHT or (SOURCE / "assay" / second).is_dir() else "assay"


def study(name: str) -> str:
    """The study that a full name belongs to, or "": `assay.studies.hidden_progress.noise` -> hidden_progress."""
    inner = name.removeprefix("assay.studies.").split(".")[0] if name.startswith("assay.studies.") else ""
    return inner if inner and (SOURCE / "assay" / "studies" / inner).is_dir() else ""


def violations(module: str, source: str, is_package: bool = False) -> list[str]:
    """What is wrong with the imports of a module, one sentence each."""
    own = module.split(".")[1] if "." in module else "assay"
    if own not in HEIGHT:
        return [f"{module}: {own} has no layer; give it one in LAYERS and in docs/design.md, section 2"]
    role = "a study" if study(module) else own
    found = []
    for line, name in imported(module, ast.parse(source), is_package):
        inside = name.split(".")[0] == "assay"
        other = part(name) if inside else name.split(".")[0]
        if name == "assay.__version__" or (other == own and role != "a study"):
            continue
        if other in NEVER.get(role, ()):
            found.append(f"{module}:{line}: {role} never imports {other}")
        elif not inside:
            continue
        elif other not in HEIGHT:
            found.append(f"{module}:{line}: {other} has no layer")
        elif role in ONLY and other not in ONLY[role]:
            found.append(f"{module}:{line}: {role} imports only {', '.join(sorted(ONLY[role]))}, not {other}")
        elif role == "a study" and study(name) not in {"", study(module)}:
            found.append(f"{module}:{line}: a study imports no other study, not {name}")
        elif (own, other) in EXCEPT:
            continue
        elif HEIGHT[other] > HEIGHT[own]:
            found.append(f"{module}:{line}: {other} is above {own}")
        elif HEIGHT[other] == HEIGHT[own] and other != own:
            found.append(f"{module}:{line}: {other} is beside {own}, not below it")
    return found


def modules() -> dict[str, Path]:
    found = {}
    for path in sorted((SOURCE / "assay").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def test_there_are_modules_to_look_at() -> None:
    assert {"assay", "assay.config", "assay.errors"} <= modules().keys()


def test_imports_point_downwards_only() -> None:
    wrong = []
    for module, path in modules().items():
        wrong += violations(module, path.read_text(encoding="utf-8"), path.name == "__init__.py")
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("assay.theory.bounds", "from assay.engine import run"),
        ("assay.theory.bounds", "import jax.numpy as jnp"),
        ("assay.theory.bounds", "from assay.tasks.parity import Parity"),
        ("assay.engine.xla", "from assay.theory import bounds"),
        ("assay.engine.xla", "from assay.sweep import plan"),
        ("assay.engine.xla", "from ..store import write"),
        ("assay.figures.curves", "import assay.engine"),
        ("assay.figures.curves", "from assay import sweep"),
        ("assay.figures.curves", "def draw():\n    from scipy import stats"),
        ("assay.analysis.survival", "from jax import numpy"),
        ("assay.analysis.survival", "if True:\n    from assay import Sweep"),
        ("assay.store.write", "import matplotlib.pyplot as plt"),
        ("assay.maths.walsh", "from assay.tasks import parity"),
        ("assay.errors", "from assay.config import Config"),
        ("assay", "from assay.cli import main"),
        ("assay.report.page", "from assay.cli import main"),
        ("assay.somewhere.else_", ""),
    ],
)
def test_an_import_against_the_picture_is_found(module: str, source: str) -> None:
    assert violations(module, source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "assay.theory.bounds",
            "import numpy as np\nfrom assay.maths import walsh\nfrom assay.errors import ConfigError",
        ),
        ("assay.engine.xla", "import jax\nfrom assay.trial import Trial\nfrom assay.engine.base import Engine"),
        ("assay.figures.curves", "import matplotlib\nimport polars as pl\nfrom assay.analysis import survival"),
        ("assay.store.write", "import polars as pl\nfrom assay import __version__\nfrom assay.trial import Trial"),
        ("assay.sweep.run", "from ..engine import xla\nfrom assay import store"),
        ("assay.cli.run", "import assay\nfrom assay.studies import base\nfrom assay.report import page"),
    ],
)
def test_an_import_along_the_picture_is_not(module: str, source: str) -> None:
    assert violations(module, source) == []


def test_a_study_sees_the_public_surface_and_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "assay" / "studies" / "one").mkdir(parents=True)
    (tmp_path / "assay" / "studies" / "two").mkdir()
    monkeypatch.setitem(globals(), "SOURCE", tmp_path)
    good = "from assay import Sweep, Parity\nfrom assay.figures import Curves\nfrom assay.studies.base import Study"
    assert violations("assay.studies.one.figure", good + "\nfrom assay.studies.one import shared") == []
    assert violations("assay.studies.one.figure", "from assay.engine import xla")
    assert violations("assay.studies.one.figure", "from assay.studies.two import figure")
    assert violations("assay.studies.base", "from assay.sweep import plan") == []
