"""The crew that trains on this process' own engines, and writes what comes of it."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from assay.engine.base import Control, Result, Suspended
from assay.store import Store, Writer
from assay.store.write import drop_suspended, load_suspended, save_suspended
from assay.sweep.engines import find_engine
from assay.sweep.pack import Pack
from assay.sweep.rows import RowMaker
from assay.trial import Trial


class Crew(Protocol):
    """What trains the missing trials of a sweep."""

    outcomes: Counter[str]  # of the trials that ended since the start
    stopping: bool  # whether it was asked to stop, or had to

    def work(self, seconds: float) -> bool:
        """Takes in what has ended, for so many seconds at most; False once there is nothing left to do."""
        ...

    def stop(self) -> None:
        """Asks all that is running to finish its chunk and be saved; `work` goes on until it is."""
        ...

    def leave(self) -> None:
        """Writes what can be written at once and lets the rest go."""
        ...

    def progress(self) -> tuple[int, int]:
        """(trials running, run-steps done since the start)."""
        ...


class Inline:
    """Trains packs on the threads of this process: one thread feeds the results of the engines to the caller's own."""

    def __init__(self, store: Store, packs: Sequence[Pack], threads: int | None) -> None:
        self.store, self.packs, self.threads = store, packs, threads
        self.outcomes: Counter[str] = Counter()
        self.stopping = False
        self.unsaved: list[str] = []  # trials whose state there was no room for: they start again
        self.failure: OSError | None = None  # of the last attempt to write
        self._control = Control()
        self._writer = Writer(store.place)
        self._rows = RowMaker()
        self._half_done = set(store.suspended())
        self._items: queue.SimpleQueue[Result | Suspended | BaseException | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._train, daemon=True)
        self._thread.start()

    def work(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                item = self._items.get(timeout=left)
            except queue.Empty:
                break
            if item is None:
                self._flush()
                return False
            if isinstance(item, BaseException):
                self._flush()
                raise item
            self._take(item)
            self._flush_if_due()
        self._flush_if_due()
        return True

    def stop(self) -> None:
        self.stopping = True
        self._control.stop.set()

    def leave(self) -> None:
        self.stop()
        self._flush()

    def progress(self) -> tuple[int, int]:
        return self._control.running, self._control.steps

    @property
    def unwritten(self) -> list[str]:
        """Trials that have ended and could not be written."""
        return list(self._writer.pending)

    def _train(self) -> None:
        """On its own thread: the packs of one engine after those of another."""
        try:
            for name in dict.fromkeys(pack.engine for pack in self.packs):
                trials, suspended = self._prepared(name)
                for item in find_engine(name, self.threads).run(trials, self._control, suspended):
                    self._items.put(item)
        except BaseException as error:
            self._items.put(error)
        self._items.put(None)

    def _prepared(self, engine: str) -> tuple[list[Trial], dict[str, Suspended]]:
        """The trials of an engine and the states of the suspended ones, which come first, so that they stay few."""
        trials = [trial for pack in self.packs if pack.engine == engine for trial in pack.trials]
        suspended = {}
        for trial in trials:
            if trial.identity in self._half_done and (kept := load_suspended(self.store, trial.identity, engine)):
                suspended[trial.identity] = Suspended(trial, *kept)
        return sorted(trials, key=lambda trial: trial.identity not in suspended), suspended

    def _take(self, item: Result | Suspended) -> None:
        if isinstance(item, Result):
            self._writer.add(self._rows.row(item))
            self.outcomes[item.outcome] += 1
            return
        try:
            engine = next(pack.engine for pack in self.packs if pack.key == item.trial.pack_key)
            save_suspended(self.store.place, item.trial.identity, engine, item.step, item.state)
        except OSError:
            self.unsaved.append(item.trial.identity)

    def _flush_if_due(self) -> None:
        if self._writer.due() and self.failure is None:
            self._flush()

    def _flush(self) -> None:
        """Writes the rows. Where that fails they are kept and everything stops; the flush at the end tries again."""
        try:
            safe = self._writer.flush()
        except OSError as error:
            self.failure = error
            self.store.report(f"there is no writing to the folder ({error.strerror or error}); stopping")
            self.stop()
            return
        self.failure = None
        drop_suspended(self.store.place, [trial for trial in safe if trial in self._half_done])
