"""Random search over subsets: the memoryless learner that every solve time is compared with.

Each step tests r independent, uniformly drawn subsets of size k. A subset is the right one with probability
1/C(n, k), so the step T at which the search ends is geometric (Barak et al. 2022, section 3 and figure 2):

    P[T > t] = (1 - p)^t,   p = 1 - (1 - 1/C(n, k))^r,   E[T] = 1/p.

It has no progress to hide: P[T <= median/4] is 1 - 2^(-1/4) = 15.9% whatever n, k and r.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.errors import ConfigError
from assay.maths.subsets import count_subsets


@dataclass(frozen=True, kw_only=True)
class RandomSearch:
    """The law of T for (n, k)-parities with r = `copies` guesses a step."""

    n: int
    k: int
    copies: int = 1

    def __post_init__(self) -> None:
        count_subsets(self.n, self.k)  # refuses what it cannot count
        if self.copies < 1:
            raise ConfigError("copies", self.copies, ">= 1")

    @property
    def subsets(self) -> int:
        """C(n, k)."""
        return count_subsets(self.n, self.k)

    @property
    def success_probability(self) -> float:
        """p, of one step."""
        return -math.expm1(self._log_failure)

    @property
    def mean(self) -> float:
        """E[T] = 1/p."""
        return 1 / self.success_probability

    def solved_by(self, step: int) -> float:
        """P[T <= step]."""
        return -math.expm1(step * self._log_failure) if step > 0 else 0.0

    def quantile(self, level: float) -> int:
        """The smallest t with P[T <= t] >= level."""
        if not 0 < level < 1:
            raise ConfigError("level", level, "strictly between 0 and 1")
        step = max(1, math.ceil(math.log1p(-level) / self._log_failure))
        # rounding can put an exact boundary one step too late
        return step - 1 if self.solved_by(step - 1) >= level else step

    @property
    def _log_failure(self) -> float:
        """ln(1 - p)."""
        return self.copies * math.log1p(-1 / self.subsets) if self.subsets > 1 else -math.inf
