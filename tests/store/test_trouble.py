"""What goes wrong with a folder is said, and costs no more than it must."""

from __future__ import annotations

import dataclasses
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from assay.errors import StoreError
from assay.store import SCHEMA, Lock, Place, Store, Writer, clean, compact, prepare, request_stop, status
from assay.store.pulse import Status, beat
from assay.store.write import load_suspended, save_suspended
from tests.store.examples import identity, numbers_in, plan_of, row, written


def file_of(folder: Path, pattern: str, number: int = 0) -> Path:
    return sorted(folder.rglob(pattern))[number]


@pytest.mark.parametrize("pattern", ["runs-*.parquet", "curves-*.parquet", "*.npz"])
@pytest.mark.parametrize("kept", [0.0, 0.3, 0.99])
def test_a_torn_file_is_named_and_its_trials_count_as_not_run(tmp_path: Path, pattern: str, kept: float) -> None:
    written(tmp_path, [1, 2], [3])
    torn = file_of(tmp_path, pattern)
    torn.write_bytes(torn.read_bytes()[: int(kept * torn.stat().st_size)])
    store = Store(tmp_path)
    assert numbers_in(store) == [3]
    (problem,) = store.problems
    assert torn.name in problem
    assert "torn" in problem
    written(tmp_path, [1, 2])
    assert numbers_in(Store(tmp_path)) == [3, 1, 2]


@pytest.mark.parametrize("pattern", ["curves-*.parquet", "*.npz"])
def test_a_missing_part_is_named_and_its_trials_count_as_not_run(tmp_path: Path, pattern: str) -> None:
    written(tmp_path, [1, 2], [3])
    gone = file_of(tmp_path, pattern)
    gone.unlink()
    store = Store(tmp_path)
    assert numbers_in(store) == [3]
    assert len(store.problems) == 1
    assert gone.name in store.problems[0]


def test_parts_without_their_runs_file_do_not_count(tmp_path: Path) -> None:
    written(tmp_path, [1, 2], [3])
    file_of(tmp_path, "runs-*.parquet").unlink()
    assert numbers_in(Store(tmp_path)) == [3]


def test_a_foreign_file_is_named_and_skipped(tmp_path: Path) -> None:
    store = written(tmp_path, [1])
    pl.DataFrame({"trial": ["x"], "outcome": ["solved"]}).write_parquet(tmp_path / "runs-0000.parquet")
    (tmp_path / "notes.txt").write_text("mine")
    assert numbers_in(store) == [1]
    assert store.problems == ["runs-0000.parquet was not written by Assay; it was skipped"]


def test_a_problem_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = written(tmp_path, [1], [1])
    for _ in range(3):
        assert numbers_in(store) == [1]
    assert len(store.problems) == len(caplog.records) == 1
    assert "1 rows are there twice" in caplog.text


def test_of_two_rows_of_a_trial_the_one_written_first_counts(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for step in (111, 222):
        writer = Writer(store.place)
        made = row(1)
        writer.add(dataclasses.replace(made, result={**made.result, "step": step}))
        writer.flush()
    assert store.runs()["step"].to_list() == [111]
    assert compact(store) == 2
    assert Store(tmp_path).runs()["step"].to_list() == [111]


def test_a_store_of_a_newer_schema_is_refused_with_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("assay.store.schema.SCHEMA", SCHEMA + 1)
        patched.setattr("assay.store.schema.__version__", "9.9.9")
        written(tmp_path, [1])
    with pytest.raises(StoreError, match=r"schema 2 \(written by Assay 9\.9\.9\).*update Assay"):
        Store(tmp_path).runs()


def test_a_plan_of_a_newer_schema_is_refused_with_its_version(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_bytes(plan_of([1], schema=SCHEMA + 1))
    with pytest.raises(StoreError, match=r"plan\.json has schema 2 \(written by Assay 9\.9\.9\)"):
        Store(tmp_path).planned()


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"schema": 1}'])
def test_a_torn_plan_is_named(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "plan.json").write_bytes(text)
    store = Store(tmp_path)
    assert store.plan() is None
    assert "plan.json" in store.problems[0]


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"file/store must be a folder that can be written: Not a directory"):
        prepare(Place(tmp_path / "file" / "store"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="must be a folder that can be written: Permission denied"):
        prepare(Place(tmp_path))


def test_what_a_killed_writer_left_half_done_is_removed(tmp_path: Path) -> None:
    store = written(tmp_path, [1])
    for name in (".runs-1.parquet.77.part", "arrays/.x.npz.77.part"):
        (tmp_path / name).write_bytes(b"half")
    assert numbers_in(store) == [1]
    clean(store.place)
    assert list(tmp_path.rglob("*.part")) == []
    assert numbers_in(Store(tmp_path)) == [1]


def test_a_full_disk_keeps_the_rows_until_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = written(tmp_path, [1])
    files = store.place.names()
    writer = Writer(store.place)
    writer.add(row(2))
    room = [2]  # files: the arrays and the curves fit, the runs do not

    def fsync(descriptor: int) -> None:
        room[0] -= 1
        if room[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("assay.store.place.os.fsync", fsync)
        for _ in range(2):
            with pytest.raises(OSError, match="No space left"):
                writer.flush()
            assert list(writer.pending) == [identity(2)]
            assert store.place.names() == files  # nothing half done takes up the little room there is
            assert numbers_in(Store(tmp_path)) == [1]
    writer.add(row(3))
    assert writer.flush() == [identity(2), identity(3)]
    assert numbers_in(store) == [1, 2, 3]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A filesystem of 256 KiB, where the machine lets a test mount one."""
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", tmp_path], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("no permission to mount a filesystem")
    yield tmp_path
    subprocess.run(["umount", tmp_path], check=True)


def test_a_disk_that_really_is_full_keeps_the_rows_until_there_is_room(small_disk: Path) -> None:
    store = written(small_disk, [1])
    ballast = small_disk / "ballast"
    with pytest.raises(OSError, match="No space left"):
        ballast.write_bytes(bytes(1 << 20))
    writer = Writer(store.place)
    for number in range(2, 60):
        writer.add(row(number))
    with pytest.raises(OSError, match="No space left"):
        writer.flush()
    assert numbers_in(store) == [1]
    ballast.unlink()
    writer.flush()
    assert numbers_in(store) == list(range(1, 60))


def test_a_torn_suspended_trial_starts_again(tmp_path: Path) -> None:
    store = written(tmp_path)
    save_suspended(store.place, identity(1), "toy", 40, {})
    file = file_of(tmp_path, "*.npz")
    file.write_bytes(file.read_bytes()[:-20])
    assert load_suspended(store, identity(1), "toy") is None
    assert file.name in store.problems[0]


HOLDER = """
import sys, time
from assay.store.lock import Lock
from assay.store.place import Place
with Lock(Place(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_process_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    store = written(tmp_path, [1])
    store.place.write("plan.json", plan_of([1, 2]))
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    with holder, holder.stdout:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match=rf"in use by process {holder.pid} on .*assay stop"), Lock(store.place):
            pass
        assert numbers_in(Store(tmp_path)) == [1]  # reading is always allowed
        assert status(tmp_path).alive
        holder.send_signal(signal.SIGKILL)
    with Lock(store.place):
        assert status(tmp_path).alive
        with pytest.raises(StoreError, match=f"in use by process {os.getpid()}"), Lock(store.place):
            pass
    assert not status(tmp_path).alive


def test_asking_for_the_status_does_not_keep_a_writer_out(tmp_path: Path) -> None:
    store = written(tmp_path, [1])
    (tmp_path / "lock").touch()
    reader = subprocess.Popen(
        [sys.executable, "-c", f"import fcntl, time\nf = open({str(tmp_path / 'lock')!r})\n"
         "fcntl.flock(f, fcntl.LOCK_SH)\nprint('held', flush=True)\ntime.sleep(0.2)"],
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert reader.stdout is not None
    with reader, reader.stdout:
        assert reader.stdout.readline() == "held\n"
        with Lock(store.place):
            pass


def test_the_status_counts_the_planned_trials_by_outcome(tmp_path: Path) -> None:
    store = written(tmp_path, [1, 2, 3], [99])
    store.place.write("plan.json", plan_of(range(1, 8)))
    save_suspended(store.place, identity(4), "toy", 1, {})
    found = status(tmp_path)
    assert (found.total, found.solved, found.censored, found.done, found.suspended) == (7, 2, 1, 3, 1)
    assert found.line() == "3 of 7 trials, 2 solved, 1 censored, 1 suspended, not running"
    with Lock(store.place):
        beat(store.place, Status(total=7, running=2, steps_per_second=5e4, eta=700.0))
        assert status(tmp_path).line() == (
            "3 of 7 trials, 2 solved, 1 censored, 2 running, 2 waiting, 50,000 run-steps/s, about 12 min left"
        )
        assert request_stop(tmp_path)
        assert (tmp_path / "stop").exists()
    assert not request_stop(tmp_path)


def test_a_store_without_locks_is_alive_while_its_heart_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    store = written("memory://pulse/store")
    store.place.write("plan.json", plan_of([1]))
    assert not status("memory://pulse/store").alive
    beat(store.place, Status(total=1))
    assert status("memory://pulse/store").alive
    later = time.time() + 60
    monkeypatch.setattr("assay.store.pulse.time.time", lambda: later)
    assert not status("memory://pulse/store").alive


def test_a_folder_without_a_plan_has_no_status(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"must be the folder of a sweep, but it has no plan\.json"):
        status(tmp_path)
