"""Running a sweep into a store: what is there is not run again, what was stopped goes on where it stopped, and what
failed is tried again."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import os
import shutil
import signal
import tempfile
import threading
import time
import weakref
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from pathlib import Path
from types import FrameType
from typing import Any, Literal, Self

from assay.errors import StoreError
from assay.store import Lock, Store, clean, compact, prepare
from assay.store.pulse import beat, forget_stop, stop_requested
from assay.store.write import MANY, drop_suspended
from assay.sweep.crew import Inline
from assay.sweep.engines import AUTO
from assay.sweep.executors import Parts, Processes
from assay.sweep.grid import Sweep
from assay.sweep.pack import Pack
from assay.sweep.plan import GUARD, Plan, freeze, make_plan, write_plan
from assay.sweep.progress import Meter, find_display
from assay.sweep.runs import Runs
from assay.trial import Outcome, Trial

TICK = 0.25
"""Seconds between looks at requests to stop, and between updates of the display."""
HEARTBEAT, TIDYING = 1.0, 60.0
"""Seconds between heartbeats, and between merges of small fragments."""
NAMED = 5
"""Trials that a message names; of the others it gives the number."""


def run(
    sweep: Sweep | Iterable[Trial],
    folder: str | Path | None = None,
    *,
    engine: str = AUTO,
    threads: int | None = None,
    executor: Executor | Literal["processes"] | None = None,
    progress: bool | Literal["plain"] = True,
    guard: int = GUARD,
    yes: bool = False,
) -> Runs:
    """Trains what the store does not hold yet, and gives the rows of the sweep's trials.

    Without a folder the results live as long as the returned object. `threads` trials, or packs of them, train side by
    side (all cores if None): on threads of this process, with `executor="processes"` on as many spawned ones, and with
    an executor of your own on its workers, for so many of which the plan is cut.

    Ctrl-C once, or `assay stop`, finishes the chunk and saves: `interrupted` is then true and the same call goes on.
    Twice ends at once with KeyboardInterrupt; nothing that was written is lost. Rows that cannot be written are a
    StoreError, once everything else is saved.
    """
    plan = make_plan(sweep, engine=engine, threads=threads, guard=guard, yes=yes, calibrate=False)
    store = Store(folder) if folder is not None else _temporary()
    if not _missing(plan, store):
        return Runs(store, plan.identities)
    prepare(store.place)
    with Lock(store.place):
        clean(store.place)
        forget_stop(store.place)
        packs = _missing(plan, store)
        if not packs:
            return Runs(store, plan.identities)
        try:
            write_plan(store, freeze(store, plan))
        except OSError as error:
            raise StoreError(f"{store.folder}: the plan cannot be written ({error}); nothing was started") from error
        ended = store.outcomes()
        drop_suspended(store.place, [trial for trial in store.suspended() if trial in ended])
        workers = threads or len(os.sched_getaffinity(0))
        with contextlib.ExitStack() as stack:
            if executor is None:
                crew = Inline(store, packs, threads)
            else:
                own = stack.enter_context(_closing(Processes(workers))) if executor == "processes" else executor
                crew = Parts(store, packs, own, workers)
            done = ended.keys() - {trial.identity for pack in packs for trial in pack.trials}
            before = collections.Counter(ended[trial] for trial in plan.identities if trial in done)
            _attend(store, crew, Meter(len(plan.trials), before), progress)
        _tidy(store)
        _check_written(store, crew)
        return Runs(store, plan.identities, interrupted=crew.stopping and bool(_missing(plan, store)))


def _missing(plan: Plan, store: Store) -> list[Pack]:
    """The packs of the plan without what the store holds. Trials that failed have met an error, of the machine or of
    their code, and no result: they are still to be run."""
    ended = {trial for trial, outcome in store.outcomes().items() if outcome != Outcome.FAILED}
    left = [
        dataclasses.replace(pack, trials=tuple(trial for trial in pack.trials if trial.identity not in ended))
        for pack in plan.packs
    ]
    return [pack for pack in left if pack.trials]


def _attend(store: Store, crew: Inline | Parts, meter: Meter, progress: bool | Literal["plain"]) -> None:
    """Lets the crew work until it is done or has stopped."""
    next_beat = time.monotonic()
    next_tidying = next_beat + TIDYING
    with Interrupts() as interrupts, find_display(progress) as display:
        try:
            while crew.work(TICK):
                if not crew.stopping and (interrupts.asked or stop_requested(store.place)):
                    crew.stop()
                    display.say("stopping after this chunk; Ctrl-C again stops at once")
                status = meter.status(crew)
                display.show(status)
                if time.monotonic() >= next_beat:
                    beat(store.place, status)
                    next_beat = time.monotonic() + HEARTBEAT
                if time.monotonic() >= next_tidying:
                    _tidy(store)
                    next_tidying = time.monotonic() + TIDYING
        except KeyboardInterrupt:
            crew.leave()
            raise
        status = meter.status(crew)
        display.show(status)
        beat(store.place, status)
    forget_stop(store.place)


class Interrupts:
    """Ctrl-C inside a `with` block: the first is counted, the second raises KeyboardInterrupt.

    Only the main thread gets signals; on another one nothing is changed."""

    def __init__(self) -> None:
        self.asked = 0
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._count)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _count(self, number: int, frame: FrameType | None) -> None:
        self.asked += 1
        if self.asked > 1:
            raise KeyboardInterrupt


@contextlib.contextmanager
def _closing(executor: Processes) -> Iterator[Processes]:
    """Shuts the executor down; where something went wrong without waiting for what still runs."""
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    executor.shutdown()


def _tidy(store: Store) -> None:
    """Merges small fragments where there are many; no room for that is no reason to stop."""
    with contextlib.suppress(OSError):
        compact(store, MANY)


def _check_written(store: Store, crew: Inline | Parts) -> None:
    if crew.unsaved:
        store.report(f"the state of {_some(crew.unsaved)} could not be saved; they start again from step 0")
    if crew.failure is not None:
        reason = crew.failure if isinstance(crew.failure, str) else crew.failure.strerror or str(crew.failure)
        raise StoreError(
            f"{store.folder} cannot be written ({reason}): {_some(crew.unwritten)} ended and could not be saved; all "
            "else is. Make room and start the same sweep again: it trains these and what is left"
        )


def _some(trials: list[str]) -> str:
    names = ", ".join(trials[:NAMED]) + (", ..." if len(trials) > NAMED else "")
    return f"{len(trials):,} trials ({names})" if trials else "no trial"


def _temporary() -> Store:
    """A store that goes with the object that stands for it."""
    folder = tempfile.mkdtemp(prefix="assay-")
    store = Store(folder)
    weakref.finalize(store, shutil.rmtree, folder, ignore_errors=True)
    return store
