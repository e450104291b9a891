"""The ledger: every claim of every study with the verdict that its newest numbers give.

Numbers are looked for in the `claims.json` files below a folder of results and, where no folder is named, below `./out`
and among the results that come with the package (`<study>/kept/<scale>/claims.json`). At one scale own results go
before kept ones and newer before older. A claim that was never run is undecided.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from assay.errors import StoreError
from assay.studies.base import Study, all_studies, check_scale, find_study
from assay.studies.claims import SCALES, Claim, Entry, Verdict, read_ledger

log = logging.getLogger("assay.studies")

FILE = "claims.json"
OWN = Path("out")
NOT_RUN = "not run"

Key = tuple[str, str, str]
"""Study, claim, scale."""


def ledger(results: Path | None = None, study: str | None = None, scale: str | None = None) -> list[Entry]:
    """One row for each claim at each scale at which it was run, or at the one asked for; an undecided one where there
    is none. In the order of the studies, their claims, and the scales."""
    if scale is not None:
        check_scale(scale)
    chosen = all_studies().values() if study is None else [find_study(study)]
    known = recorded(results)
    rows: list[Entry] = []
    for each in chosen:
        for experiment, claim in claims_of(each):
            run = [known[key] for s in SCALES if (key := (each.name, claim.id, s)) in known and scale in (None, s)]
            rows += run or [not_run(each, experiment, claim, scale or SCALES[0])]
    return rows


def recorded(results: Path | None = None) -> dict[Key, Entry]:
    """The entries that were written down, the best of each claim and scale; their tables as paths from here."""
    if results is not None:
        files = _newest_last(results)
        if not files:
            raise StoreError(f"{results} must have a {FILE} in it, or in a folder below it; check the path")
    else:
        kept = Path(__file__).parent.glob(f"*/kept/*/{FILE}")
        files = [*sorted(kept), *_newest_last(OWN)]
    found: dict[Key, Entry] = {}
    for file in files:
        for entry in _entries(file):
            table = str(file.parent / entry.table) if entry.table else None
            found[entry.study, entry.id, entry.scale] = dataclasses.replace(entry, table=table)
    return found


def claims_of(study: Study) -> Iterator[tuple[str, Claim]]:
    """Name of the experiment and claim, in order."""
    return ((experiment.name, claim) for experiment in study.experiments for claim in experiment.claims)


def not_run(study: Study, experiment: str, claim: Claim, scale: str) -> Entry:
    return Entry.of(claim.judged(None, note=NOT_RUN), study.name, experiment, scale, None)


def contradicted(entries: Iterable[Entry]) -> list[Entry]:
    """The claims that fail. An erratum is a statement that is wrong as printed: that it fails is what is expected."""
    return [entry for entry in entries if entry.verdict == Verdict.FAILS and entry.kind != "errata"]


def _newest_last(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"**/{FILE}"), key=lambda file: (file.stat().st_mtime, str(file)))


def _entries(file: Path) -> list[Entry]:
    try:
        return read_ledger(file)
    except (ValueError, KeyError, TypeError, OSError) as error:
        log.warning("%s is not a ledger (%s); it was skipped", file, str(error).partition("\n")[0])
        return []
