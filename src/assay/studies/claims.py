"""Claims: the checkable statements of a paper, and what our numbers say of each.

A claim is declared once, beside the experiment that decides it, with its source and its criterion at every scale; the
criterion is fixed before anything runs. Judging makes a verdict from a table, by the criterion alone: *undecided* where
the numbers do not settle it, *fails* where they contradict it.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

SCALES = ("smoke", "desk", "paper")
KINDS = ("theorem", "experiment", "errata")


class Verdict(enum.StrEnum):
    """What the numbers say."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement and how it is decided."""

    id: str
    source: str  # paper, and section, figure, table or theorem
    statement: str
    kind: str
    criterion: str | Mapping[str, str]  # one for all scales, or one a scale

    def criterion_at(self, scale: str) -> str:
        return self.criterion if isinstance(self.criterion, str) else self.criterion[scale]

    def judged(
        self,
        holds: bool | None,
        value: float | None = None,
        interval: tuple[float, float] | None = None,
        note: str = "",
    ) -> Judgement:
        """The verdict: True holds, False fails, None is undecided."""
        verdict = {True: Verdict.HOLDS, False: Verdict.FAILS, None: Verdict.UNDECIDED}[
            None if holds is None else bool(holds)
        ]
        return Judgement(claim=self, verdict=verdict, value=value, interval=interval, note=note)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Judgement:
    """A claim with its verdict and the number that decided it."""

    claim: Claim
    verdict: Verdict
    value: float | None = None
    interval: tuple[float, float] | None = None
    note: str = ""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Entry:
    """A row of the ledger: what `claims.json` holds and `assay claims --json` prints."""

    id: str
    study: str
    source: str
    statement: str
    kind: str
    scale: str
    criterion: str
    value: float | None
    interval: tuple[float | None, ...] | None  # an infinite end is None
    verdict: str
    note: str = ""
    experiment: str = ""
    table: str | None = None  # path of the deciding table, beside claims.json

    @classmethod
    def of(cls, judgement: Judgement, study: str, experiment: str, scale: str, table: str | None) -> Self:
        claim, value, interval, note = judgement.claim, judgement.value, judgement.interval, judgement.note
        if value is not None and not math.isfinite(value):  # JSON has no infinity
            value, note = None, f"value {value}; {note}"
        ends = None if interval is None else tuple(end if math.isfinite(end) else None for end in interval)
        return cls(
            id=claim.id, study=study, source=claim.source, statement=claim.statement, kind=claim.kind, scale=scale,
            criterion=claim.criterion_at(scale), value=value, interval=ends,
            verdict=judgement.verdict.value, note=note, experiment=experiment, table=table,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def write_ledger(entries: Iterable[Entry], path: Path) -> None:
    path.write_text(json.dumps([entry.to_json() for entry in entries], indent=1) + "\n")


def read_ledger(path: Path) -> list[Entry]:
    rows = json.loads(path.read_text())
    return [Entry(**row | {"interval": tuple(row["interval"]) if row["interval"] else None}) for row in rows]
