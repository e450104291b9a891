"""Packs: the trials of a plan that one compiled program trains."""

from __future__ import annotations

import dataclasses
import functools

from assay.trial import Trial


@dataclasses.dataclass(frozen=True)
class Pack:
    """Trials of one shape, and the engine that trains them."""

    key: str
    engine: str
    trials: tuple[Trial, ...]

    @functools.cached_property
    def run_steps(self) -> int:
        """Budgets together."""
        return sum(trial.budget for trial in self.trials)

    @functools.cached_property
    def step_work(self) -> int:
        """Parameters times examples a step: what the time of a step is taken to be proportional to."""
        trial = self.trials[0]
        return trial.learner.size * trial.examples_a_step

    @property
    def work(self) -> int:
        return self.step_work * self.run_steps
