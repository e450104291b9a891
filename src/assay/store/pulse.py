"""How a running sweep and other shells talk: a heartbeat that it writes, and a request to stop that it looks for."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import json
import os
import platform
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import StoreError
from assay.store.lock import held
from assay.store.place import Place
from assay.store.read import Store

HEARTBEAT, STOP = "heartbeat.json", "stop"
STALE = 10.0
"""Seconds after which a heartbeat on a filesystem without locks counts for nothing."""


@dataclasses.dataclass(frozen=True)
class Status:
    """Where the sweep of a folder stands."""

    total: int  # trials of the plan
    solved: int = 0
    censored: int = 0
    diverged: int = 0
    failed: int = 0
    running: int = 0
    suspended: int = 0
    alive: bool = False  # whether a process is at work
    steps_per_second: float | None = None  # run-steps, all trials together
    eta: float | None = None  # seconds
    process: str | None = None  # which process is at work, or was last

    @property
    def done(self) -> int:
        return self.solved + self.censored + self.diverged + self.failed

    @property
    def waiting(self) -> int:
        return self.total - self.done - self.running

    def line(self) -> str:
        """All of it in one line."""
        ended = [f"{getattr(self, name):,} {name}" for name in ("solved", "censored", "diverged", "failed")]
        words = [f"{self.done:,} of {self.total:,} trials", *(text for text in ended if not text.startswith("0 "))]
        if self.alive:
            words += [f"{self.running:,} running", f"{self.waiting:,} waiting"]
            if self.steps_per_second is not None:
                words.append(f"{self.steps_per_second:,.0f} run-steps/s")
            if self.eta is not None:
                words.append(f"about {duration(self.eta)} left")
        elif self.done < self.total:
            words += [f"{self.suspended:,} suspended"] if self.suspended else []
            words.append("not running")
        return ", ".join(words)


def status(folder: str | Path) -> Status:
    """Where the sweep of a folder stands, from its fragments and its heartbeat; StoreError where there is no store."""
    store = Store(folder)
    planned = store.planned()
    if not planned:
        raise StoreError(f"{folder} must be the folder of a sweep, but it has no plan.json; check the path")
    beat = _heartbeat(store.place)
    alive = held(store.place) if store.place.local else beat.get("updated", 0.0) > time.time() - STALE
    outcomes = store.outcomes()
    ended = collections.Counter(outcomes[trial] for trial in planned if trial in outcomes)
    return Status(
        total=len(planned),
        solved=ended["solved"],
        censored=ended["censored"],
        diverged=ended["diverged"],
        failed=ended["failed"],
        running=beat.get("running", 0) if alive else 0,
        suspended=len(set(store.suspended()) - outcomes.keys()),
        alive=alive,
        steps_per_second=beat.get("steps_per_second") if alive else None,
        eta=beat.get("eta") if alive else None,
        process=f"pid {beat['pid']} on {beat['host']}" if beat else None,
    )


def beat(place: Place, status: Status) -> None:
    """Writes the heartbeat. It is only news: a disk without room for it is no reason to stop."""
    about = {"pid": os.getpid(), "host": platform.node(), "updated": time.time()}
    told = {name: getattr(status, name) for name in ("running", "steps_per_second", "eta")}
    with contextlib.suppress(OSError):
        place.write(HEARTBEAT, json.dumps(about | told).encode(), durable=False)


def request_stop(folder: str | Path) -> bool:
    """Asks the process at work on a folder to finish its chunk, save and end; False where there is none."""
    if not status(folder).alive:
        return False
    ask_to_stop(Place(folder))
    return True


def ask_to_stop(place: Place) -> None:
    place.write(STOP, b"", durable=False)


def stop_requested(place: Place) -> bool:
    return place.exists(STOP)


def forget_stop(place: Place) -> None:
    place.remove(STOP)


def duration(seconds: float) -> str:
    """Seconds as people say them: 40 s, 12 min, 3.5 h, 2.1 days."""
    for limit, unit, name in ((90, 1, "s"), (5400, 60, "min")):
        if seconds < limit:
            return f"{max(seconds, 0) / unit:.0f} {name}"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"


def _heartbeat(place: Place) -> Mapping[str, Any]:
    try:
        return json.loads(place.read(HEARTBEAT))
    except (FileNotFoundError, ValueError):
        return {}
