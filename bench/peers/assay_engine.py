"""Assay itself: the engine as a sweep uses it, from drawing the initial weights to the solve test every ten steps."""

from __future__ import annotations

import numpy as np

from assay import MLP, SGD, Offline, Online, Parity, Record, Trial
from assay.engine.base import Control, Result
from assay.engine.xla.engine import Xla
from bench.peers.base import Weights
from bench.workloads import Workload

TIMED_RUNS = 64
"""Runs are trained in lanes that do not see each other, so more of them change no rate, only the length of a sample."""


class AssayEngine:
    """Trains with the solve test on: a run that is solved stops, and counts the steps that it took."""

    def __init__(self, workload: Workload) -> None:
        self.engine = Xla(threads=1)
        runs = min(workload.runs, TIMED_RUNS if workload.batch == 1 else 8)
        self.note = "" if runs == workload.runs else f"{runs} of {workload.runs} runs timed: lanes are independent"
        self.trial = Trial(
            task=Parity(n=workload.n, k=workload.k),
            net=MLP(width=workload.width),
            optimiser=SGD(learning_rate=workload.learning_rate),
            data=Offline(samples=workload.offline, order="replacement") if workload.offline else Online(),
            batch=workload.batch,
        )
        self.runs = runs
        self.seed = self.done = 0

    def start(self, seed: int) -> None:
        self.seed, self.done = seed, 0

    def train(self, steps: int) -> int:
        self.done += steps
        control = Control()
        for result in self.engine.run(self._trials(), control):
            assert isinstance(result, Result)
            assert result.message is None, result.message
        return control.steps

    def weights(self) -> Weights:
        trials = [trial.replace(record=Record(measures=("weights/snapshot",), steps=(0,))) for trial in self._trials()]
        found = {r.trial.seed: r.arrays for r in self.engine.run(trials, Control()) if isinstance(r, Result)}
        names = ("hidden_1.weight", "hidden_1.bias", "output.weight", "output.bias")
        at = -1 if self.done else 0
        last = [np.stack([found[t.seed][f"weights/snapshot.{name}"][at] for t in trials]) for name in names]
        return Weights(last[0], last[1], last[2][:, 0], last[3][:, 0])

    def _trials(self) -> list[Trial]:
        trial = self.trial.replace(budget=max(self.done, 1))
        return [trial.reseeded(self.seed * self.runs + i) for i in range(self.runs)]


prepare = AssayEngine
