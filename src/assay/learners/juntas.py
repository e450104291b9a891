"""Search over the subsets of a sparse Boolean function: exact empirical risk minimisation without noise.

Every k-subset that explains the examples so far is kept, until one is left: the fewest examples that any learner can
be sure after. Edelman, Goel, Kakade, Zhang 2022, section 4: log2 C(n, k) examples are necessary, and bounded-norm
attention needs no more up to constants.
"""

from __future__ import annotations

import dataclasses
import math
import time

import numpy as np
from jaxtyping import UInt8

from assay.errors import ConfigError
from assay.learners.base import Found
from assay.maths import juntas
from assay.tasks.sparse_boolean import SparseBoolean


class JuntaExamples:
    """The examples of a sparse Boolean function, one after the other, as bits: those that `Offline` data of the same
    seed has."""

    def __init__(self, task: SparseBoolean, seed: int = 0) -> None:
        self.task, self.seed = task, seed

    def first(self, count: int) -> tuple[UInt8[np.ndarray, "{count} n"], UInt8[np.ndarray, " {count}"]]:
        x = self.task.bits(self.seed, "data", count, self.task.draw(self.seed))
        return x, self.task.labels(self.seed, x)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConsistentSubsets:
    """Examples until one subset is left: a doubling, then a bisection, since what fits more examples fits fewer."""

    most: int = 1 << 14

    def learn(self, examples: JuntaExamples) -> Found:
        """The subset, and the smallest number of first examples that it alone fits."""
        started = time.perf_counter()
        task = examples.task
        # with too few examples almost everything fits, and listing it takes long: start from the information bound
        high = math.ceil(juntas.log2_hypotheses(task.n, task.k)) + 1
        queries = 0
        while len(fits := self._fitting(examples, high)) != 1:
            queries += 1
            high *= 2
            if high > self.most:
                raise ConfigError("most", self.most, "enough examples to tell the subsets apart", "raise it")
        low = 0
        while high - low > 1:
            queries += 1
            middle = (low + high) // 2
            if middle < juntas.log2_hypotheses(task.n, task.k) / 2:
                low = middle
            elif len(self._fitting(examples, middle)) == 1:
                high = middle
            else:
                low = middle
        subset = tuple(int(i) for i in fits[0])
        return Found(
            subset=subset, samples=high, queries=queries, work=queries * math.comb(task.n, task.k),
            seconds=time.perf_counter() - started,
        )  # fmt: skip

    def _fitting(self, examples: JuntaExamples, count: int) -> np.ndarray:
        x, y = examples.first(count)
        return juntas.fitting_subsets(x, y, examples.task.table)
