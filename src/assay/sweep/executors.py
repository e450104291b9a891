"""Training on other processes: parts of a plan through anything that has `submit`, in the style of concurrent.futures.

A part is trained by one worker, which writes its own fragments to the store; the store, not the return value, says what
is done. So a worker that is lost costs what it had not written yet: that is submitted again, the second time in
halves, which separates a trial that kills its worker from the others. A single trial that has lost two workers is
reported and left out.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import json
import math
import multiprocessing
import multiprocessing.connection
import os
import secrets
import signal
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from assay.store import Store
from assay.store.pulse import ask_to_stop, stop_requested
from assay.sweep.crew import Inline
from assay.sweep.pack import Pack
from assay.trial import Trial

PARTS_A_WORKER = 4
"""Parts that a worker gets one after the other, so that none waits long for the slowest."""
HOPELESS = 8
"""Workers lost in a row, without any trial done in between, after which no more are tried."""
WORKERS = "workers/"
"""Folder of the notes in which workers say how far they are."""


class Processes(Executor):
    """Spawned worker processes, apart from each other: one that dies takes its own call with it and is replaced."""

    def __init__(self, workers: int | None = None) -> None:
        self._threads = ThreadPoolExecutor(workers or len(os.sched_getaffinity(0)))
        self._pools: dict[int, ProcessPoolExecutor] = {}  # one process for each thread

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._threads.submit(self._call, function, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._threads.shutdown(wait, cancel_futures=cancel_futures)
        for pool in self._pools.values():
            pool.shutdown(wait, cancel_futures=cancel_futures)

    def _call(self, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        own = threading.get_ident()
        if own not in self._pools:
            spawn = multiprocessing.get_context("spawn")
            self._pools[own] = ProcessPoolExecutor(1, mp_context=spawn, initializer=_begin_worker)
        try:
            return self._pools[own].submit(function, *args, **kwargs).result()
        except BrokenProcessPool:
            del self._pools[own]
            raise


def _begin_worker() -> None:
    """Leaves Ctrl-C to the parent, and ends when the parent is gone, however it went."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_outlive_nobody, args=(parent.sentinel,), daemon=True).start()


def _outlive_nobody(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


@dataclasses.dataclass
class Part:
    """Trials of one pack that a worker trains."""

    pack: Pack
    note: str = dataclasses.field(default_factory=lambda: f"{WORKERS}{secrets.token_hex(6)}.json")
    lost: bool = False  # whether a worker was lost on these very trials


@dataclasses.dataclass(frozen=True)
class Report:
    """What a worker says at the end of a part."""

    steps: int
    unwritten: list[str]
    unsaved: list[str]
    failure: str | None


def train_part(folder: str, note: str, key: str, engine: str, family: list[tuple[dict[str, Any], list[int]]]) -> Report:
    """On the worker: trains the trials, one thread, and writes them; looks for a request to stop."""
    store = Store(folder)
    trials = [trial for config, seeds in family for trial in _family(config, seeds)]
    crew = Inline(store, [Pack(key, engine, tuple(trials))], threads=1)
    while crew.work(0.5):
        if stop_requested(store.place):
            crew.stop()
        running, steps = crew.progress()
        with contextlib.suppress(OSError):
            store.place.write(note, json.dumps({"running": running, "steps": steps}).encode(), durable=False)
    failure = None if crew.failure is None else crew.failure.strerror or str(crew.failure)
    return Report(crew.progress()[1], crew.unwritten, crew.unsaved, failure)


def _family(config: dict[str, Any], seeds: list[int]) -> list[Trial]:
    first = Trial.from_json(config)
    return [first.reseeded(seed) for seed in seeds]


class Parts:
    """The crew that hands parts to an executor and looks after them."""

    def __init__(self, store: Store, packs: Sequence[Pack], executor: Executor, workers: int) -> None:
        self.store, self.executor = store, executor
        self.outcomes: Counter[str] = Counter()
        self.unwritten: list[str] = []
        self.unsaved: list[str] = []
        self.failure: str | None = None
        self._wanted = {trial.identity for pack in packs for trial in pack.trials}
        self._parts: dict[Future[Report], Part] = {}
        self._steps = 0
        self._losses = 0  # in a row
        self.stopping = False
        for part in _cut(packs, PARTS_A_WORKER * workers):
            self._submit(part)

    def work(self, seconds: float) -> bool:
        done, _ = concurrent.futures.wait(self._parts, seconds, concurrent.futures.FIRST_COMPLETED)
        ended = self.store.outcomes()
        self.outcomes = Counter(ended[trial] for trial in self._wanted & ended.keys())
        for future in done:
            self._finish(self._parts.pop(future), future)
        return bool(self._parts)

    def stop(self) -> None:
        self.stopping = True
        for future in self._parts:
            future.cancel()
        with contextlib.suppress(OSError):
            ask_to_stop(self.store.place)

    def leave(self) -> None:
        self.stop()

    def progress(self) -> tuple[int, int]:
        running, steps = 0, self._steps
        for future, part in self._parts.items():
            if not future.done() and (note := self._note(part)):
                running, steps = running + note["running"], steps + note["steps"]
        return running, steps

    def _submit(self, part: Part) -> None:
        families: dict[tuple[str, str], list[Trial]] = {}
        for trial in part.pack.trials:
            families.setdefault(trial.around_seed, []).append(trial)
        plain = [(own[0].to_json(), [trial.seed for trial in own]) for own in families.values()]
        place = self.store.place
        folder = str(place.local) if place.local else place.address
        future = self.executor.submit(train_part, folder, part.note, part.pack.key, part.pack.engine, plain)
        self._parts[future] = part

    def _finish(self, part: Part, future: Future[Report]) -> None:
        with contextlib.suppress(OSError):
            self.store.place.remove(part.note)
        if future.cancelled():
            return
        if (error := future.exception()) is not None:
            self._lose(part, error)
            return
        report = future.result()
        self._losses = 0
        self._steps += report.steps
        self.unwritten += report.unwritten
        self.unsaved += report.unsaved
        if report.failure:
            self.failure = report.failure
            self.stop()

    def _lose(self, part: Part, error: BaseException) -> None:
        """Submits again what a lost worker has left."""
        ended = self.store.outcomes()
        rest = tuple(trial for trial in part.pack.trials if trial.identity not in ended)
        if not rest or self.stopping:
            return
        same = len(rest) == len(part.pack.trials)
        self._losses = self._losses + 1 if same else 0
        if self._losses >= HOPELESS or (part.lost and same and len(rest) == 1):
            reason = f"{type(error).__name__}: {error}".strip(": ")
            self.store.report(f"{len(rest)} trials were not trained, their worker was lost repeatedly ({reason})")
            return
        half = -(-len(rest) // 2) if part.lost and same else len(rest)
        for trials in (rest[:half], rest[half:]):
            if trials:
                self._submit(Part(dataclasses.replace(part.pack, trials=trials), lost=same))

    def _note(self, part: Part) -> dict[str, int] | None:
        try:
            return json.loads(self.store.place.read(part.note))
        except (OSError, ValueError):
            return None


def _cut(packs: Sequence[Pack], count: int) -> list[Part]:
    """About `count` parts of equal work, more where there are more packs; packs in the order given."""
    total = sum(pack.work for pack in packs)
    parts = []
    for pack in packs:
        pieces = min(len(pack.trials), max(1, round(count * pack.work / max(total, 1))))
        size = math.ceil(len(pack.trials) / pieces)
        for first in range(0, len(pack.trials), size):
            parts.append(Part(dataclasses.replace(pack, trials=pack.trials[first : first + size])))
    return parts
