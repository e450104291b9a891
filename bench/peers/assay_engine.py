"""Assay itself: the engine as a sweep uses it, from drawing the initial weights to the solve test every ten steps."""

from __future__ import annotations

import functools

import numpy as np

from assay import MLP, SGD, Offline, Online, Parity, Record, Trial
from assay.engine.base import Control, Result
from assay.sweep.engines import AUTO, choose_engine, find_engine
from bench.peers.base import Unavailable, Weights
from bench.workloads import Workload

MOST_RUNS = (8, 64)
"""Of the engine `xla`, in batches and one by one. Its lanes do not see each other: more runs only take longer."""


class AssayEngine:
    """Trains with the solve test on: a run that is solved stops, and counts the steps that it took."""

    def __init__(self, workload: Workload, *, engine: str, threads: int = 1) -> None:
        self.trial = Trial(
            task=Parity(n=workload.n, k=workload.k),
            net=MLP(width=workload.width),
            optimiser=SGD(learning_rate=workload.learning_rate),
            data=Offline(samples=workload.offline, order="replacement") if workload.offline else Online(),
            batch=workload.batch,
        )
        name = choose_engine(engine, self.trial)
        self.engine = find_engine(name, threads)
        self.runs = workload.runs if name == "native" else min(workload.runs, MOST_RUNS[workload.batch == 1])
        parts = [f"engine {name}"]
        if self.runs < workload.runs:
            parts.append(f"{self.runs} of {workload.runs} runs timed: lanes are independent")
        self.note = "; ".join(parts)
        self.template = functools.cache(lambda budget: self.trial.replace(budget=budget))  # a sweep makes it once
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
        trial = self.template(max(self.done, 1))
        return [trial.reseeded(self.seed * self.runs + i) for i in range(self.runs)]


def prepare(workload: Workload) -> AssayEngine:
    return AssayEngine(workload, engine=AUTO)


def prepare_two_cores(workload: Workload) -> AssayEngine:
    if workload.runs == 1:
        raise Unavailable("one run is trained on one core")
    return AssayEngine(workload, engine=AUTO, threads=2)


def prepare_xla(workload: Workload) -> AssayEngine:
    return AssayEngine(workload, engine="xla")
