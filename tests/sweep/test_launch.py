"""A run trains what is missing and nothing else, stops at any moment, and loses nothing that it has reported."""

from __future__ import annotations

import errno
import gc
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assay.errors import PlanError, StoreError
from assay.store import TIMING, Lock, Store, request_stop, status
from assay.store.place import Place
from assay.store.write import save_suspended
from assay.sweep import Runs, Sweep, axis, run, seeds
from assay.trial import Outcome
from tests.sweep.toy import BASE, RECORDED, WIDE, Toy, end

SWEEP = Sweep(RECORDED, seeds(30))


def quietly(sweep: Sweep, folder: Path | None = None) -> Runs:
    return run(sweep, folder, progress=False)


def once(true: Callable[[], bool], do: Callable[[], object]) -> None:
    """Does something, from another thread, when a condition has come true."""

    def wait() -> None:
        while not true():
            time.sleep(0.02)
        do()

    threading.Thread(target=wait, daemon=True).start()


def same(one: Runs, other: Runs) -> None:
    """Equal row for row, timing apart: the runs, the curves and the arrays."""
    assert_frame_equal(one.frame.drop(TIMING), other.frame.drop(TIMING), check_exact=True)
    assert_frame_equal(one.curves, other.curves, check_exact=True)
    arrays, others = one.arrays("weights/first_layer"), other.arrays("weights/first_layer")
    assert list(arrays) == list(others)
    assert all(np.array_equal(arrays[trial], others[trial]) for trial in arrays)


def test_a_run_gives_a_row_for_every_trial_in_the_order_of_the_sweep(toy: Toy) -> None:
    runs = quietly(SWEEP + Sweep(WIDE, seeds(2)))
    trials = (SWEEP + Sweep(WIDE, seeds(2))).trials()
    assert runs.frame["trial"].to_list() == [trial.identity for trial in trials]
    ends = [end(trial) for trial in trials]
    assert runs.frame["outcome"].to_list() == [str(outcome) for outcome, _ in ends]
    assert runs.frame["step"].to_list() == [step for _, step in ends]
    assert {outcome for outcome, _ in ends} == {Outcome.SOLVED, Outcome.CENSORED}
    assert runs.frame["seed"].to_list() == [*range(30), 0, 1]
    assert runs.frame["net.width"].to_list() == [None] * 30 + [8, 8]
    assert runs.frame["final.loss"].to_list() == [1 / step for _, step in ends]
    assert not runs.interrupted
    assert runs.missing == 0


def test_columns_are_the_leaves_with_the_types_of_their_fields(toy: Toy) -> None:
    whole = BASE.replace(batch="all", data={"kind": "offline", "samples": 700}, solve=None)
    explicit = BASE.replace(task={"kind": "parity", "n": 10, "k": 2, "subset": (3, 4)})
    frame = run([whole, explicit], progress=False).frame
    kinds = {"task.n": pl.Int64, "batch": pl.Int64, "optimiser.learning_rate": pl.Float64, "solve.fresh": pl.Boolean}
    kinds |= {"task.subset": pl.String, "net.kind": pl.String, "net.degree": pl.Int64, "optimiser.rates": pl.String}
    assert {name: frame.schema[name] for name in kinds} == kinds
    assert frame["batch"].to_list() == [700, 32]
    assert frame["task.subset"].to_list() == ["first", "[3, 4]"]
    assert frame["solve.sample"].to_list() == [None, 8192]
    assert "solve" not in frame.columns


def test_curves_and_arrays_belong_to_their_trials(toy: Toy) -> None:
    runs = quietly(SWEEP)
    last = runs.curves.group_by("trial", maintain_order=True).last()
    assert last["trial"].to_list() == runs.frame["trial"].to_list()
    assert last["step"].to_list() == runs.frame["step"].to_list()
    arrays = runs.arrays("weights/first_layer")
    assert [array[0, 0, 0] for array in arrays.values()] == list(range(30))
    assert runs.arrays("weights/none") == {}


def test_what_the_store_holds_is_not_run_again(toy: Toy, tmp_path: Path) -> None:
    first = quietly(SWEEP, tmp_path)
    toy.trained.clear()
    same(quietly(SWEEP, tmp_path), first)
    assert toy.trained == []
    more = quietly(Sweep(RECORDED, seeds(33)), tmp_path)
    assert toy.trained == [30, 31, 32]
    assert more.frame.height == 33


def test_another_sweep_extends_the_folder_and_gets_its_own_rows(toy: Toy, tmp_path: Path) -> None:
    quietly(Sweep(BASE, seeds(4)), tmp_path)
    other = quietly(Sweep(WIDE, seeds(3)), tmp_path)
    assert other.frame["net.kind"].to_list() == ["mlp"] * 3
    assert Store(tmp_path).runs()["net.kind"].to_list() == ["polynet"] * 4 + ["mlp"] * 3
    assert status(tmp_path).total == 7


def test_results_without_a_folder_go_with_their_object(toy: Toy) -> None:
    runs = quietly(SWEEP)
    folder = Path(runs.store.folder)
    assert folder.is_dir()
    del runs
    gc.collect()
    assert not folder.exists()


@pytest.mark.parametrize("pattern", ["runs-*.parquet", "curves-*.parquet", "*.npz"])
def test_the_trials_of_a_torn_file_run_again_and_no_others(toy: Toy, tmp_path: Path, pattern: str) -> None:
    quietly(Sweep(RECORDED, seeds(10)), tmp_path)
    torn = next(tmp_path.rglob(pattern))
    quietly(Sweep(RECORDED, seeds(15)), tmp_path)
    torn.write_bytes(torn.read_bytes()[:100])
    toy.trained.clear()
    runs = quietly(Sweep(RECORDED, seeds(15)), tmp_path)
    assert toy.trained == list(range(10))
    assert any(torn.name in problem for problem in runs.problems)
    same(runs, quietly(Sweep(RECORDED, seeds(15))))


def test_a_store_in_memory_is_a_store(toy: Toy) -> None:
    same(run(SWEEP, "memory://launch/store", progress=False), quietly(SWEEP))
    toy.trained.clear()
    assert run(SWEEP, "memory://launch/store", progress=False).frame.height == 30
    assert toy.trained == []


# -- stopping --------------------------------------------------------------------------------------------------------


def test_a_request_to_stop_is_honoured_within_a_second_and_the_rest_goes_on_later(toy: Toy, tmp_path: Path) -> None:
    asked = []

    def ask() -> None:
        assert request_stop(tmp_path)
        asked.append(time.monotonic())

    toy.pace = 0.02
    toy.at(2, ask)
    stopped = quietly(SWEEP, tmp_path)
    assert time.monotonic() - asked[0] < 2  # on a busy machine
    assert stopped.interrupted
    assert 0 < stopped.missing < 30
    assert status(tmp_path).suspended == 1
    assert not status(tmp_path).alive
    assert not (tmp_path / "stop").exists()
    toy.pace = 0.0
    ended = quietly(SWEEP, tmp_path)
    assert not ended.interrupted
    assert toy.steps == sum(end(trial)[1] for trial in SWEEP.trials())  # no step was trained twice
    assert status(tmp_path).suspended == 0
    same(ended, quietly(SWEEP))


def test_a_request_from_before_the_start_does_not_stop_a_run(toy: Toy, tmp_path: Path) -> None:
    (tmp_path / "stop").touch()
    assert not quietly(SWEEP, tmp_path).interrupted


def test_suspended_trials_come_first_and_those_that_have_ended_are_forgotten(toy: Toy, tmp_path: Path) -> None:
    quietly(Sweep(BASE, seeds(2)), tmp_path)
    for seed in (1, 4):
        save_suspended(Place(tmp_path), BASE.reseeded(seed).identity, "toy", 10, {})
    toy.trained.clear()
    quietly(Sweep(BASE, seeds(6)), tmp_path)
    assert toy.trained == [4, 2, 3, 5]
    assert Store(tmp_path).suspended() == []


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_one_interrupt_saves_and_returns(toy: Toy, tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    toy.pace = 0.02
    toy.at(2, interrupt)
    stopped = quietly(SWEEP, tmp_path)
    assert stopped.interrupted
    assert stopped.frame.height > 0
    assert Store(tmp_path).suspended()
    assert signal.getsignal(signal.SIGINT) is before
    toy.pace = 0.0
    same(quietly(SWEEP, tmp_path), quietly(SWEEP))


def test_two_interrupts_end_at_once_and_what_had_ended_is_written(toy: Toy, tmp_path: Path) -> None:
    toy.stuck = 5  # in a chunk that does not end
    written = lambda: len(Store(tmp_path).outcomes()) == 5  # noqa: E731
    toy.at(5, lambda: (interrupt(), once(written, interrupt)))
    with pytest.raises(KeyboardInterrupt):
        quietly(SWEEP, tmp_path)
    assert not toy.release.is_set()
    assert Store(tmp_path).runs()["seed"].to_list() == [0, 1, 2, 3, 4]
    toy.release.set()
    same(quietly(SWEEP, tmp_path), quietly(SWEEP))


def test_off_the_main_thread_signals_are_left_alone(toy: Toy) -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(quietly(SWEEP).frame.height))
    thread.start()
    thread.join()
    assert found == [30]


# -- trouble ---------------------------------------------------------------------------------------------------------


def test_nothing_starts_in_a_folder_that_cannot_be_written(toy: Toy, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="must be a folder that can be written"):
        quietly(SWEEP, tmp_path / "file" / "store")
    with pytest.raises(PlanError):
        quietly(Sweep(BASE, axis("task.k", 99)), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    assert toy.trained == []


def test_nothing_starts_in_a_folder_in_use(toy: Toy, tmp_path: Path) -> None:
    with Lock(Place(tmp_path)), pytest.raises(StoreError, match="in use by process"):
        quietly(SWEEP, tmp_path)
    assert toy.trained == []


def full(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """From now on there is no room for files whose name begins so."""
    write = Place.write

    def refuse(self: Place, file: str, data: bytes, durable: bool = True) -> None:
        if file.startswith(name):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(self, file, data, durable)

    monkeypatch.setattr(Place, "write", refuse)


def test_a_full_disk_stops_the_run_says_what_is_not_saved_and_costs_nothing_else(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quietly(Sweep(RECORDED, seeds(5)), tmp_path)
    toy.trained.clear()
    with monkeypatch.context() as patched:
        patched.setattr("assay.store.write.ROWS", 3)
        full(patched, "runs-")
        toy.pace = 0.02
        with pytest.raises(StoreError, match=r"cannot be written \(No space left on device\): \d+ trials") as error:
            quietly(SWEEP, tmp_path)
    (kept,) = Store(tmp_path).suspended()
    lost = [seed for seed in toy.trained if RECORDED.reseeded(seed).identity != kept]
    assert 3 <= len(lost) < 25
    assert f"{len(lost)} trials ({RECORDED.reseeded(lost[0]).identity}" in str(error.value)
    assert Store(tmp_path).runs()["seed"].to_list() == list(range(5))
    toy.pace = 0.0
    same(quietly(SWEEP, tmp_path), quietly(SWEEP))


def test_a_disk_that_has_room_again_at_the_end_loses_nothing(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy.pace = 0.02
    with monkeypatch.context() as patched:
        patched.setattr("assay.store.write.ROWS", 3)
        refusals = [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))]
        write = Place.write

        def once(self: Place, file: str, data: bytes, durable: bool = True) -> None:
            if file.startswith("runs-") and refusals:
                raise refusals.pop()
            write(self, file, data, durable)

        patched.setattr(Place, "write", once)
        stopped = quietly(SWEEP, tmp_path)
    assert 0 < stopped.frame.height < 30
    assert stopped.interrupted
    (kept,) = Store(tmp_path).suspended()
    assert stopped.frame["seed"].to_list() == [s for s in toy.trained if RECORDED.reseeded(s).identity != kept]


def test_no_room_for_the_plan_starts_nothing(toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full(monkeypatch, "plan.json")
    with pytest.raises(StoreError, match="the plan cannot be written"):
        quietly(SWEEP, tmp_path)
    assert toy.trained == []


def test_no_room_for_a_state_is_reported_and_the_trial_starts_again(
    toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy.pace = 0.02
    toy.at(2, lambda: request_stop(tmp_path))
    with monkeypatch.context() as patched:
        full(patched, "suspended/")
        stopped = quietly(SWEEP, tmp_path)
    assert stopped.interrupted
    assert "could not be saved; they start again from step 0" in stopped.problems[0]
    toy.pace = 0.0
    same(quietly(SWEEP, tmp_path), quietly(SWEEP))


def test_what_ended_before_an_engine_broke_is_written(toy: Toy, tmp_path: Path) -> None:
    toy.broken = 7
    with pytest.raises(RuntimeError, match="the engine is broken"):
        quietly(SWEEP, tmp_path)
    assert Store(tmp_path).runs()["seed"].to_list() == list(range(7))
    toy.broken = None
    same(quietly(SWEEP, tmp_path), quietly(SWEEP))


# -- showing ---------------------------------------------------------------------------------------------------------


def test_a_run_can_be_watched_from_outside(toy: Toy, tmp_path: Path) -> None:
    seen = []
    toy.pace = 0.005
    toy.at(60, lambda: seen.append(status(tmp_path)))
    toy.at(61, lambda: request_stop(tmp_path))
    quietly(Sweep(BASE, seeds(1000)), tmp_path)
    (found,) = seen
    assert found.alive
    assert (found.total, found.running) == (1000, 1)
    assert found.steps_per_second is not None
    assert 0 < found.steps_per_second < 1.1 * 10 / 0.005
    assert found.eta is not None
    assert found.process is not None
    assert str(os.getpid()) in found.process


def test_progress_goes_to_stderr_in_plain_lines_now_and_then(
    toy: Toy, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.sweep.progress.FIRST_LINE", 0.3)
    toy.pace = 0.01
    run(Sweep(BASE, seeds(20)), progress="plain")
    out, err = capfd.readouterr()
    assert out == ""
    assert 1 <= len(err.splitlines()) <= 8
    assert all(" of 20 trials, " in line and " run-steps/s" in line for line in err.splitlines())


@pytest.mark.parametrize("progress", [False, True])
def test_a_silent_run_writes_nothing_and_a_short_one_neither(
    toy: Toy, capfd: pytest.CaptureFixture[str], progress: bool
) -> None:
    run(Sweep(BASE, seeds(5)), progress=progress)
    assert capfd.readouterr() == ("", "")


def test_a_terminal_gets_a_display_that_is_kept_up_to_date(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    from assay.sweep import progress

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("COLUMNS", "200")
    toy.pace = 0.005
    run(Sweep(BASE, seeds(20)), progress=True)
    assert isinstance(progress.find_display(True), progress.Screen)
    shown = terminal.getvalue()
    for words in (
        "20 of 20",
        " solved",
        " censored",
        " diverged",
        " failed",
        "running",
        "waiting",
        "run-steps/s",
        "left",
    ):
        assert words in shown


def test_runs_describe_themselves(toy: Toy) -> None:
    runs = quietly(SWEEP)
    assert repr(runs).startswith("<Runs of 30 trials: ")
    assert "solved" in repr(runs)
    assert "<table" in runs._repr_html_()


def test_small_fragments_of_a_long_run_are_merged(toy: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sweep.launch.MANY", 5)
    monkeypatch.setattr("assay.store.write.ROWS", 1)
    runs = quietly(SWEEP, tmp_path)
    assert len(list(tmp_path.glob("runs-*"))) == 1
    same(runs, quietly(SWEEP))
