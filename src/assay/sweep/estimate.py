"""How long a plan will take at most: some steps of its largest packs are timed, the others are scaled from them.

What is timed is the work of the processor, so that a plan says the same on an idle machine and on a busy one: how long
the trials take where they have the threads to themselves.
"""

from __future__ import annotations

import collections
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
GROWN = 3
"""From how many times as long for four times as many steps on it is steps that take the time."""
RECORDS = 4
"""Records of a trial that are timed."""
TOGETHER = 16
"""Trials a thread that are timed together: as many as an engine may want for its lanes."""


@dataclasses.dataclass(frozen=True)
class Estimate:
    """Upper bound: the time if every trial used its whole budget. Trials that are solved sooner end sooner."""

    seconds: float
    threads: int
    measured: int  # packs that were timed
    packs: tuple[float, ...]  # seconds of one thread that each pack trains


_clock = time.process_time


@dataclasses.dataclass(frozen=True)
class Cost:
    """Seconds of one thread: to compile; for a trial to start and end; for a step; for a record."""

    compiling: float
    trial: float
    step: float
    record: float

    def of(self, pack: Pack) -> float:
        """Of a pack whose work a step is that of the timed one."""
        return len(pack.trials) * self.trial + pack.run_steps * self.step + _records(pack.trials) * self.record


def estimated(packs: Sequence[Pack], threads: int | None) -> Estimate:
    """The estimate for packs in falling order of work, on the engines that a run with as many threads will use."""
    began = time.perf_counter()
    workers = threads or len(os.sched_getaffinity(0))
    timed: list[tuple[Pack, Cost]] = []
    for pack in packs:
        if timed and time.perf_counter() - began > PATIENCE:
            break
        timed.append((pack, _timed(pack, find_engine(pack.engine, threads), TOGETHER * workers)))
    compiling = sum(cost.compiling for _, cost in timed) / len(timed) * len(packs) / min(workers, len(packs))
    training = tuple(_scaled(pack, timed) for pack in packs)
    return Estimate(compiling + sum(training) / workers, threads=workers, measured=len(timed), packs=training)


def _timed(pack: Pack, engine: Engine, count: int) -> Cost:
    """Some steps of so many trials of a pack, first without records and then with one at every step."""
    trials = pack.trials[:count]
    limit = min(trial.budget for trial in trials)
    quiet = [_recording(trial, every=0) for trial in trials]
    compiling, _ = _run(engine, quiet, 1)
    once, _ = _run(engine, quiet, 1)  # engines make ready for a config when they first see it, and remember
    budget, before, done = 1, once, len(trials)
    while True:
        budget = min(4 * budget, limit)
        _run(engine, quiet, budget)
        seconds, steps = _run(engine, quiet, budget)
        if budget >= limit or seconds >= max(TIMED, GROWN * before):
            break
        before, done = seconds, steps
    step = (seconds - before) / (steps - done) if seconds > before and steps > done else seconds / max(steps, 1)
    record = 0.0
    if trials[0].record.measures:
        few = min(RECORDS, limit)
        often = [_recording(trial, every=1) for trial in trials]
        _run(engine, often, few)
        seconds, steps = _run(engine, often, few)
        record = max(seconds - step * steps, 0.0) / max(steps, 1)
    return Cost(compiling=compiling, trial=once / len(trials), step=step, record=record)


def _recording(trial: Trial, every: int) -> Trial:
    """The same program, with records at other steps; the last step is always one."""
    return trial.replace(record=trial.record.replace(every=every, points=0, steps=()))


def _records(trials: Sequence[Trial]) -> int:
    """How many records the trials take if each uses its whole budget."""
    counts = collections.Counter((trial.record, trial.budget) for trial in trials)
    return sum(count * len(record.moments(budget)) for (record, budget), count in counts.items())


def _run(engine: Engine, trials: Sequence[Trial], budget: int) -> tuple[float, int]:
    """Trains the trials for so many steps, at most: (seconds of all threads, run-steps done)."""
    short = [trial.replace(budget=budget) for trial in trials]
    began = _clock()
    steps = sum(item.step for item in engine.run(short, Control()))
    return _clock() - began, steps


def _scaled(pack: Pack, timed: Sequence[tuple[Pack, Cost]]) -> float:
    """Seconds for a pack, from the timed one whose work a step is closest."""
    distance = lambda entry: abs(math.log(max(pack.step_work, 1) / max(entry[0].step_work, 1)))  # noqa: E731
    nearest, cost = min(timed, key=distance)
    return cost.of(pack) * max(pack.step_work, 1) / max(nearest.step_work, 1)
