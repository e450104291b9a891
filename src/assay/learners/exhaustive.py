"""Exhaustive search: every k-subset is compared with every label, 64 examples at a time.

It needs as few examples as any learner can, log2 C(n, k) and a constant, and C(n, k) tests: the two ends of what Barak
et al. 2022, section 2, call the statistical limit and the computational one.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from jaxtyping import UInt64

from assay.errors import ConfigError
from assay.learners.base import Examples, Found, Learner, subset_test
from assay.maths.gf2 import WORD_BITS, pack
from assay.maths.subsets import MAX_LISTED, subset_at


@dataclasses.dataclass(frozen=True, kw_only=True)
class ExhaustiveSearch(Learner):
    """Without noise: examples until a single subset is left that explains them all, which is then certain to be right.
    Their mean number lies between log2 C and about log2 C + 1.33, the largest of C - 1 geometric numbers, C = C(n, k).

    With noise: the subset that errs least on the sample of `subset_test` (empirical risk minimisation), if it passes.
    """

    confidence: float = 0.99

    def search(self, examples: Examples) -> Found:
        task = examples.task
        count = math.comb(task.n, task.k)
        if count > MAX_LISTED:
            raise ConfigError("(n, k)", (task.n, task.k), f"such that C(n, k) <= {MAX_LISTED}", "use a smaller k")
        return self._least_wrong(examples, count) if task.noise else self._last_left(examples, count)

    def _last_left(self, examples: Examples, count: int) -> Found:
        left, seen, work = np.arange(count), 0, 0
        while True:
            x, y = examples.take(WORD_BITS)
            differs = parities(pack(x.T)[:, 0], examples.task.k)[left] ^ pack(y)
            refuted = differs != 0
            work += count
            left = left[~refuted]
            if len(left) <= 1:  # none, where no subset explains the labels
                # up to the lowest set bit, where a subset errs first
                needed = np.bitwise_count(differs[refuted] ^ (differs[refuted] - np.uint64(1))).max(initial=0)
                return self._found(examples, left[0] if left.size else None, seen + int(needed), count, work)
            seen += WORD_BITS

    def _least_wrong(self, examples: Examples, count: int) -> Found:
        size, allowed = subset_test(count - 1, examples.task.noise, self.confidence)
        x, y = examples.take(size)
        columns, labels = pack(x.T), pack(y)
        wrong = np.zeros(count, np.uint32)
        for word, label in zip(columns.T, labels, strict=True):
            wrong += np.bitwise_count(parities(word, examples.task.k) ^ label)
        best = wrong.argmin()
        rank = best if wrong[best] <= allowed else None
        return self._found(examples, rank, size, count, count * len(labels))

    def _found(self, examples: Examples, rank: np.integer | None, samples: int, queries: int, work: int) -> Found:
        subset = None if rank is None else subset_at(int(rank), examples.task.n, examples.task.k)
        return Found(subset=subset, samples=samples, queries=queries, work=work)


def parities(columns: UInt64[np.ndarray, " n"], k: int) -> UInt64[np.ndarray, " subsets"]:
    """The XOR of the columns of each k-subset, in the order of their ranks: one operation a subset.

    Those with largest member c are the (k-1)-subsets of {0, ..., c-1}, which are the first of their list, each with c.
    """
    if k == 0:
        return np.zeros(1, np.uint64)
    smaller = parities(columns[:-1], k - 1)
    with_largest = [smaller[: math.comb(c, k - 1)] ^ columns[c] for c in range(k - 1, len(columns))]
    return np.concatenate([columns[:0], *with_largest])
