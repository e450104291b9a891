"""Reading a store: its fragments, its tables, and what is wrong with it.

A fragment is what was written at one moment: `runs-STEM.parquet`, and where something was recorded
`curves-STEM.parquet` and `arrays/STEM.npz`. Its runs file is written last and says which other files belong to it; a
fragment of which a part is torn or missing does not count, and its trials run again.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from assay.errors import StoreError
from assay.store.place import PART, Place
from assay.store.schema import ARRAYS, CURVES, PLAN, RESULT, RUNS, SUSPENDED, check_schema, ordered, stacked

log = logging.getLogger("assay.store")

READABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, zipfile.BadZipFile, ValueError, EOFError)
"""What a damaged file raises when it is read."""
PATIENCE = 10
"""Listings of the folder before a file that comes and goes is an error."""

NO_RUNS = pl.DataFrame(schema={"trial": pl.String, **dict(RESULT), "stem": pl.String})


@dataclasses.dataclass(frozen=True)
class Fragment:
    """What one runs file says."""

    stem: str
    runs: pl.DataFrame
    curves: bool
    arrays: tuple[str, ...]  # names of files
    replaces: frozenset[str]  # stems of the fragments that were merged into this one


class Store:
    """A folder, or any address that fsspec knows, of runs, curves and arrays. Reading is always allowed."""

    def __init__(self, folder: str | Path) -> None:
        self.place = Place(folder)
        self.problems: list[str] = []
        self._known: dict[str, Fragment | None] = {}  # files never change: each is read once
        self._stems: tuple[str, ...] = ()
        self._runs = NO_RUNS

    @property
    def folder(self) -> str:
        return self.place.address

    def plan(self) -> dict[str, Any] | None:
        """What plan.json says; None where there is none."""
        try:
            plan = json.loads(self.place.read(PLAN))
            schema, version = plan["schema"], plan["launches"][-1]["assay"]
            plan["families"]
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, IndexError):
            self.report(f"{PLAN} is torn or not a plan; it was skipped")
            return None
        check_schema(f"{self.folder}/{PLAN}", schema, version)
        return plan

    def planned(self) -> list[str]:
        """Identities of the planned trials, in the order of the plan."""
        plan = self.plan()
        return [identity for family in plan["families"] for identity in family["identities"]] if plan else []

    def runs(self) -> pl.DataFrame:
        """One row a trial, each trial once, in the order of the plan."""
        rows = self._rows().drop("stem")
        return rows.select(ordered(rows.columns))

    def curves(self) -> pl.DataFrame:
        """One row per trial and recorded step, trials in the order of the plan."""
        rows, owned = self._rows(), self.owned()
        frames = [
            frame.join(owned[fragment.stem], on="trial", how="semi")
            for fragment in self.fragments()
            if fragment.curves and fragment.stem in owned and (frame := self.curves_of(fragment)) is not None
        ]
        found = stacked(frames)
        if not found.height:
            return pl.DataFrame(schema={"trial": pl.String, "step": pl.Int64})
        order = rows.select("trial").with_row_index("place")
        found = found.join(order, on="trial").sort("place", "step", maintain_order=True).drop("place")
        return found.select("trial", "step", *sorted(set(found.columns) - {"trial", "step"}))

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """What an array measure recorded, by trial; the first axis is the records."""
        rows, owned = self._rows(), self.owned()
        found: dict[str, np.ndarray] = {}
        for fragment in self.fragments():
            own = owned[fragment.stem]["trial"] if fragment.stem in owned else []
            wanted = {f"{trial}/{name}": trial for trial in own}
            for file in fragment.arrays:
                try:
                    with self.place.open(ARRAYS + file) as opened, np.load(opened, allow_pickle=False) as stored:
                        for key in stored.files:
                            if key in wanted and wanted[key] not in found:
                                found[wanted[key]] = stored[key]
                except READABLE as error:
                    self.report(f"{ARRAYS}{file} cannot be read ({_first_line(error)}); it was skipped")
        return {trial: found[trial] for trial in rows["trial"] if trial in found}

    def array_names(self) -> list[str]:
        """What `arrays` can be asked for, sorted."""
        found = set()
        for fragment in self.fragments():
            for file in fragment.arrays:
                with self.place.open(ARRAYS + file) as opened, np.load(opened, allow_pickle=False) as stored:
                    found |= {key.partition("/")[2] for key in stored.files}
        return sorted(found)

    def outcomes(self) -> dict[str, str]:
        """Outcome by trial, of all trials that have ended."""
        return dict(self._once().select("trial", "outcome").iter_rows())

    def suspended(self) -> list[str]:
        """Identities of the trials that were stopped on the way."""
        return [name.removesuffix(".npz") for name in self.place.names(SUSPENDED) if name.endswith(".npz")]

    def fragments(self) -> list[Fragment]:
        """The whole fragments in the order of their names, which is the order of time."""
        for _ in range(PATIENCE):
            names = set(self.place.names())
            arrays = set(self.place.names(ARRAYS))
            stems = sorted(name[len(RUNS) : -len(".parquet")] for name in names if _is_runs(name))
            try:
                for stem in stems:
                    if stem not in self._known:
                        self._known[stem] = self._fragment(stem, names, arrays)
            except FileNotFoundError:  # merged with others since it was listed
                continue
            found = [fragment for stem in stems if (fragment := self._known[stem])]
            replaced = frozenset().union(*(fragment.replaces for fragment in found))
            return [fragment for fragment in found if fragment.stem not in replaced]
        raise StoreError(f"{self.folder} changes faster than it can be read: files come and go; try again")

    def owned(self) -> dict[str, pl.DataFrame]:
        """By stem, the rows that a fragment gives to the runs."""
        rows = self._once()
        return {part["stem"][0]: part for part in rows.partition_by("stem")} if rows.height else {}

    def curves_of(self, fragment: Fragment) -> pl.DataFrame | None:
        """The curves of a fragment; None, and a report, where they turn out not to be readable."""
        name = f"{CURVES}{fragment.stem}.parquet"
        try:
            return pl.read_parquet(self.place.read(name))
        except READABLE as error:
            self.report(f"{name} cannot be read ({_first_line(error)}); it was skipped")
            return None

    def report(self, problem: str) -> None:
        """Says once what is wrong."""
        if problem not in self.problems:
            self.problems.append(problem)
            log.warning("%s: %s", self.folder, problem)

    # -- inside ------------------------------------------------------------------------------------------------------

    def _rows(self) -> pl.DataFrame:
        """The runs in the order of the plan, with the stem each comes from."""
        order = pl.DataFrame({"trial": self.planned()}, schema={"trial": pl.String}).with_row_index("place")
        placed = self._once().join(order, on="trial", how="left", maintain_order="left")
        return placed.sort("place", nulls_last=True, maintain_order=True).drop("place")

    def _once(self) -> pl.DataFrame:
        """The runs in the order of writing. A trial that is there twice counts once, as it was written first, or as it
        ended when it was tried again after it had failed."""
        fragments = [fragment for fragment in self.fragments() if fragment.runs.height]
        stems = tuple(fragment.stem for fragment in fragments)
        if stems != self._stems:
            rows = stacked([NO_RUNS, *(f.runs.with_columns(pl.lit(f.stem).alias("stem")) for f in fragments)])
            failed = pl.col("outcome") == "failed"
            ended, vain = rows.filter(~failed), rows.filter(failed)
            once = ended.unique(subset="trial", keep="first", maintain_order=True)
            if once.height < ended.height:
                self.report(f"{ended.height - once.height} rows are there twice; the one that was written first counts")
            if vain.height:
                last = vain.join(once, on="trial", how="anti").unique(subset="trial", keep="last", maintain_order=True)
                kept = pl.concat([once, last]).select("trial", "stem")
                once = rows.join(kept, on=["trial", "stem"], how="semi", maintain_order="left")
            self._stems, self._runs = stems, once
        return self._runs

    def _fragment(self, stem: str, names: Iterable[str], arrays: Iterable[str]) -> Fragment | None:
        """A fragment with all its parts, or None for one that does not count; what a part lacks is reported."""
        name = f"{RUNS}{stem}.parquet"
        try:
            data = self.place.read(name)
            metadata = pl.read_parquet_metadata(data)
            if "assay.schema" not in metadata:
                self.report(f"{name} was not written by Assay; it was skipped")
                return None
            check_schema(f"{self.folder}/{name}", json.loads(metadata["assay.schema"]), metadata.get("assay.version"))
            fragment = Fragment(
                stem=stem,
                runs=pl.read_parquet(data),
                curves=json.loads(metadata["assay.curves"]),
                arrays=tuple(json.loads(metadata["assay.arrays"])),
                replaces=frozenset(json.loads(metadata["assay.replaces"])),
            )
        except READABLE as error:
            self.report(f"{name} is torn ({_first_line(error)}); it was skipped and its trials run again")
            return None
        parts = [f"{CURVES}{stem}.parquet"] if fragment.curves else []
        for part in parts + [ARRAYS + file for file in fragment.arrays]:
            known = arrays if part.startswith(ARRAYS) else names
            if part.removeprefix(ARRAYS) not in known:
                self.report(f"{part} is missing; {name} was skipped and its trials run again")
                return None
            if not self._is_whole(part):
                self.report(f"{part} is torn; {name} was skipped and its trials run again")
                return None
        return fragment

    def _is_whole(self, part: str) -> bool:
        """Whether the end of a file, where both formats have their table of contents, is as it should be."""
        with self.place.open(part) as file:
            if part.endswith(".npz"):
                return zipfile.is_zipfile(file)
            try:
                return "assay.schema" in pl.read_parquet_metadata(file)
            except READABLE:
                return False


def _is_runs(name: str) -> bool:
    return name.startswith(RUNS) and name.endswith(".parquet") and not name.endswith(PART)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
