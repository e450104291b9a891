"""The engine `xla`: everything, on CPU, GPU or TPU, through jax.

Trials are grouped by shape; each host thread drives a tile of lanes of one program and moves on to the next group as
soon as its own has nothing left to hand out, so that no thread waits for another's slowest trial.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import queue
import threading
import traceback
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import jax

from assay.engine.base import Control, Result, Suspended
from assay.engine.xla.program import Programs
from assay.engine.xla.tile import Tile
from assay.trial import Outcome, Trial


@dataclasses.dataclass
class Pack:
    """The trials of one shape that are still to be trained."""

    shape: str
    waiting: deque[Trial | Suspended]
    workers: int = 0


class Xla:
    """Trains any trial; `threads` tiles run side by side: one a core on a CPU, one a device elsewhere."""

    name = "xla"

    def __init__(self, threads: int | None = None) -> None:
        self.devices = jax.local_devices()
        cores = len(os.sched_getaffinity(0)) if jax.default_backend() == "cpu" else 1
        self.threads = threads or max(cores, len(self.devices))
        self.programs = Programs()
        keep_compiled_programs()

    def refusal(self, trial: Trial) -> str | None:
        return None

    def run(
        self, trials: Sequence[Trial], control: Control, suspended: Mapping[str, Suspended] | None = None
    ) -> Iterator[Result | Suspended]:
        packs = self._packs(trials, suspended or {})
        results: queue.SimpleQueue[Result | Suspended | BaseException | None] = queue.SimpleQueue()
        lock = threading.Lock()
        workers = [
            threading.Thread(target=self._work, args=(device, packs, lock, results, control), daemon=True)
            for device, _ in zip(itertools.cycle(self.devices), range(min(self.threads, len(trials))), strict=False)
        ]
        for worker in workers:
            worker.start()
        alive = len(workers)
        try:
            while alive:
                item = results.get()
                if item is None:
                    alive -= 1
                elif isinstance(item, BaseException):
                    raise item
                else:
                    yield item
        finally:
            if alive:  # the consumer went away or a worker broke: let the others finish their chunk
                control.stop.set()
            for worker in workers:
                worker.join()

    def _packs(self, trials: Sequence[Trial], suspended: Mapping[str, Suspended]) -> list[Pack]:
        packs: dict[str, Pack] = {}
        for trial in trials:
            shape = trial.pack_key
            pack = packs.setdefault(shape, Pack(shape, deque()))
            pack.waiting.append(suspended.get(trial.identity, trial))
        return list(packs.values())

    def _work(
        self,
        device: jax.Device,
        packs: list[Pack],
        lock: threading.Lock,
        results: queue.SimpleQueue,
        control: Control,
    ) -> None:
        try:
            with jax.default_device(device):
                while not control.stop.is_set() and (pack := _choose(packs, lock)) is not None:
                    for item in self._drain(pack, lock, control):
                        results.put(item)
                    with lock:
                        pack.workers -= 1
        except BaseException as error:  # handed to the consumer, which raises it
            results.put(error)
        results.put(None)

    def _drain(self, pack: Pack, lock: threading.Lock, control: Control) -> Iterator[Result | Suspended]:
        """Trains what the pack hands out; what goes wrong for a shape is an outcome of its trials, not of the sweep."""

        def take() -> Trial | Suspended | None:
            with lock:
                return pack.waiting.popleft() if pack.waiting else None

        first = take()
        if first is None:
            return
        handed = [first]

        def hand() -> Trial | Suspended | None:
            return handed.pop() if handed else take()

        trial = first.trial if isinstance(first, Suspended) else first
        tile = None
        try:
            with jax.enable_x64(trial.precision == "float64"):  # of this thread, and of nothing else
                tile = Tile(self.programs.find(pack.shape, trial), hand, control, self.name)
                yield from tile.run()
        except Exception:
            message = traceback.format_exc(limit=-6)
            seated = [seat.trial for seat in (tile.seats if tile else []) if seat]
            control.count(running=-len(seated))
            lost = [*handed, *seated]
            while (item := take()) is not None:
                lost.append(item)
            for item in lost:
                failed = item.trial if isinstance(item, Suspended) else item
                yield Result(failed, Outcome.FAILED, 0, self.name, 0.0, message=message)


def _choose(packs: list[Pack], lock: threading.Lock) -> Pack | None:
    """A pack nobody works on, else the one with the most trials waiting for each worker."""
    with lock:
        open_packs = [pack for pack in packs if pack.waiting]
        if not open_packs:
            return None
        pack = min(open_packs, key=lambda p: (p.workers > 0, -len(p.waiting) / (p.workers + 1)))
        pack.workers += 1
        return pack


def keep_compiled_programs() -> None:
    """Compiled programs are kept between processes, in ASSAY_CACHE or the user's cache folder."""
    if jax.config.values["jax_compilation_cache_dir"] is None:
        home = Path(os.environ.get("ASSAY_CACHE") or Path.home() / ".cache" / "assay")
        jax.config.update("jax_compilation_cache_dir", str(home / "programs"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
