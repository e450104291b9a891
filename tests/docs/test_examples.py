"""Every script of examples/ runs as it stands, and ends with a figure; its own assertions are the rest of the test."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


@pytest.mark.slow
@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_an_example_runs_and_draws_its_figure(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="example")
    (promised,) = set(re.findall(r"out/examples/[\w-]+\.png", script.read_text(encoding="utf-8")))
    assert (tmp_path / promised).stat().st_size > 10_000


@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_an_example_has_cells_and_an_assertion(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.count("\n# %%") >= 4
    assert re.search(r"^assert ", text.rpartition("\n# %%")[2], flags=re.MULTILINE)
