"""Running a sweep into a store."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from pathlib import Path
from typing import Literal

from assay.sweep.grid import Sweep
from assay.sweep.plan import GUARD
from assay.sweep.runs import Runs
from assay.trial import Trial


def run(
    sweep: Sweep | Iterable[Trial],
    folder: str | Path | None = None,
    *,
    engine: str = "auto",
    threads: int | None = None,
    executor: Executor | Literal["processes"] | None = None,
    progress: bool | Literal["plain"] = True,
    guard: int = GUARD,
    yes: bool = False,
) -> Runs:
    """Trains what the store does not hold yet. `.interrupted` says whether it was stopped before the end."""
    raise NotImplementedError
