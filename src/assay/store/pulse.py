"""How a running sweep and other shells talk: a heartbeat, and a request to stop."""

from __future__ import annotations

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Status:
    """Where the sweep of a folder stands."""

    total: int  # trials of the plan
    solved: int
    censored: int
    diverged: int
    failed: int
    running: int
    suspended: int
    alive: bool  # whether a process is at work
    steps_per_second: float | None = None  # run-steps, all trials together
    eta: float | None = None  # seconds
    process: str | None = None  # "pid 123 on host"

    @property
    def done(self) -> int:
        return self.solved + self.censored + self.diverged + self.failed

    @property
    def waiting(self) -> int:
        return self.total - self.done - self.running


def status(folder: str | Path) -> Status:
    """Where the sweep of a folder stands, from its fragments and its heartbeat; StoreError where there is no store."""
    raise NotImplementedError


def request_stop(folder: str | Path) -> bool:
    """Asks the process at work on a folder to finish its chunk, save and end; False where there is none."""
    raise NotImplementedError
