"""What an engine is: something that trains trials and hands back how each ended.

Trials come back in the order in which they finish. An engine never raises for a trial: a trial that goes wrong ends
with an outcome. When it is asked to stop it finishes the chunk, hands back every unfinished trial as `Suspended`, and
a suspended trial goes on later to the very same end.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from assay.trial import Outcome, Trial

Arrays = dict[str, np.ndarray]


@dataclasses.dataclass(frozen=True)
class Result:
    """How a trial ended, and what was recorded on the way."""

    trial: Trial
    outcome: Outcome
    step: int
    engine: str
    seconds: float
    quantity: str | None = None  # what diverged
    message: str | None = None  # why it failed
    final: Mapping[str, float] = dataclasses.field(default_factory=dict)
    curves: Arrays = dataclasses.field(default_factory=dict)  # "step" and one column a scalar measure
    arrays: Arrays = dataclasses.field(default_factory=dict)  # one array a vector measure, first axis the records


@dataclasses.dataclass(frozen=True)
class Suspended:
    """A trial that was stopped on the way, with all that going on needs."""

    trial: Trial
    step: int
    state: Arrays


@dataclasses.dataclass
class Control:
    """How the outside and a running engine talk: a request to stop, and a count of the work done."""

    stop: threading.Event = dataclasses.field(default_factory=threading.Event)
    steps: int = 0
    running: int = 0
    started: float = dataclasses.field(default_factory=time.perf_counter)
    _lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def count(self, steps: int = 0, running: int = 0) -> None:
        """Adds model-steps done, and trials started (+) or ended (-)."""
        with self._lock:
            self.steps += steps
            self.running += running


class Engine(Protocol):
    """Anything that trains."""

    name: str

    def refusal(self, trial: Trial) -> str | None:
        """Why this engine cannot train a trial; None where it can."""
        ...

    def run(
        self, trials: Sequence[Trial], control: Control, suspended: Mapping[str, Suspended] | None = None
    ) -> Iterator[Result | Suspended]:
        """Trains the trials, taking up the suspended ones (by identity) where they were left."""
        ...
