"""What holds for the repository as a whole: what an import costs, how large a module is, what the pins say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LARGEST = 600
HEAVY = ("jax", "jaxlib", "matplotlib", "optax", "polars", "scipy", "torch")

ADDRESS = re.compile(r"https?://\S+|--(extra-)?index-url|--find-links|--trusted-host")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def loaded_by(statement: str) -> set[str]:
    """The heavy packages that a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return set(json.loads(ended.stdout.splitlines()[-1]))


def pins(text: str) -> dict[str, str]:
    """Name and version of every pin of a requirements file."""
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", text, flags=re.MULTILINE))


@pytest.mark.parametrize("module", ["assay", "assay.config", "assay.errors", "assay.cli.main"])
def test_the_surface_loads_nothing_heavy(module: str) -> None:
    assert loaded_by(f"import {module}") == set()


def test_a_heavy_import_is_noticed() -> None:
    assert loaded_by("import scipy") == {"scipy"}


def test_modules_stay_readable_in_one_sitting() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "src").rglob("*.py")}
    assert sizes
    large = [f"{path.relative_to(ROOT)}: {size} lines, split it" for path, size in sizes.items() if size > LARGEST]
    assert not large, "\n".join(large)


@pytest.mark.parametrize("name", ["requirements", "pyproject.toml", "Makefile", ".ci/run"])
def test_no_file_names_an_index(name: str) -> None:
    place = ROOT / name
    files = sorted(place.iterdir()) if place.is_dir() else [place]
    assert files
    named = [f"{path.name}: {found.group()}" for path in files if (found := ADDRESS.search(path.read_text("utf-8")))]
    assert not named


def test_an_index_would_be_seen() -> None:
    assert ADDRESS.search("--index-url somewhere")
    assert ADDRESS.search("numpy @ https://example.org/numpy.whl")
    assert not ADDRESS.search("numpy==2.4.6 \\\n    --hash=sha256:00\n    # via assay (pyproject.toml)")


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("runtime.txt", PROJECT["project"]["dependencies"]),
        ("build.txt", PROJECT["dependency-groups"]["build"]),
        ("dev.txt", PROJECT["dependency-groups"]["dev"]),
        ("torch.txt", PROJECT["project"]["optional-dependencies"]["torch"]),
    ],
)
def test_pins_satisfy_what_the_project_asks_for(file: str, wanted: list[str]) -> None:
    pinned = pins((ROOT / "requirements" / file).read_text(encoding="utf-8"))
    for requirement in map(Requirement, wanted):
        assert requirement.name in pinned, f"{requirement.name} is not pinned: make pins"
        assert requirement.specifier.contains(pinned[requirement.name]), f"{requirement}: make pins"


def test_one_package_has_one_version_in_every_file_of_pins() -> None:
    seen: dict[str, str] = {}
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        for name, version in pins(path.read_text(encoding="utf-8")).items():
            assert seen.setdefault(name, version) == version, f"{path.name}: {name}"
