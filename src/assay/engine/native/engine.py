"""The engine `native`: nets of one hidden layer, single neurons and PolyNets on parities, in fused CPU kernels.

One trial at a time on each thread, its whole training in the cache; threads take the next trial from a common queue,
so that a slow one holds up nobody. Kernels release the interpreter's lock.
"""

from __future__ import annotations

import os
import queue
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from assay.engine.base import Arrays, Control, Result, Suspended
from assay.engine.native import library
from assay.engine.native.library import PROGRESS, Progress, Run
from assay.engine.native.spec import NUMBERS, Status, family_of, refusal, wanted
from assay.engine.records import Records
from assay.trial import Outcome, Trial

CHUNK_SECONDS = 0.2
"""Trained at a time between two looks at the request to stop."""
HANDED_SECONDS = 0.01
"""Between two times at which a thread hands over what has ended: for each of many short trials the consumer would have
to wake up, on a core that trains."""


class Native:
    """Trains on `threads` cores, all of them by default."""

    name = "native"

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or len(os.sched_getaffinity(0))
        try:
            self.kernels: library.Library | None = library.library()
            self.missing = ""
        except OSError as error:
            self.kernels, self.missing = None, str(error)

    def refusal(self, trial: Trial) -> str | None:
        return self.missing or refusal(trial)

    def run(
        self, trials: Sequence[Trial], control: Control, suspended: Mapping[str, Suspended] | None = None
    ) -> Iterator[Result | Suspended]:
        before = suspended or {}
        waiting = deque(_heaviest_first([before.get(trial.identity, trial) for trial in trials] if before else trials))
        results: queue.SimpleQueue[list[Result | Suspended] | BaseException | None] = queue.SimpleQueue()
        workers = [
            threading.Thread(target=self._work, args=(waiting, results, control), daemon=True)
            for _ in range(min(self.threads, len(trials)))
        ]
        for worker in workers:
            worker.start()
        alive = len(workers)
        try:
            while alive:
                handed = results.get()
                if handed is None:
                    alive -= 1
                elif isinstance(handed, BaseException):
                    raise handed
                else:
                    yield from handed
        finally:
            if alive:  # the consumer went away or a worker broke: let the others finish their chunk
                control.stop.set()
            for worker in workers:
                worker.join()

    def _work(self, waiting: deque[Trial | Suspended], results: queue.SimpleQueue, control: Control) -> None:
        ended, handed = list[Result | Suspended](), time.perf_counter()
        try:
            while not control.stop.is_set():
                try:
                    item = waiting.popleft()
                except IndexError:
                    break
                ended.append(self._train(item, control))
                if time.perf_counter() - handed > HANDED_SECONDS:
                    results.put(ended)
                    ended, handed = [], time.perf_counter()
        except BaseException as error:  # handed to the consumer, which raises it
            results.put(ended)
            results.put(error)
        else:
            results.put(ended)
        results.put(None)

    def _train(self, item: Trial | Suspended, control: Control) -> Result | Suspended:
        """Trains one trial to its end or to a stop; what goes wrong for it is its outcome."""
        trial = item.trial if isinstance(item, Suspended) else item
        control.count(running=1)
        try:
            assert self.kernels is not None
            seat = Seat(self.kernels, item, self.name)
            try:
                return seat.train(control)
            finally:
                seat.run.end()
        except Exception:
            message = traceback.format_exc(limit=-6)
            return Result(trial, Outcome.FAILED, 0, self.name, 0.0, message=message)
        finally:
            control.count(running=-1)


class Seat:
    """A trial on its way through the kernels."""

    def __init__(self, kernels: library.Library, item: Trial | Suspended, engine: str) -> None:
        self.began = time.perf_counter()
        self.engine = engine
        self.trial = item.trial if isinstance(item, Suspended) else item
        self.family = family_of(self.trial)
        self.records = Records(self.trial) if self.trial.record.measures else None
        spec = self.family.spec_of(self.trial)
        self.period = (
            spec.every or library.PERIOD
        )  # elsewhere a block of steps would be cut in two, and rounded otherwise
        if isinstance(item, Suspended):
            self.run = Run(kernels, spec, np.ascontiguousarray(item.state["params"]), _restored(item.state))
            self.began -= float(item.state["spent"])
            if self.records:
                self.records.restore(item.state)
        else:
            self.run = Run(kernels, spec, self.family.start_of(self.trial), None)
        self.at = self.run.look()

    def train(self, control: Control) -> Result | Suspended:
        """To the end of the trial, or until `control` asks to stop."""
        while True:
            self._record(ended=False)
            event = self.records.next_event(self.at.step) if self.records else self.trial.budget
            status = self.run.advance(event, CHUNK_SECONDS)
            before, self.at = self.at.step, self.run.look()
            control.count(steps=self.at.step - before)
            if status == Status.SOLVED:
                return self._result(Outcome.SOLVED, self.at.step)
            if status == Status.DIVERGED:
                return self._result(Outcome.DIVERGED, self.at.bad)
            if status == Status.REACHED and self.at.step >= self.trial.budget:
                return self._result(Outcome.CENSORED, self.at.step)
            if control.stop.is_set() and self.at.step % self.period == 0:
                self._record(ended=False)
                return Suspended(self.trial, self.at.step, self._state())

    def _record(self, ended: bool) -> None:
        records = self.records
        if records is None or not (records.due(self.at.step) or (ended and records.missing(self.at.step))):
            return
        measures = self.trial.record.measures
        groups = wanted(measures)
        numbers = self.run.measure(groups) if groups else None
        weights = self.family.named(self.run.params()) if any(name not in NUMBERS for name in measures) else {}
        taken: dict[str, object] = {}
        for name in measures:
            if name in NUMBERS:
                taken[name] = np.float32(getattr(numbers, NUMBERS[name]))
            else:
                taken[name] = weights if name == "weights/snapshot" else next(iter(weights.values()))
        records.add(self.at.step, taken)

    def _result(self, outcome: Outcome, step: int) -> Result:
        self._record(ended=True)
        curves, arrays = self.records.columns() if self.records else ({}, {})
        return Result(
            trial=self.trial, outcome=outcome, step=step, engine=self.engine,
            seconds=time.perf_counter() - self.began,
            quantity="loss" if outcome is Outcome.DIVERGED else None,
            final={"loss": self.at.loss}, curves=curves, arrays=arrays,
        )  # fmt: skip

    def _state(self) -> Arrays:
        state: Arrays = {name: np.array(getattr(self.at, name)) for name in PROGRESS}
        state["params"] = self.run.params()
        state["spent"] = np.array(time.perf_counter() - self.began)
        return state | (self.records.state() if self.records else {})


def _heaviest_first(items: Sequence[Trial | Suspended]) -> list[Trial | Suspended]:
    """What may take longest comes first, so that the threads end together; before it what was suspended."""
    work: dict[str, int] = {}

    def place(item: Trial | Suspended) -> tuple[bool, int]:
        trial = item.trial if isinstance(item, Suspended) else item
        if trial.pack_key not in work:
            work[trial.pack_key] = trial.learner.size * trial.examples_a_step
        return trial is item, -work[trial.pack_key] * trial.budget

    return sorted(items, key=place)


def _restored(state: Arrays) -> Progress:
    return Progress(**{name: state[name].item() for name in PROGRESS})
