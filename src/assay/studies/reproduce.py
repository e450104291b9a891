"""Reproducing: run an experiment's sweep, make its table, draw its figure, judge its claims, write all of it down."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import polars as pl

from assay.errors import StoreError
from assay.figures import export
from assay.studies.base import Experiment, Study, check_scale
from assay.studies.claims import Entry, Verdict, read_ledger, write_ledger
from assay.sweep import Runs, run

FORMATS = ("png", "svg", "pdf")


@dataclasses.dataclass(frozen=True)
class Reproduction:
    """What was made: the ledger's entries and the files, and whether the run was interrupted before its end."""

    study: Study
    scale: str
    folder: Path
    experiments: tuple[str, ...]
    entries: tuple[Entry, ...]
    interrupted: bool


def reproduce(
    study: Study,
    experiments: Sequence[Experiment] | None = None,
    *,
    scale: str = "smoke",
    out: Path | str,
    engine: str = "auto",
    threads: int | None = None,
    progress: bool | Literal["plain"] = True,
    yes: bool = False,
) -> Reproduction:
    """Writes `<experiment>.{png,svg,pdf}`, its table beside it and `claims.json` to `out`; runs are kept in `out/runs`
    and not run again. Claims of experiments that were not asked for keep the entries that `claims.json` has."""
    check_scale(scale)
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot write to {folder}: {error.strerror or error}; choose another --out") from error
    ledger = folder / "claims.json"
    entries = {(e.study, e.id): e for e in read_ledger(ledger)} if ledger.exists() else {}
    done: list[str] = []
    for experiment in experiments if experiments is not None else study.experiments:
        runs = None
        if experiment.sweep is not None:
            runs = trained(
                experiment, scale, folder / "runs" / experiment.place, engine=engine, threads=threads,
                progress=progress, yes=yes,
            )  # fmt: skip
            if runs.interrupted:
                return Reproduction(study, scale, folder, tuple(done), tuple(entries.values()), interrupted=True)
        table = experiment.table(runs, scale)
        write_experiment(experiment, table, folder)
        judged = experiment.judge(table, scale)
        broken = ""
        if runs is not None and (failures := runs.failures):
            broken = f"{len(failures)} of {runs.frame.height} trials failed ({failures[0]}); "
            broken += "the same command tries them again"
        for judgement in judged:
            if broken:  # what trials without a result would have said is not known
                judgement = dataclasses.replace(judgement, verdict=Verdict.UNDECIDED, note=broken)
            entry = Entry.of(judgement, study.name, experiment.name, scale, f"{experiment.name}.csv")
            entries[study.name, entry.id] = entry
        write_ledger(entries.values(), ledger)
        done.append(experiment.name)
    return Reproduction(study, scale, folder, tuple(done), tuple(entries.values()), interrupted=False)


def trained(experiment: Experiment, scale: str, folder: Path, **how: Any) -> Runs:
    """The runs of its sweep, and of what these ask for, stage by stage."""
    assert experiment.sweep is not None
    sweep = experiment.sweep(scale)
    runs = run(sweep, folder, **how)
    while experiment.then is not None and not runs.interrupted:
        more = experiment.then(runs, scale)
        if more is None:
            break
        sweep = sweep + more
        runs = run(sweep, folder, **how)
    return runs


def write_experiment(experiment: Experiment, table: pl.DataFrame, folder: Path) -> None:
    """The figure in every format, and the experiment's whole table beside it: also what is judged but not drawn."""
    experiment.figure(table).save(folder, experiment.name, formats=FORMATS)
    files = {f"{experiment.name}.{kind}": content for kind, content in export.tables(table).items()}
    export.write(folder, files)
