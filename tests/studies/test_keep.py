"""Keeping results with the package: tables and entries of the experiments that ran, beside those of others."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import polars as pl
import pytest

from assay.errors import StoreError
from assay.studies import find_study
from assay.studies.claims import Entry, read_ledger, write_ledger
from assay.studies.keep import keep

STUDY = find_study("hidden-progress")


def results(folder: Path, experiment: str, value: float) -> Path:
    """A folder of results as `assay reproduce` leaves it, with numbers of its own."""
    folder.mkdir(parents=True)
    claims = STUDY.experiment(experiment).claims
    entries = [
        Entry.of(claim.judged(True, value), STUDY.name, experiment, "desk", f"{experiment}.csv") for claim in claims
    ]
    write_ledger(entries, folder / "claims.json")
    pl.DataFrame({"value": [value]}).write_parquet(folder / f"{experiment}.parquet")
    return folder


def test_tables_and_entries_are_kept_and_those_of_other_experiments_stay(tmp_path: Path):
    home = tmp_path / "studies"
    keep(results(tmp_path / "first" / "queries", "queries", 1.0).parent, home)
    keep(results(tmp_path / "second", "majority", 2.0), home)
    tables = keep(results(tmp_path / "third", "queries", 3.0), home)
    place = home / "hidden_progress" / "kept" / "desk"
    assert tables == [place / "queries.parquet"]
    assert pl.read_parquet(place / "queries.parquet")["value"].item() == 3.0
    entries = {entry.id: entry for entry in read_ledger(place / "claims.json")}
    ids = [claim.id for name in ("majority", "queries") for claim in STUDY.experiment(name).claims]
    assert list(entries) == ids, "in the order of the study"
    assert entries["T14"].value == 3.0
    assert entries["T2"].value == 2.0
    assert {entry.table for entry in entries.values()} == {"queries.parquet", "majority.parquet"}


def test_claims_that_are_no_more_are_dropped(tmp_path: Path):
    folder, home = results(tmp_path / "out", "majority", 1.0), tmp_path / "studies"
    entries = read_ledger(folder / "claims.json")
    write_ledger([*entries, dataclasses.replace(entries[0], id="T2-gone")], folder / "claims.json")
    keep(folder, home)
    kept = read_ledger(home / "hidden_progress" / "kept" / "desk" / "claims.json")
    assert [entry.id for entry in kept] == [entry.id for entry in entries]


def test_a_folder_without_results_is_refused(tmp_path: Path):
    with pytest.raises(StoreError, match=r"must have a claims\.json"):
        keep(tmp_path, tmp_path / "studies")
