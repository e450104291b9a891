from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assay.errors import ConfigError, StoreError
from tests.figures.examples import progress_measure, solve_times, two_displays

ROOT = Path(__file__).parents[2]

PROGRAM = """
import hashlib, sys
from tests.figures.examples import solve_times
for kind in ("png", "svg", "pdf"):
    print(hashlib.sha256(solve_times().picture(kind)).hexdigest())
assert "matplotlib.pyplot" not in sys.modules and "jax" not in sys.modules
"""


@pytest.mark.slow
def test_two_saves_give_the_same_bytes(tmp_path: Path):
    first, second = (progress_measure().save(tmp_path / name, "movement", dark=True) for name in ("a", "b"))
    assert [path.name for path in first] == [
        *["movement.csv", "movement.parquet", "movement.md"],
        *["movement.png", "movement.svg", "movement.pdf"],
        *["movement.dark.png", "movement.dark.svg", "movement.dark.pdf"],
    ]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
    assert (tmp_path / "a" / "movement.svg").read_bytes() != (tmp_path / "a" / "movement.dark.svg").read_bytes()


@pytest.mark.slow
def test_another_process_gives_the_same_bytes_and_needs_no_pyplot():
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)
    here = [hashlib.sha256(solve_times().picture(kind)).hexdigest() for kind in ("png", "svg", "pdf")]
    assert done.stdout.split() == here


def test_the_table_beside_the_figure_is_the_table(tmp_path: Path):
    display = progress_measure()
    display.save(tmp_path, "progress", formats=())
    assert_frame_equal(pl.read_parquet(tmp_path / "progress.parquet"), display.table)
    assert_frame_equal(pl.read_csv(tmp_path / "progress.csv"), display.table, check_dtypes=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["progress.csv", "progress.md", "progress.parquet"]


def test_the_caption_is_a_file_too(tmp_path: Path):
    two_displays().save(tmp_path, "board", formats=())
    assert (tmp_path / "board.md").read_text() == "# Hidden progress\n\nTwo measures.\n"


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_pictures_carry_no_date_and_no_version(kind: str):
    content = progress_measure().picture(kind).lower()
    for trace in (b"matplotlib v", b"matplotlib.org", b"creationdate", b"dc:date", b"time"):
        assert trace not in content


def test_pdf_fonts_are_truetype():
    content = progress_measure().picture("pdf")
    assert b"/FontFile2" in content
    assert b"/Type3" not in content


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    progress_measure().save(tmp_path, "progress", formats=("png",))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def no_room(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", no_room)
    with pytest.raises(
        StoreError, match=r"cannot write figures into .*: No space left on device; choose another folder"
    ):
        solve_times().save(tmp_path, "progress", formats=("png",))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot write figures into"):
        progress_measure().save(tmp_path / "file", "progress", formats=())


@pytest.mark.parametrize("name", ["", "a/b", "..", ".hidden"])
def test_names_that_leave_the_folder_are_refused(tmp_path: Path, name: str):
    with pytest.raises(ConfigError, match="name must be a plain file name"):
        progress_measure().save(tmp_path, name)


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path):
    with pytest.raises(ConfigError, match="formats must be among png, svg, pdf, got 'jpg'"):
        progress_measure().save(tmp_path, "progress", formats=("png", "jpg"))
    assert not list(tmp_path.iterdir())
