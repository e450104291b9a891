"""Keeping results: tables and verdicts of a run become part of the package, where the ledger finds them.

python -m assay.studies.keep out/desk

For every experiment of which a `claims.json` in the folder, or below it, has entries, its table is copied to
`<study>/kept/<scale>/<experiment>.parquet` and its entries replace those that are kept; what other experiments have
kept stays. Claims that the study has no longer are dropped.
"""

from __future__ import annotations

import dataclasses
import shutil
import sys
from pathlib import Path

from assay.errors import StoreError
from assay.studies.base import find_study
from assay.studies.claims import Entry, read_ledger, write_ledger
from assay.studies.ledger import FILE, claims_of

HOME = Path(__file__).parent


def keep(results: Path, home: Path = HOME) -> list[Path]:
    """Keeps what was found below a folder of results; the tables that were written, or written again."""
    files = sorted(results.glob(f"**/{FILE}"))
    if not files:
        raise StoreError(f"{results} must have a {FILE} in it, or in a folder below it; check the path")
    return [path for file in files for path in _keep(file, home)]


def _keep(file: Path, home: Path) -> list[Path]:
    places: dict[tuple[str, str], list[Entry]] = {}
    for entry in read_ledger(file):
        places.setdefault((entry.study, entry.scale), []).append(entry)
    tables = []
    for (name, scale), entries in places.items():
        place = home / name.replace("-", "_") / "kept" / scale
        place.mkdir(parents=True, exist_ok=True)
        for experiment in dict.fromkeys(entry.experiment for entry in entries):
            tables.append(Path(shutil.copy(file.parent / f"{experiment}.parquet", place)))
        old = read_ledger(place / FILE) if (place / FILE).exists() else []
        found = {entry.id: dataclasses.replace(entry, table=f"{entry.experiment}.parquet") for entry in entries}
        known = {entry.id: entry for entry in old} | found
        ordered = [claim.id for _, claim in claims_of(find_study(name))]
        write_ledger([known[each] for each in ordered if each in known], place / FILE)
    return tables


if __name__ == "__main__":
    for table in keep(Path(sys.argv[1])):
        print(table)
