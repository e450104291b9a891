"""From weak to strong: whatever answers a parity better than by chance gives its subset away.

A hypothesis h that is right on a fraction a of all inputs has hhat(S) = E[h chi_S] = 2a - 1, and by Parseval at most
(2a - 1)^-2 subsets have as large a coefficient. List decoding finds them, a few labelled examples tell which it is
(Barak et al. 2022, appendix C.1, on nets too narrow to represent the parity).
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from assay.errors import ConfigError
from assay.learners.base import Examples, Found, Learner, subset_test, wrong_answers
from assay.learners.heavy import Function, decode, log_points, round_queries


@dataclasses.dataclass(frozen=True, kw_only=True)
class WeakToStrong(Learner):
    """Rounds of `heavy.decode` until a subset passes `subset_test`; so many at most that the right one is missed with
    probability below (1 - confidence) / 2 if the hypothesis is right with at least the given accuracy, noise aside."""

    hypothesis: Function  # of rows of -1 and +1; its answers are in [-1, 1]
    accuracy: float = 0.55
    cost: int = 1  # multiply-adds of one answer, for the account
    confidence: float = 0.99

    def __post_init__(self) -> None:
        if not 0.5 < self.accuracy <= 1:
            raise ConfigError("accuracy", self.accuracy, "above 1/2 and at most 1")

    def search(self, examples: Examples) -> Found:
        n, threshold = examples.task.n, 2 * self.accuracy - 1
        rounds = math.ceil(math.log2(2 / (1 - self.confidence)))
        wrong = rounds * math.ceil(4 / threshold**2)
        size, allowed = subset_test(wrong, examples.task.noise, (1 + self.confidence) / 2)
        x, y = examples.take(size)
        generator = examples.generator("search")
        subset, turns = None, 0
        while subset is None and turns < rounds:
            turns += 1
            subsets = decode(self.hypothesis, n, threshold, generator)
            errors = wrong_answers(subsets, x, y)
            if len(errors) and errors.min() <= allowed:
                subset = tuple(np.flatnonzero(subsets[errors.argmin()]).tolist())
        queries = turns * round_queries(n, threshold)
        transforms = queries * log_points(n, threshold)
        return Found(subset=subset, samples=size, queries=queries, work=queries * self.cost + transforms)
