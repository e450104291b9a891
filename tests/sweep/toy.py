"""An engine that trains nothing: a trial is solved at a step that its seed decides, some of them never.

It stops and goes on like a real one, and notes what it was asked to do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from assay.engine.base import Control, Result, Suspended
from assay.nets import MLP, PolyNet
from assay.tasks import Parity
from assay.trial import Outcome, Record, Trial

BASE = Trial(task=Parity(n=10, k=2), net=PolyNet(), budget=100)
WIDE = Trial(task=Parity(n=10, k=2), net=MLP(width=8), budget=100)
RECORDED = BASE.replace(record=Record(measures=("train/loss", "weights/first_layer"), every=10))
CHUNK = 10


def end(trial: Trial) -> tuple[Outcome, int]:
    """How a trial ends."""
    step = 10 + 10 * (trial.seed * 7 % 12)
    return (Outcome.SOLVED, step) if step <= trial.budget else (Outcome.CENSORED, trial.budget)


class Toy:
    """`pace` is the time of a chunk of 10 steps; trials run one after the other."""

    name = "toy"

    def __init__(self, pace: float = 0.0) -> None:
        self.pace = pace
        self.trained: list[int] = []  # seeds, in the order in which they were begun
        self.steps = 0
        self.lock = threading.Lock()
        self.broken: int | None = None  # seed at which the engine itself fails
        self.stuck: int | None = None  # seed at which it hangs until `release` is set
        self.release = threading.Event()
        self.when: dict[int, Callable[[], object]] = {}

    def at(self, seed: int, do: Callable[[], object]) -> None:
        """Does something, once, when a trial with this seed begins."""
        self.when[seed] = do

    def refusal(self, trial: Trial) -> str | None:
        return "too deep" if isinstance(trial.net, MLP) and trial.net.depth > 2 else None

    def run(
        self, trials: Sequence[Trial], control: Control, suspended: Mapping[str, Suspended] | None = None
    ) -> Iterator[Result | Suspended]:
        for trial in trials:
            kept = (suspended or {}).get(trial.identity)
            step = kept.step if kept else 0
            if control.stop.is_set():
                yield Suspended(trial, step, {"step": np.array(step)})
                return
            if trial.seed == self.broken:
                raise RuntimeError("the engine is broken")
            with self.lock:
                self.trained.append(trial.seed)
                do = self.when.pop(trial.seed, None)
            if do:
                do()
            control.count(running=1)
            yield (item := self._train(trial, control, step))
            control.count(running=-1)
            if isinstance(item, Suspended):
                return

    def _train(self, trial: Trial, control: Control, step: int) -> Result | Suspended:
        outcome, last = end(trial)
        while step < last:
            if control.stop.is_set():
                return Suspended(trial, step, {"step": np.array(step)})
            time.sleep(self.pace)
            if trial.seed == self.stuck:
                self.release.wait(30)
            step += CHUNK
            control.count(steps=CHUNK)
            with self.lock:
                self.steps += CHUNK
        moments = np.array([s for s in trial.record.moments(trial.budget) if s <= last], np.int64)
        recorded = len(moments) > 0
        return Result(
            trial=trial,
            outcome=outcome,
            step=last,
            engine=self.name,
            seconds=0.5,
            final={"loss": 1 / last},
            curves={"step": moments, "train/loss": 1 / (1 + moments)} if recorded else {},
            arrays={"weights/first_layer": np.ones((len(moments), 2, 10)) * trial.seed} if recorded else {},
        )
