"""How long a plan will take at most: some steps of its largest packs are timed, the others are scaled from them."""

from __future__ import annotations

import dataclasses
import math
import os
import time
from collections.abc import Sequence

from assay.engine.base import Control, Engine
from assay.sweep.engines import find_engine
from assay.sweep.pack import Pack
from assay.trial import Trial

PATIENCE = 2.0
"""Seconds after which no further pack is timed; compiling the first may take longer."""
TIMED = 0.1
"""Seconds that a timed run lasts at least."""
TOGETHER = 16
"""Trials a thread that are timed together: as many as an engine may want for its lanes."""


@dataclasses.dataclass(frozen=True)
class Estimate:
    """Upper bound: the time if every trial used its whole budget. Trials that are solved sooner end sooner."""

    seconds: float
    threads: int
    measured: int  # packs that were timed


def estimated(packs: Sequence[Pack], threads: int | None) -> Estimate:
    """The estimate for packs in falling order of work, on the engines that a run with as many threads will use."""
    began = time.perf_counter()
    workers = threads or len(os.sched_getaffinity(0))
    rates: list[tuple[Pack, float, float]] = []  # pack, seconds to compile, seconds a run-step, all threads at work
    for pack in packs:
        if rates and time.perf_counter() - began > PATIENCE:
            break
        rates.append((pack, *_timed(pack, find_engine(pack.engine, threads), TOGETHER * workers)))
    compiling = sum(seconds for _, seconds, _ in rates) / len(rates) * len(packs) / min(workers, len(packs))
    training = sum(pack.run_steps * _scaled(pack, rates) for pack in packs)
    return Estimate(seconds=compiling + training, threads=workers, measured=len(rates))


def _timed(pack: Pack, engine: Engine, count: int) -> tuple[float, float]:
    """(seconds to compile, seconds a run-step) of so many trials of a pack."""
    compiling, _ = _run(engine, pack.trials[:count], 1)
    budget, limit = 16, min(trial.budget for trial in pack.trials[:count])
    while True:
        seconds, steps = _run(engine, pack.trials[:count], min(budget, limit))
        if seconds >= TIMED or budget >= limit:
            return compiling, seconds / max(steps, 1)
        budget *= 4


def _run(engine: Engine, trials: Sequence[Trial], budget: int) -> tuple[float, int]:
    """Trains the trials for so many steps, at most: (seconds, run-steps done)."""
    began = time.perf_counter()
    ended = engine.run([trial.replace(budget=budget) for trial in trials], Control())
    steps = sum(item.step for item in ended)
    return time.perf_counter() - began, steps


def _scaled(pack: Pack, rates: Sequence[tuple[Pack, float, float]]) -> float:
    """Seconds a run-step, from the timed pack whose work a step is closest."""
    distance = lambda timed: abs(math.log(max(pack.step_work, 1) / max(timed.step_work, 1)))  # noqa: E731
    nearest, _, rate = min(rates, key=lambda entry: distance(entry[0]))
    return rate * max(pack.step_work, 1) / max(nearest.step_work, 1)
