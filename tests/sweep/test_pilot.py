"""What trials that are drawn at random say of a plan, against the whole of it."""

from __future__ import annotations

import pytest

from assay.sweep import make_plan
from assay.sweep.estimate import Cost
from assay.sweep.pilot import pilot
from tests.sweep.toy import BASE, WIDE, Toy, end


@pytest.fixture(autouse=True)
def _a_second_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sweep.pilot.ERRORS", 4.0)  # wide enough for a test
    monkeypatch.setattr("assay.sweep.estimate._timed", lambda pack, engine, count: Cost(0.0, 0.0, 1.0, 0.0))
    monkeypatch.setattr("assay.sweep.estimate.PATIENCE", float("inf"))


def test_a_pilot_brackets_what_all_trials_take(toy: Toy) -> None:
    trials = [each.reseeded(seed) for each in (BASE, WIDE.replace(budget=1000)) for seed in range(60)]
    plan = make_plan(trials, threads=2)
    assert plan.estimate is not None
    assert plan.estimate.packs == (60_000.0, 6_000.0)
    truth = sum(end(trial)[1] for trial in trials) / 2
    found = pilot(plan, seconds=0.5)
    assert found.low <= truth <= found.high < plan.estimate.seconds / 2
    assert found.tried >= 20


def test_trials_that_time_ran_out_for_may_still_take_their_whole_budgets(toy: Toy) -> None:
    toy.pace = 0.05  # for 10 steps of the 120 until it is solved
    trial = BASE.reseeded(5).replace(budget=1000)
    assert end(trial)[1] == 120
    plan = make_plan([trial], threads=1)
    assert plan.estimate is not None
    found = pilot(plan, seconds=0.1)
    assert found.low < 0.12 * plan.estimate.seconds
    assert found.high == plan.estimate.seconds == 1000
