"""What is written is there, once, with the types of its fields, in the order of the plan, on any filesystem."""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys
import uuid
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.store import SCHEMA, Store, Writer, compact, prepare
from assay.store.place import Place
from assay.store.schema import RESULT
from assay.store.write import MANY, drop_suspended, load_suspended, save_suspended
from tests.store.examples import identity, numbers_in, plan_of, row, written


@pytest.fixture(params=["disk", "memory"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "a" / "store") if request.param == "disk" else f"memory://{uuid.uuid4().hex}/store"


def test_what_was_flushed_is_there_for_every_reader(folder: str) -> None:
    store = written(folder, [3, 1], [2])
    assert numbers_in(store) == [3, 1, 2]
    assert numbers_in(Store(folder)) == [3, 1, 2]
    assert store.outcomes() == {identity(3): "censored", identity(1): "solved", identity(2): "solved"}
    assert store.problems == []


def test_a_reader_sees_what_was_written_since(folder: str) -> None:
    store = written(folder, [1])
    reader = Store(folder)
    assert numbers_in(reader) == [1]
    written(folder, [2])
    assert numbers_in(reader) == numbers_in(store) == [1, 2]


def test_a_store_that_is_not_there_is_empty(folder: str) -> None:
    store = Store(folder)
    assert numbers_in(store) == []
    assert store.planned() == []
    assert store.outcomes() == {}
    assert store.runs().columns == ["trial", *(name for name, _ in RESULT)]


def test_nothing_is_written_before_the_flush(folder: str) -> None:
    store = Store(folder)
    prepare(store.place)
    writer = Writer(store.place)
    writer.add(row(1))
    assert store.place.names() == []
    assert writer.flush() == [identity(1)]
    assert writer.flush() == []
    assert numbers_in(store) == [1]


def test_rows_come_in_the_order_of_the_plan_and_unplanned_ones_last(folder: str) -> None:
    store = written(folder, [9, 2, 5], [4, 1])
    store.place.write("plan.json", plan_of([1, 2, 3, 4, 5]))
    assert numbers_in(store) == [1, 2, 4, 5, 9]
    assert store.curves()["trial"].unique(maintain_order=True).to_list() == [identity(i) for i in (1, 2, 4, 5, 9)]


def test_columns_have_a_fixed_order(folder: str) -> None:
    names = written(folder, [1]).runs().columns
    head = ["trial", "task.kind", "task.n", "optimiser.learning_rate", "seed"]
    assert names == [*head, *(name for name, _ in RESULT), "final.loss"]


def test_types_are_those_of_the_fields_and_whole_numbers_mix_with_others(folder: str) -> None:
    store = Store(folder)
    prepare(store.place)
    writer = Writer(store.place)
    whole = dataclasses.replace(row(1), config={"net.scale": 2}, types=(("net.scale", pl.Int64),))
    broken = dataclasses.replace(row(2), config={"net.scale": 0.5}, types=(("net.scale", pl.Float64),))
    absent = dataclasses.replace(row(3), config={"net.width": None}, types=(("net.width", pl.Int64),))
    writer.add(whole)
    writer.flush()
    writer.add(broken)
    writer.add(absent)
    writer.flush()
    frame = store.runs()
    assert frame.schema["net.scale"] == pl.Float64
    assert frame.schema["net.width"] == pl.Int64
    assert frame["net.scale"].to_list() == [2.0, 0.5, None]
    assert frame.schema["quantity"] == pl.String  # though every value is null


def test_curves_of_different_measures_stand_below_each_other(folder: str) -> None:
    store = Store(folder)
    prepare(store.place)
    writer = Writer(store.place)
    writer.add(row(1))
    writer.add(dataclasses.replace(row(2), curves={"step": np.array([7]), "eval/error": np.array([0.5])}))
    writer.add(row(3, recorded=False))
    writer.flush()
    curves = store.curves()
    assert curves.columns == ["trial", "step", "eval/error", "train/loss"]
    assert curves["step"].to_list() == [0, 1, 7]
    assert curves["eval/error"].to_list() == [None, None, 0.5]


def test_a_row_is_due_after_some_seconds_or_when_there_are_many(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    now = itertools.count(start=100.0, step=0.5)
    monkeypatch.setattr("assay.store.write.time.monotonic", lambda: next(now))
    writer = Writer(Place(tmp_path))
    assert not writer.due()
    writer.add(row(1))
    assert [writer.due() for _ in range(5)] == [False, False, False, True, True]
    monkeypatch.setattr("assay.store.write.time.monotonic", lambda: 100.0)
    monkeypatch.setattr("assay.store.write.ROWS", 3)
    writer = Writer(Place(tmp_path))
    due = []
    for number in range(3):
        writer.add(row(number))
        due.append(writer.due())
    assert due == [False, False, True]
    monkeypatch.setattr("assay.store.write.BYTES", 1)
    writer.flush()
    writer.add(row(4))
    assert writer.due()


def test_merging_changes_nothing_but_the_number_of_files(folder: str) -> None:
    store = written(folder, [1, 2], [3], [4, 5])
    reader = Store(folder)
    before, curves = reader.runs(), reader.curves()
    assert compact(store) == 3
    assert len([name for name in store.place.names() if name.startswith("runs-")]) == 1
    assert len([name for name in store.place.names() if name.startswith("curves-")]) == 1
    for each in (store, reader, Store(folder)):
        assert numbers_in(each) == [1, 2, 3, 4, 5]
        assert each.runs().equals(before)
        assert each.curves().equals(curves)
        assert each.problems == []
    assert compact(store) == 0
    written(folder, [6])
    assert compact(store) == 2
    assert numbers_in(Store(folder)) == [1, 2, 3, 4, 5, 6]


def test_few_fragments_and_large_ones_are_left_as_they_are(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = written(folder, [1], [2])
    assert compact(store, MANY) == 0
    monkeypatch.setattr("assay.store.write.SMALL", 10)
    assert compact(store) == 0


def test_a_merge_that_was_killed_half_way_shows_every_trial_once(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = written(folder, [1, 2], [3])

    class Killed(BaseException):
        pass

    def killed(place: Place, name: str) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Place, "remove", killed)
        with pytest.raises(Killed):
            compact(store)
    assert len([name for name in store.place.names() if name.startswith("runs-")]) == 3
    late = Store(folder)
    assert numbers_in(late) == [1, 2, 3]
    assert late.problems == []
    written(folder, [4])
    assert compact(late) == 2
    assert numbers_in(Store(folder)) == [1, 2, 3, 4]
    assert len([name for name in store.place.names() if name.startswith("runs-")]) == 1


@settings(max_examples=15)
@given(st.lists(st.one_of(st.integers(0, 9), st.sampled_from(["flush", "compact", "restart"])), max_size=20))
def test_whatever_the_order_of_writes_the_first_of_each_trial_counts(doings: list[int | str]) -> None:
    place = Place(f"memory://{uuid.uuid4().hex}")
    store, writer = Store(place.address), Writer(place)
    expected: list[int] = []
    waiting: list[int] = []
    for doing in [*doings, "flush"]:
        if isinstance(doing, int):
            writer.add(row(doing))
            waiting.append(doing)
        elif doing == "flush":
            writer.flush()
            expected, waiting = list(dict.fromkeys(expected + waiting)), []
        elif doing == "compact":
            compact(store)
        else:  # what was not flushed is gone
            store, writer, waiting = Store(place.address), Writer(place), []
    assert sorted(numbers_in(store)) == sorted(expected)


def test_a_suspended_trial_is_kept_for_its_engine_and_version(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = written(folder)
    state = {"leaf_0": np.arange(6, dtype=np.float32).reshape(2, 3), "steps": np.array([1, 2])}
    assert load_suspended(store, identity(1), "toy") is None
    save_suspended(store.place, identity(1), "toy", 40, state)
    assert store.suspended() == [identity(1)]
    kept = load_suspended(store, identity(1), "toy")
    assert kept is not None
    step, found = kept
    assert step == 40
    assert found.keys() == state.keys()
    assert all(np.array_equal(found[name], state[name]) and found[name].dtype == state[name].dtype for name in state)
    assert load_suspended(store, identity(1), "other") is None
    with monkeypatch.context() as patched:
        patched.setattr("assay.store.write.__version__", "9.9")
        assert load_suspended(store, identity(1), "toy") is None
    drop_suspended(store.place, [identity(1), identity(2)])
    assert store.suspended() == []


def test_files_carry_the_version_of_the_schema(tmp_path: Path) -> None:
    written(tmp_path, [1])
    files = sorted(tmp_path.glob("*.parquet"))
    assert len(files) == 2
    assert all(pl.read_parquet_metadata(file)["assay.schema"] == str(SCHEMA) for file in files)


def test_reading_a_store_loads_no_jax() -> None:
    code = "import sys, assay.store; print([name for name in ('jax', 'matplotlib') if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
