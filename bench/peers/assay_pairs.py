"""Assay itself on a table of pairs: the engine as a sweep uses it, with the initial weights drawn."""

from __future__ import annotations

import numpy as np

from assay import SGD, Composition, CrossEntropy, PairNet, Penalty, Population, Record, Trial
from assay.engine.base import Control, Result
from assay.engine.xla.engine import Xla
from bench.pairs import Pairs
from bench.peers.base import Weights


class AssayPairs:
    def __init__(self, workload: Pairs) -> None:
        self.engine, self.note = Xla(threads=1), "engine xla"
        self.trial = Trial(
            task=Composition(group=f"Z{workload.p}"),
            net=PairNet(width=workload.width),
            loss=CrossEntropy(),
            penalty=Penalty(weight=workload.penalty, b=3.0),
            optimiser=SGD(learning_rate=workload.learning_rate),
            data=Population(),
            batch="all",
            solve=None,
        )
        self.seed = self.done = 0

    def start(self, seed: int) -> None:
        self.seed, self.done = seed, 0

    def train(self, steps: int) -> int:
        self.done += steps
        self._run(Record())
        return steps

    def tables(self, start: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Weights into the neurons and out of them, a row a neuron, at the start or as they are now."""
        arrays = self._run(Record(measures=("weights/snapshot",), steps=(0,))).arrays
        at = 0 if start or not self.done else -1
        left, right, out = (arrays[f"weights/snapshot.{layer}.weight"][at] for layer in ("left", "right", "output"))
        return np.concatenate([left, right]).T, out

    def weights(self) -> Weights:
        raise NotImplementedError("a net on pairs has tables, no weights of inputs")

    def _run(self, record: Record) -> Result:
        trial = self.trial.replace(budget=max(self.done, 1), seed=self.seed, record=record)
        (result,) = self.engine.run([trial], Control())
        assert isinstance(result, Result)
        assert result.message is None, result.message
        return result
