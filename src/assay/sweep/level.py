"""Sequential search of a frontier: along one field, where does the success of each of several trials cross one half?

A full grid spends most of its runs where the answer is plain. Here each row (a base trial: a width, say) keeps a
posterior
of its level (`maths.level`); a round tries a few values drawn from it, until the 95 % interval is narrow enough or the
row's runs are spent. What is tried next follows from the outcomes so far and from nothing else, so that a search is
replayed from a store: what it holds is looked up, what it lacks is asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from assay.errors import ConfigError
from assay.maths.level import Posterior, prior
from assay.sweep.axes import axis
from assay.sweep.grid import Sweep
from assay.trial import Trial


@dataclasses.dataclass(frozen=True, kw_only=True)
class LevelSearch:
    """What is searched: the field `path` between `low` and `high`, for each of the `rows`."""

    rows: Sequence[Trial]
    path: str = "data.samples"
    low: float = 100
    high: float = 100_000
    whole: bool = True
    batch: int = 8  # runs a round and row
    most: int = 40  # runs a row
    ratio: float = 1.3  # upper over lower end of the interval at which a row is done
    first_seed: int = 10_000

    def __post_init__(self) -> None:
        for name, least in (("batch", 1), ("most", self.batch), ("ratio", 1.0)):
            if getattr(self, name) < least:
                raise ConfigError(f"level search: {name}", getattr(self, name), f">= {least}")
        if not self.rows:
            raise ConfigError("level search: rows", 0, "at least one trial")
        prior(self.low, self.high)

    def found(self, outcomes: Mapping[str, str]) -> list[Level]:
        """Where each row stands, given the outcomes of trials by identity."""
        return [self._replayed(number, row, outcomes) for number, row in enumerate(self.rows)]

    def wanted(self, outcomes: Mapping[str, str]) -> Sweep | None:
        """The trials of the next round; None once every row is done."""
        sweeps = [Sweep(trial) for level in self.found(outcomes) for trial in level.next]
        return sum(sweeps[1:], sweeps[0]) if sweeps else None

    def _replayed(self, number: int, row: Trial, outcomes: Mapping[str, str]) -> Level:
        belief, runs, solved = prior(self.low, self.high), 0, 0
        while runs < self.most and (runs == 0 or belief.quantile(0.975) / belief.quantile(0.025) > self.ratio):
            trials = self._round(number, row, belief, runs)
            missing = [trial for _, trial in trials if trial.identity not in outcomes]
            if missing:
                return Level(belief, runs, solved, missing)
            for value, trial in trials:
                success = outcomes[trial.identity] == "solved"
                belief, runs, solved = belief.told(value, success), runs + 1, solved + success
        return Level(belief, runs, solved, [])

    def _round(self, number: int, row: Trial, belief: Posterior, runs: int) -> list[tuple[float, Trial]]:
        """The values that are tried next, one run each: strata of the posterior, shifted at random."""
        rng = np.random.default_rng([number, runs])
        count = min(self.batch, self.most - runs)
        values = [belief.quantile((i + rng.random()) / count) for i in range(count)]
        tried = [round(value) if self.whole else float(f"{value:.6g}") for value in values]
        seeds = range(self.first_seed + runs, self.first_seed + runs + count)
        return [
            (value, Sweep(row, axis(self.path, value), axis("seed", seed)).trials()[0])
            for value, seed in zip(tried, seeds, strict=True)
        ]


@dataclasses.dataclass(frozen=True)
class Level:
    """The belief about a row, what it rests on, and the trials that the next round wants."""

    belief: Posterior
    runs: int
    solved: int
    next: Sequence[Trial]

    @property
    def interval(self) -> tuple[float, float, float]:
        """Median of the level and its 95 % interval."""
        return self.belief.quantile(0.5), self.belief.quantile(0.025), self.belief.quantile(0.975)


def outcomes_of(frame: pl.DataFrame) -> dict[str, str]:
    """Outcome by identity, of a runs frame."""
    return dict(frame.select("trial", "outcome").iter_rows())
