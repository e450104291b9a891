"""Plans: everything checked, counted, packed and timed before anything runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from assay.sweep.grid import Sweep
from assay.trial import Trial

GUARD = 100_000
"""Trials beyond which a plan wants to be confirmed."""


@dataclasses.dataclass(frozen=True)
class Pack:
    """The trials of a plan that one compiled program trains."""

    key: str
    engine: str
    example: Trial
    count: int
    run_steps: int  # the budgets of its trials together


@dataclasses.dataclass(frozen=True)
class Estimate:
    """Upper bound on the time, if every trial used its whole budget."""

    seconds: float
    threads: int
    measured: int  # packs that were timed; the others are scaled by parameters x examples a step


@dataclasses.dataclass(frozen=True)
class Plan:
    """What will be trained."""

    trials: tuple[Trial, ...]
    packs: tuple[Pack, ...]
    engine: str
    estimate: Estimate | None


def make_plan(
    sweep: Sweep | Iterable[Trial],
    *,
    engine: str = "auto",
    threads: int | None = None,
    guard: int = GUARD,
    yes: bool = False,
    calibrate: bool = True,
) -> Plan:
    """Checks, counts and packs the trials; with `calibrate` trains the largest packs for some steps to tell the time."""
    raise NotImplementedError
