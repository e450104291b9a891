"""Assay itself on Markov chains: the engine as a sweep uses it, without measures."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay as ay
from assay.engine.base import Control, Result
from assay.engine.xla.engine import Xla
from bench.markov import MarkovWorkload


class AssayMarkov:
    """Trains every run for as many steps as it is asked."""

    note = ""

    def __init__(self, workload: MarkovWorkload) -> None:
        self.engine = Xla(threads=1)
        self.runs = workload.runs
        minimal = workload.d is None
        self.trial = ay.Trial(
            task=ay.MarkovChains(states=workload.states, length=workload.length),
            net=ay.MinimalInduction() if minimal else ay.SequenceTransformer(d=workload.d or 16),
            init=ay.Normal(std=0.2),
            loss=ay.SequenceCrossEntropy(),
            optimiser=ay.SGD(learning_rate=2e-3) if minimal else ay.AdamW(learning_rate=1e-3),
            batch=workload.batch,
            solve=None,
        )
        self.seed = 0

    def start(self, seed: int) -> None:
        self.seed = seed

    def train(self, steps: int) -> int:
        control = Control()
        for result in self.engine.run(self.trials(steps), control):
            assert isinstance(result, Result)
            assert result.message is None, result.message
        return control.steps

    def trials(self, steps: int, **changes: Any) -> list[ay.Trial]:
        trial = self.trial.replace(budget=steps, **changes)
        return [trial.reseeded(self.seed * self.runs + i) for i in range(self.runs)]

    def losses(self, steps: int) -> np.ndarray:
        """The training loss at the end of each run; asked for by the checks only."""
        record = ay.Record(measures=("train/loss",), steps=(steps,))
        ended = self.engine.run(self.trials(steps, record=record), Control())
        return np.array([r.curves["train/loss"][-1] for r in ended if isinstance(r, Result)])


prepare = AssayMarkov
