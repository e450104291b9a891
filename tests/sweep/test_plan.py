"""A plan is checked, counted, packed and timed before anything runs, and means the same when it is read again."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from assay.errors import PlanError, StoreError, UnknownName
from assay.nets import MLP
from assay.store import Store, prepare
from assay.sweep import Plan, Sweep, axis, linspaced, make_plan, product, read_plan, seeds
from assay.sweep.estimate import Cost
from assay.sweep.plan import freeze, write_plan
from assay.trial import Trial
from tests.sweep.toy import BASE, RECORDED, WIDE, Toy


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = Store(tmp_path)
    prepare(found.place)
    return found


def planned(*trials: Trial) -> Plan:
    return make_plan(trials, calibrate=False)


def test_a_plan_counts_each_trial_once_and_packs_by_shape(toy: Toy) -> None:
    rates = axis("optimiser.learning_rate", 0.1, 0.2)
    plan = make_plan(Sweep(BASE, rates, seeds(5)) + Sweep(WIDE, seeds(3)) + Sweep(BASE, seeds(4)), calibrate=False)
    assert len(plan.trials) == len(set(plan.identities)) == 13
    assert {len(pack.trials): pack.trials[0].net.kind for pack in plan.packs} == {3: "mlp", 10: "polynet"}
    assert plan.run_steps == 1300
    assert [pack.work for pack in plan.packs] == sorted((pack.work for pack in plan.packs), reverse=True)
    assert toy.trained == []


def test_more_trials_than_the_guard_must_be_confirmed(toy: Toy) -> None:
    sweep = Sweep(BASE, seeds(11))
    with pytest.raises(PlanError, match="at most 10 trials unless confirmed, got 11; pass yes=True"):
        make_plan(sweep, guard=10, calibrate=False)
    with pytest.raises(PlanError, match="got 11"):
        make_plan(sweep.trials(), guard=10, calibrate=False)
    assert len(make_plan(sweep, guard=11, calibrate=False).trials) == 11
    assert len(make_plan(sweep, guard=10, yes=True, calibrate=False).trials) == 11


def test_the_guard_comes_before_the_trials_are_made(toy: Toy) -> None:
    huge = product(linspaced("optimiser.learning_rate", 0, 1, 10_000), seeds(1_000_000))
    with pytest.raises(PlanError, match="got 10,000,000,000"):
        make_plan(Sweep(BASE, huge))


def test_a_plan_without_trials_or_with_bad_ones_is_refused_before_anything_runs(toy: Toy) -> None:
    with pytest.raises(PlanError, match="at least one trial"):
        make_plan([])
    with pytest.raises(PlanError, match=r"at task\.k = 99"):
        make_plan(Sweep(BASE, axis("task.k", 2, 99)))
    assert toy.trained == []


def test_an_engine_that_is_unknown_or_unfit_is_refused(toy: Toy) -> None:
    with pytest.raises(UnknownName, match="unknown engine 'tyo': did you mean 'toy'"):
        make_plan([BASE], engine="tyo")
    deep = BASE.replace(net=MLP(width=2, depth=3))
    with pytest.raises(PlanError, match="no engine trains mlp on parity: toy: too deep"):
        make_plan([BASE, deep])
    assert {pack.engine for pack in planned(BASE).packs} == {"toy"}


@pytest.mark.slow
def test_the_estimate_is_an_upper_bound_from_steps_that_were_timed(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sweep.estimate._clock", time.perf_counter)  # its work is to sleep
    toy.pace = 0.01  # 1 ms a step
    plan = make_plan([BASE.reseeded(seed).replace(budget=50_000) for seed in range(20)], threads=1)
    assert plan.estimate is not None
    assert plan.estimate.measured == 1
    assert 1 <= plan.estimate.seconds / (20 * 50_000 * 0.001) < 3
    assert toy.steps < 20_000


def test_packs_that_were_not_timed_are_scaled_by_their_work(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sweep.estimate.PATIENCE", 0.0)
    monkeypatch.setattr("assay.sweep.estimate._timed", lambda pack, engine, count: Cost(2.0, 0.25, 0.5, 8.0))
    plan = make_plan([WIDE, BASE.replace(budget=40)], threads=1)
    wide, base = plan.packs
    assert (wide.step_work, base.step_work) == ((8 * 11 + 9) * 32, 2 * 11 * 32)
    assert plan.estimate is not None
    assert plan.estimate.measured == 1
    assert plan.estimate.seconds == pytest.approx(
        2 * 2.0 + (0.25 + 100 * 0.5) + (0.25 + 40 * 0.5) * base.step_work / wide.step_work
    )


def test_a_plan_counts_the_records_that_trials_take(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sweep.estimate._timed", lambda pack, engine, count: Cost(0.0, 0.0, 0.0, 2.0))
    plan = make_plan([RECORDED, RECORDED.reseeded(1).replace(budget=30)], threads=1)  # at 0, 10, ..., 100 or 30
    assert plan.estimate is not None
    assert plan.estimate.seconds == pytest.approx(2.0 * (11 + 4))


def test_a_plan_that_was_frozen_means_the_same_trials(store: Store) -> None:
    plan = planned(*Sweep(BASE, axis("optimiser.learning_rate", 0.1, 0.2), seeds(3)).trials(), WIDE)
    write_plan(store, freeze(store, plan))
    assert read_plan(store) == list(plan.trials)
    assert store.planned() == list(plan.identities)


def test_a_frozen_plan_is_compact_and_says_where_it_comes_from(store: Store) -> None:
    write_plan(store, freeze(store, planned(*Sweep(BASE, seeds(100)).trials())))
    frozen = json.loads(store.place.read("plan.json"))
    (family,) = frozen["families"]
    assert family["seeds"] == list(range(100))
    assert "seed" not in family["config"]
    (launch,) = frozen["launches"]
    assert launch["assay"]
    assert launch["packages"].keys() >= {"jax", "numpy", "polars"}
    assert launch["host"].keys() >= {"name", "platform", "python", "cpus"}
    assert launch["created"].endswith("Z")
    assert len(launch["git"]["commit"]) == 40
    assert (launch["trials"], launch["new"]) == (100, 100)


def test_outside_of_a_repository_there_is_no_git_state(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert freeze(store, planned(BASE))["launches"][0]["git"] is None


def test_a_second_plan_extends_the_first(store: Store) -> None:
    first, second = planned(*Sweep(BASE, seeds(3)).trials()), planned(WIDE, *Sweep(BASE, seeds(2, first=2)).trials())
    write_plan(store, freeze(store, first))
    write_plan(store, freeze(store, second))
    assert store.planned() == [*first.identities, WIDE.identity, BASE.reseeded(3).identity]
    frozen = store.plan()
    assert frozen is not None
    assert [(launch["trials"], launch["new"]) for launch in frozen["launches"]] == [(3, 3), (3, 2)]


def test_a_plan_from_when_configs_meant_something_else_is_refused(store: Store) -> None:
    frozen = freeze(store, planned(BASE))
    frozen["families"][0]["identities"] = ["0" * 20]
    write_plan(store, frozen)
    with pytest.raises(StoreError, match="configs meant something else"):
        read_plan(store)


def test_a_folder_without_a_plan_has_none_to_read(store: Store) -> None:
    with pytest.raises(StoreError, match=r"has no plan\.json"):
        read_plan(store)
