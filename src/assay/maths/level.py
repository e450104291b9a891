"""Where a probability of success crosses one half along x: Bayes for a logistic law, on a grid.

    P(success at x) = lapse + (1 - 2 lapse) / (1 + exp(-slope (ln x - ln level)))

Prior: ln level uniform on [ln low, ln high], ln slope uniform on [0, ln 40]. A few successes and failures on either
side
narrow the level down; which x to try next is drawn from the posterior of the level itself (Thompson 1933): trials
gather
where the answer is in doubt, and a wrong first idea is not fatal.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from jaxtyping import Float64

from assay.errors import ConfigError

LAPSE = 0.02
"""Probability of success far below the level, and of failure far above."""
LEVELS, SLOPES = 161, 25


@dataclasses.dataclass(frozen=True)
class Posterior:
    """What is believed of the level and the slope."""

    low: float
    high: float
    log_weight: Float64[np.ndarray, "levels slopes"]

    @property
    def logs(self) -> Float64[np.ndarray, " levels"]:
        """ln level at the points of the grid."""
        return np.linspace(math.log(self.low), math.log(self.high), LEVELS)

    def told(self, x: float, success: bool) -> Posterior:
        """After one more trial at x."""
        slopes = np.geomspace(1, 40, SLOPES)
        chance = LAPSE + (1 - 2 * LAPSE) / (1 + np.exp(-slopes * (math.log(x) - self.logs[:, None])))
        return dataclasses.replace(self, log_weight=self.log_weight + np.log(chance if success else 1 - chance))

    @property
    def levels(self) -> Float64[np.ndarray, " levels"]:
        """Probability of each level of the grid."""
        weight = np.exp(self.log_weight - self.log_weight.max()).sum(axis=1)
        return weight / weight.sum()

    def quantile(self, q: float) -> float:
        """Of the level."""
        return float(np.exp(np.interp(q, np.cumsum(self.levels) - self.levels / 2, self.logs)))


def prior(low: float, high: float) -> Posterior:
    """Before any trial."""
    if not 0 < low < high:
        raise ConfigError("level", (low, high), "0 < low < high", "the range that is searched")
    return Posterior(low, high, np.zeros((LEVELS, SLOPES)))
