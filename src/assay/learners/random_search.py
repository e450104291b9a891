"""Random search over subsets, as a program: its law is `assay.theory.parity.RandomSearch`.

Guesses are tested on one sample, so that examples cost nothing beyond the statistical limit and all the cost is in the
number of guesses: geometric with mean C(n, k) with replacement (Barak et al. 2022, section 3 and figure 2), uniform on
{1, ..., C(n, k)} without.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from assay.errors import ConfigError
from assay.learners.base import Examples, Found, Learner, subset_test
from assay.maths.gf2 import pack
from assay.maths.subsets import MAX_LISTED, subsets_at

BLOCK = 1 << 14
"""Guesses tested at a time."""
MOST_SUBSETS = 1 << 62
"""Whose ranks fit an int64."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RandomSearch(Learner):
    """Uniform guesses until one passes `subset_test`. With replacement it ends without an answer after so many guesses
    that the right subset was among them with probability at least `confidence`."""

    replacement: bool = True
    confidence: float = 0.99

    def search(self, examples: Examples) -> Found:
        n, k = examples.task.n, examples.task.k
        if (count := math.comb(n, k)) > MOST_SUBSETS:
            raise ConfigError("(n, k)", (n, k), f"such that C(n, k) <= {MOST_SUBSETS}", "use a smaller k")
        size, allowed = subset_test(count - 1, examples.task.noise, self.confidence)
        x, y = examples.take(size)
        columns, labels = pack(x.T), pack(y)
        guesses = 0
        for ranks in self._guesses(count, examples.generator("search")):
            subsets = subsets_at(ranks, n, k)
            wrong = np.bitwise_count(np.bitwise_xor.reduce(columns[subsets], axis=1) ^ labels).sum(axis=1)
            passing = np.flatnonzero(wrong <= allowed)
            guesses += int(passing[0]) + 1 if passing.size else len(ranks)
            if passing.size:
                subset = tuple(subsets[passing[0]].tolist())
                break
        else:
            subset = None
        return Found(subset=subset, samples=size, queries=guesses, work=guesses * k * len(labels))

    def _guesses(self, count: int, generator: np.random.Generator) -> Iterator[np.ndarray]:
        """Ranks of subsets, a block at a time."""
        if self.replacement:
            most = math.ceil(math.log(1 - self.confidence) / math.log1p(-1 / count)) if count > 1 else 1
            for start in range(0, most, BLOCK):
                yield generator.integers(count, size=min(BLOCK, most - start))
        elif count > MAX_LISTED:
            raise ConfigError("C(n, k)", count, f"at most {MAX_LISTED} without replacement", "use replacement=True")
        else:
            order = generator.permutation(count)
            yield from (order[start : start + BLOCK] for start in range(0, count, BLOCK))
