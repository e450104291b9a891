"""The ledger, reproduction, and what both print."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import StoreError
from assay.studies import ledger
from assay.studies.claims import Entry, read_ledger, write_ledger

pytestmark = pytest.mark.usefixtures("toy")

KEYS = {"id", "study", "source", "statement", "kind", "scale", "criterion", "value", "interval", "verdict"}
FILES = {f"{name}.{kind}" for name in ("learn", "sums") for kind in ("png", "svg", "pdf", "csv", "parquet", "md")}


def entry(**changes: Any) -> Entry:
    made: dict[str, Any] = {
        "id": "toy-1", "study": "toy", "source": "s", "statement": "s", "kind": "experiment", "scale": "smoke",
        "criterion": "c", "value": 1.0, "interval": None, "verdict": "holds", "table": "learn.csv",
    }  # fmt: skip
    return Entry(**made | changes)


def written(folder: Path, *entries: Entry, time: float) -> Path:
    folder.mkdir(parents=True)
    write_ledger(entries, folder / "claims.json")
    os.utime(folder / "claims.json", (time, time))
    return folder


def test_a_claim_that_was_not_run_is_undecided(command: Callable) -> None:
    ended = command("claims", "--json")
    rows = json.loads(ended.out)
    assert ended.code == 0
    assert [row["id"] for row in rows] == ["toy-1", "toy-2", "toy-2-printed", "toy-3"]
    for row in rows:
        assert row.keys() >= KEYS
        assert (row["verdict"], row["value"], row["note"], row["scale"]) == ("undecided", None, "not run", "smoke")
    assert rows[0]["criterion"] == "all"
    assert json.loads(command("claims", "--scale", "desk", "--json").out)[0]["criterion"] == "none"


def test_the_newest_result_at_a_scale_counts(tmp_path: Path) -> None:
    written(tmp_path / "a", entry(value=1.0), time=100)
    written(tmp_path / "b" / "c", entry(value=2.0), entry(id="toy-2", value=5.0), time=300)
    written(tmp_path / "d", entry(value=3.0), entry(scale="desk", value=4.0, verdict="fails"), time=200)
    rows = ledger.ledger(tmp_path)
    assert [(row.id, row.scale, row.value) for row in rows] == [
        ("toy-1", "smoke", 2.0),
        ("toy-1", "desk", 4.0),
        ("toy-2", "smoke", 5.0),
        ("toy-2-printed", "smoke", None),
        ("toy-3", "smoke", None),
    ]
    assert rows[0].table == str(tmp_path / "b" / "c" / "learn.csv")
    assert [row.value for row in ledger.ledger(tmp_path, scale="desk")] == [4.0, None, None, None]


def test_own_results_go_before_kept_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ledger, "__file__", str(tmp_path / "studies" / "ledger.py"))
    written(tmp_path / "studies" / "toy" / "kept" / "desk", entry(scale="desk", value=7.0), time=900)
    assert ledger.ledger()[0].value == 7.0
    written(tmp_path / "out" / "mine", entry(scale="desk", value=8.0), time=100)
    assert [(row.scale, row.value) for row in ledger.ledger()[:1]] == [("desk", 8.0)]


def test_a_file_that_is_no_ledger_is_named_and_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    written(tmp_path / "good", entry(), time=100)
    for i, content in enumerate(("{", "[3]", '[{"id": 1}]')):
        (tmp_path / str(i)).mkdir()
        (tmp_path / str(i) / "claims.json").write_text(content)
    with caplog.at_level(logging.WARNING):
        assert ledger.ledger(tmp_path)[0].verdict == "holds"
    assert sum("is not a ledger" in message and "claims.json" in message for message in caplog.messages) == 3


def test_a_folder_without_results_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"must have a claims\.json in it"):
        ledger.recorded(tmp_path)


def test_only_what_is_no_erratum_is_contradicted() -> None:
    rows = [entry(), entry(verdict="fails"), entry(verdict="fails", kind="errata"), entry(verdict="undecided")]
    assert ledger.contradicted(rows) == rows[1:2]


def test_a_claim_that_fails_is_the_exit_code_of_claims(command: Callable, tmp_path: Path) -> None:
    written(tmp_path / "out", entry(), entry(id="toy-2-printed", kind="errata", verdict="fails"), time=1)
    assert command("claims").code == 0
    write_ledger([entry(verdict="fails")], tmp_path / "out" / "claims.json")
    ended = command("claims")
    assert ended.code == 1
    assert "4 claims: 3 undecided, 1 fail" in ended.err.replace("1 fail, 3 undecided", "3 undecided, 1 fail")


def test_a_study_is_reproduced_with_its_figures_tables_and_claims(command: Callable, tmp_path: Path) -> None:
    ended = command("reproduce", "toy", "--out", "made", "--quiet")
    assert ended.code == 0
    assert {path.name for path in (tmp_path / "made").iterdir()} == FILES | {"claims.json", "runs"}
    verdicts = {row.id: row.verdict for row in read_ledger(tmp_path / "made" / "claims.json")}
    assert verdicts == {"toy-1": "holds", "toy-2": "holds", "toy-2-printed": "fails", "toy-3": "undecided"}
    for claim, verdict in verdicts.items():
        assert any(line.split()[:3] == [claim, "smoke", verdict] for line in ended.out.splitlines())
    assert ended.out.splitlines()[-1] == "figures, tables and claims.json: made"
    assert "4 claims: 2 hold, 1 undecided, 1 fail (1 of them wrong as printed)" in ended.err
    rows = json.loads(command("claims", "--results", "made", "--json").out)
    assert {row["id"]: row["verdict"] for row in rows} == verdicts
    assert rows[0]["interval"] == [1.0, 1.0]
    assert rows[0]["table"] == "made/learn.csv"


def test_a_claim_that_fails_is_the_exit_code_of_its_reproduction(command: Callable) -> None:
    ended = command("reproduce", "toy/learn", "--scale", "desk", "--quiet", "--json")
    told = json.loads(ended.out)
    assert ended.code == 1
    assert (told["folder"], told["experiments"], told["page"]) == ("out/toy-desk", ["learn"], None)
    assert [(claim["id"], claim["verdict"]) for claim in told["claims"]] == [("toy-1", "fails")]
    assert command("claims", "--study", "TOY").code == 1


def test_one_experiment_can_be_reproduced_with_its_page(command: Callable, tmp_path: Path) -> None:
    ended = command("reproduce", "toy/sums", "--page", "--quiet")
    assert ended.code == 0
    assert ended.out.splitlines()[-1] == "page: out/toy-smoke/index.html"
    page = (tmp_path / "out" / "toy-smoke" / "index.html").read_text()
    assert "assay reproduce toy/sums --scale smoke" in page
    assert not (tmp_path / "out" / "toy-smoke" / "learn.png").exists()


def test_an_interrupted_reproduction_has_its_own_code(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    import assay.studies.reproduce as home

    run = home.run

    def interrupted(*args: Any, **options: Any) -> Any:
        runs = run(*args, **options)
        return type(runs)(runs.store, runs.identities, interrupted=True)

    monkeypatch.setattr(home, "run", interrupted)
    ended = command("reproduce", "toy", "--quiet")
    assert ended.code == 3
    assert "interrupted: what was done is kept in out/toy-smoke; the same command goes on" in ended.err
