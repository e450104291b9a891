"""The linear baseline: which feature of degree at most 2 is correlated with the label?

For k <= 2 it is the parity itself. For larger k there is none: E[y chi_T(x)] = 0 for every T but S (Barak et al. 2022,
equation 2), so that more examples only show the more clearly that there is nothing to see.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from assay.learners.base import Examples, Found, Learner
from assay.learners.exhaustive import parities
from assay.maths.gf2 import pack
from assay.maths.subsets import subset_at

DEGREES = (1, 2)


@dataclasses.dataclass(frozen=True, kw_only=True)
class CorrelationScreen(Learner):
    """The feature with the largest empirical correlation, if that is at least half of the (1-2p) that S itself has.

    So many examples that no correlation is off by half of it, with the given confidence (Hoeffding):
    8 ln(2 features / delta) / (1-2p)^2.
    """

    confidence: float = 0.99

    def search(self, examples: Examples) -> Found:
        n, signal = examples.task.n, 1 - 2 * examples.task.noise
        counts = [math.comb(n, degree) for degree in DEGREES]
        size = math.ceil(8 * math.log(2 * sum(counts) / (1 - self.confidence)) / signal**2)
        x, y = examples.take(size)
        columns, labels = pack(x.T), pack(y)
        best, subset = 0.0, None
        for degree, count in zip(DEGREES, counts, strict=True):
            wrong = np.zeros(count, np.int64)
            for word, label in zip(columns.T, labels, strict=True):
                wrong += np.bitwise_count(parities(word, degree) ^ label)
            correlations = np.abs(1 - 2 * wrong / size)
            if count and correlations.max() > best:
                best, subset = correlations.max(), subset_at(int(correlations.argmax()), n, degree)
        queries = sum(counts)
        found = subset if best >= signal / 2 else None
        return Found(subset=found, samples=size, queries=queries, work=queries * len(labels))
