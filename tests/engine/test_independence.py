"""A trial's outcome depends on its own config only: not on its company, its place, the threads, or an interruption."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import assay as ay
from assay.config import shape_key
from assay.engine.base import Control, Result, Suspended
from assay.engine.xla.engine import Xla
from tests.engine.trials import WAYS, assert_same, results

QUICK = ("neuron", "relu, batch 1", "relu, wide")


def some_quick(ways: Iterable[str]) -> list[Any]:
    return [way if way in QUICK else pytest.param(way, marks=pytest.mark.slow) for way in ways]


@pytest.mark.parametrize("way", some_quick(WAYS))
def test_alone_in_a_pack_and_on_one_thread_a_trial_is_bit_identical(xla: Xla, way: str):
    pack = [WAYS[way].replace(budget=100 + 7 * seed, seed=seed) for seed in range(7)]
    together = results(xla, pack)
    single = Xla(threads=1)
    single.programs = xla.programs
    for trial in (pack[0], pack[5]):
        assert_same(results(single, [trial])[trial.identity], together[trial.identity])
    reversed_pack = results(single, pack[::-1])
    for identity, result in together.items():
        assert_same(reversed_pack[identity], result)


def test_a_trial_is_the_same_alone_and_among_64_and_1000_on_one_and_two_threads(xla: Xla):
    trial = ay.Trial(task=ay.Parity(n=10, k=2), net=ay.Neuron(), budget=200, solve=ay.Solve(sample=128))
    pack = [trial.reseeded(seed) for seed in range(1000)]
    single = Xla(threads=1)
    everyone = results(xla, pack)
    among_64 = results(single, pack[:64])
    for identity, result in among_64.items():
        assert_same(result, everyone[identity])
    for i in (0, 63, 999):
        assert_same(results(single, [pack[i]])[pack[i].identity], everyone[pack[i].identity])


def test_trials_with_other_rates_subsets_and_orders_share_a_program_and_stay_the_same(xla: Xla):
    base = WAYS["relu, wide"]
    mixed = [
        base.replace(task=ay.Parity(n=12, k=k, subset=subset), optimiser=ay.SGD(learning_rate=rate), seed=seed)
        for k, subset, rate, seed in ((2, "first", 0.1, 0), (3, "random", 0.3, 1), (1, (7,), 0.01, 2))
    ]
    assert len({shape_key(trial) for trial in mixed}) == 1
    together = results(xla, mixed)
    for trial in mixed:
        assert_same(results(xla, [trial])[trial.identity], together[trial.identity])


@pytest.mark.parametrize(
    "way", some_quick(["neuron", "power, noise, decay, random subset", "polynet, epochs, adam, streak"])
)
def test_a_suspended_trial_goes_on_to_the_same_end(xla: Xla, way: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.engine.xla.tile.CHUNK_SECONDS", 0.001)  # look up often enough to be stopped on the way
    # never solved, of different length, recorded all along: whatever is stopped is on its way
    record = WAYS[way].record.replace(every=500)
    pack = [WAYS[way].replace(budget=500 + 1000 * seed, solve=None, record=record, seed=seed) for seed in range(9)]
    whole = results(xla, pack)
    seen = 0
    for stop_after in (1, 3, 6):
        control, left = Control(), list[Result | Suspended]()
        for item in xla.run(pack, control):
            left.append(item)
            if len(left) == stop_after:
                control.stop.set()
        suspended = {item.trial.identity: item for item in left if isinstance(item, Suspended)}
        done = {item.trial.identity for item in left if isinstance(item, Result)}
        seen += sum(item.step > 0 for item in suspended.values())
        rest = results(xla, [trial for trial in pack if trial.identity not in done], suspended)
        for identity, result in rest.items():
            assert_same(result, whole[identity])
        for item in left:
            if isinstance(item, Result):
                assert_same(item, whole[item.trial.identity])
    assert seen > 0  # otherwise nothing was interrupted on its way and the test says nothing


def test_a_sweep_over_values_compiles_each_program_once():
    engine = Xla(threads=1)
    base = WAYS["relu, wide"]
    pack = [
        base.replace(optimiser=ay.SGD(learning_rate=0.01 * (1 + seed)), budget=50 + seed, seed=seed)
        for seed in range(6)
    ]
    results(engine, pack)
    results(engine, pack[:1])
    (program,) = engine.programs.by_shape.values()
    for function in (program.start, program.advance, program.merge, program.measure):
        compiled = function._cache_size()  # pyrefly: ignore[missing-attribute]
        assert compiled <= (2 if function is program.merge else 1)  # merge: states, and their starts
