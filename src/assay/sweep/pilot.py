"""How much of its bound a plan is likely to take: some of its trials, drawn at random, are trained.

A bound counts whole budgets, and trials that are solved end sooner. Trials are drawn with probabilities p proportional
to their parts b of the bound B, so that the fraction f of its budget that a drawn trial uses has the mean

    E f = sum_i p_i f_i = sum_i b_i f_i / B,

the fraction of the whole bound (Hansen and Hurwitz 1943). A trial that time runs out for counts from what it has used
so far to all of its budget.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Sequence

import numpy as np

from assay.engine.base import Control, Suspended
from assay.sweep.engines import find_engine
from assay.sweep.plan import Plan
from assay.trial import Outcome, Trial

ERRORS = 2.0
"""Standard errors of the mean on each side."""


@dataclasses.dataclass(frozen=True)
class Pilot:
    """Seconds that the plan is likely to take, from `low` to `high`, by so many drawn trials."""

    low: float
    high: float
    tried: int


def pilot(plan: Plan, seconds: float, seed: int = 0) -> Pilot:
    """Draws and trains trials of a plan with an estimate for about so many seconds."""
    bound = plan.estimate
    assert bound is not None
    rng = np.random.default_rng(seed)
    shares = np.array(bound.packs) / sum(bound.packs)
    control = Control()
    alarm = threading.Timer(seconds, control.stop.set)
    alarm.daemon = True  # whoever interrupts need not wait for it
    alarm.start()
    used: list[tuple[float, float]] = []
    while not (used and control.stop.is_set()):
        drawn = [
            (plan.packs[pack].engine, plan.packs[pack].trials[rng.integers(len(plan.packs[pack].trials))])
            for pack in rng.choice(len(shares), size=2 * bound.threads, p=shares)
        ]
        for name in {engine for engine, _ in drawn}:
            used += _used(name, [trial for engine, trial in drawn if engine == name], control, bound.threads)
    alarm.cancel()
    low, high = np.array(used).T
    ends = (low.mean() - _error(low), high.mean() + _error(high))
    return Pilot(*(bound.seconds * float(np.clip(end, 0, 1)) for end in ends), tried=len(used))


def _used(engine: str, trials: Sequence[Trial], control: Control, threads: int) -> list[tuple[float, float]]:
    """The least and the most that each trial uses of its budget; a trial that was drawn twice counts twice."""
    found = {trial.identity: (0.0, 1.0) for trial in trials}
    once = list({trial.identity: trial for trial in trials}.values())
    for item in find_engine(engine, threads).run(once, control):
        part = item.step / item.trial.budget
        open_end = isinstance(item, Suspended) or item.outcome == Outcome.FAILED
        found[item.trial.identity] = (part, 1.0 if open_end else part)
    return [found[trial.identity] for trial in trials]


def _error(fractions: np.ndarray) -> float:
    return ERRORS * float(fractions.std(ddof=1)) / len(fractions) ** 0.5
