"""Writing a store: rows gather for some seconds and become a fragment; many small fragments become one.

Once `flush` returns, what was added before is on the disk. Where a flush fails the rows are kept, and the next one
tries again under the same name.
"""

from __future__ import annotations

import contextlib
import datetime
import io
import secrets
import time
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from assay import __version__
from assay.errors import StoreError
from assay.store.place import PART, Place
from assay.store.read import READABLE, Fragment, Store
from assay.store.schema import (
    ARRAYS,
    CURVES,
    RUNS,
    SCHEMA,
    SUSPENDED,
    Row,
    curves_frame,
    header,
    ordered,
    runs_frame,
    stacked,
)

PERIOD = 2.0
"""Seconds for which a row waits at most before it is written."""
ROWS, BYTES = 20_000, 1 << 26
"""Rows, and bytes of curves and arrays, that are written without waiting."""
SMALL = 1 << 22
"""Bytes up to which a fragment is small: one of those that are merged."""
MANY = 64
"""Small fragments that are merged while a sweep runs."""


class Writer:
    """Adds rows to a store. Several may write to one store: no two ever write the same file."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.pending: dict[str, Row] = {}  # by trial
        self._bytes = 0
        self._since = 0.0
        self._stem = _new_stem()

    def add(self, row: Row) -> None:
        if not self.pending:
            self._since = time.monotonic()
        self.pending.setdefault(row.trial, row)
        self._bytes += sum(array.nbytes for part in (row.curves, row.arrays) for array in part.values())

    def due(self) -> bool:
        """Whether the rows have waited for long enough, or are many."""
        if not self.pending:
            return False
        waited = time.monotonic() - self._since
        return waited >= PERIOD or len(self.pending) >= ROWS or self._bytes >= BYTES

    def flush(self) -> list[str]:
        """Writes what was added; the identities of the trials that are safe now. OSError where that is not possible."""
        if not self.pending:
            return []
        rows = list(self.pending.values())
        curves = curves_frame(rows)
        arrays = {f"{row.trial}/{name}": array for row in rows for name, array in row.arrays.items()}
        files = [f"{self._stem}.npz"] if arrays else []
        parts: dict[str, bytes] = {}
        if arrays:
            parts[ARRAYS + files[0]] = _npz(arrays)
        if curves.height:
            parts[f"{CURVES}{self._stem}.parquet"] = _parquet(curves, header())
        about = header(curves=curves.height > 0, arrays=files, replaces=[])
        parts[f"{RUNS}{self._stem}.parquet"] = _parquet(runs_frame(rows), about)
        _write_all(self.place, parts)
        safe = list(self.pending)
        self.pending, self._bytes, self._stem = {}, 0, _new_stem()
        return safe


def prepare(place: Place) -> None:
    """Makes the folder and sees that it can be written; StoreError where it cannot."""
    try:
        if place.local is not None:
            place.local.mkdir(parents=True, exist_ok=True)
        place.write(".probe", b"", durable=False)
        place.remove(".probe")
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreError(f"{place.address} must be a folder that can be written: {reason}; choose another") from error


def clean(place: Place) -> None:
    """Removes what an interrupted writer has left half done. Only the holder of the lock may do it."""
    for folder in ("", ARRAYS, SUSPENDED):
        for name in place.names(folder):
            if name.endswith(PART):
                place.remove(folder + name)


def save_suspended(place: Place, trial: str, engine: str, step: int, state: Mapping[str, np.ndarray]) -> None:
    """Keeps a trial that was stopped on the way; its state is only of use to the engine and version that made it."""
    about = {"step": step, "schema": SCHEMA, "engine": engine, "version": __version__}
    stored = {f"about:{name}": np.array(item) for name, item in about.items()}
    place.write(_suspended_name(trial), _npz({**state, **stored}))


def load_suspended(store: Store, trial: str, engine: str) -> tuple[int, dict[str, np.ndarray]] | None:
    """(step, state) of a suspended trial; None where there is none that this engine and version can go on with."""
    try:
        with np.load(io.BytesIO(store.place.read(_suspended_name(trial))), allow_pickle=False) as stored:
            about = {name: stored[f"about:{name}"].item() for name in ("step", "schema", "engine", "version")}
            if (about["schema"], about["engine"], about["version"]) != (SCHEMA, engine, __version__):
                return None
            return about["step"], {name: stored[name] for name in stored.files if not name.startswith("about:")}
    except FileNotFoundError:
        return None
    except (*READABLE, KeyError) as error:
        store.report(f"{_suspended_name(trial)} is torn ({error}); its trial starts again")
        return None


def drop_suspended(place: Place, trials: Sequence[str]) -> None:
    for trial in trials:
        place.remove(_suspended_name(trial))


def compact(store: Store, many: int = 2) -> int:
    """Merges the small fragments, where there are at least `many`, into one; how many were merged.

    Arrays stay in their files. The new fragment names those that it replaces before they are removed, so that no moment
    shows a trial twice or not at all. Only the holder of the lock may do it.
    """
    place = store.place
    fragments = store.fragments()
    _remove_replaced(place, fragments)
    small = [fragment for fragment in fragments if _size(place, fragment) <= SMALL]
    if len(small) < many:
        return 0
    owned = store.owned()
    curves, runs = [], []
    for fragment in small:
        own = owned.get(fragment.stem, fragment.runs.clear()).select("trial")
        runs.append(fragment.runs.join(own, on="trial", how="semi"))
        if fragment.curves:
            found = store.curves_of(fragment)
            if found is None:
                return 0  # not readable after all, and reported: better left as it is
            curves.append(found.join(own, on="trial", how="semi"))
    files = list(dict.fromkeys(file for fragment in small for file in fragment.arrays))
    about = header(curves=bool(curves), arrays=files, replaces=[fragment.stem for fragment in small])
    stem = _new_stem()
    parts = {f"{CURVES}{stem}.parquet": _parquet(stacked(curves), header())} if curves else {}
    rows = stacked(runs)
    parts[f"{RUNS}{stem}.parquet"] = _parquet(rows.select(ordered(rows.columns)), about)
    _write_all(place, parts)
    _remove_replaced(place, store.fragments())
    return len(small)


def _remove_replaced(place: Place, fragments: Sequence[Fragment]) -> None:
    names = set(place.names())
    for stem in sorted(stem for fragment in fragments for stem in fragment.replaces):
        for name in (f"{RUNS}{stem}.parquet", f"{CURVES}{stem}.parquet"):  # without its runs a fragment does not count
            if name in names:
                place.remove(name)


def _size(place: Place, fragment: Fragment) -> int:
    curves = place.size(f"{CURVES}{fragment.stem}.parquet") if fragment.curves else 0
    return place.size(f"{RUNS}{fragment.stem}.parquet") + curves


def _write_all(place: Place, parts: Mapping[str, bytes]) -> None:
    """Writes the parts of a fragment, the runs last: with them it counts. Where one fails none is left."""
    try:
        for name, data in parts.items():
            place.write(name, data)
    except OSError:
        for name in parts:
            with contextlib.suppress(OSError):
                place.remove(name)
        raise


def _parquet(frame: pl.DataFrame, about: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    frame.write_parquet(stream, compression="zstd", metadata=about)
    return stream.getvalue()


def _npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def _suspended_name(trial: str) -> str:
    return f"{SUSPENDED}{trial}.npz"


def _new_stem() -> str:
    """Sorts by time; the random part keeps writers apart."""
    now = datetime.datetime.now(datetime.UTC)
    return f"{now:%Y%m%dT%H%M%S.%f}-{secrets.token_hex(3)}"
