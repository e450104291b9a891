"""A trial's outcome depends on its own config only, to the last bit, on each instruction set."""

from __future__ import annotations

import pytest

import assay as ay
from assay.engine.base import Control, Result, Suspended
from assay.engine.native.engine import Native
from assay.losses import Logistic, Square
from assay.nets import Sparse
from tests.engine.native.conftest import engine_of
from tests.engine.trials import RECORD, WAYS, assert_same, results, trial

OURS = {name: way for name, way in WAYS.items() if Native().refusal(way) is None} | {
    "relu, batch 3, odd checks": trial(ay.MLP(width=20), batch=3, solve=ay.Solve(sample=100, every=7)),
    "power, batch 1, decay": trial(
        ay.MLP(width=33, activation="power"), batch=1, init=Sparse(nonzeros=3), loss=Square(),
        optimiser=ay.SGD(learning_rate=0.02, weight_decay=0.01), data=ay.Offline(samples=40),
    ),
    "sinusoids, logistic, whole training set": trial(
        ay.MLP(width=40, activation="sinusoid"), loss=Logistic(), data=ay.Offline(samples=70), batch="all",
    ),
    "relu, wide input, noise": trial(
        ay.MLP(width=50), task=ay.Parity(n=300, k=2, noise=0.1, subset="random"), batch=70,
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", OURS)
def test_alone_in_a_pack_and_on_one_or_two_threads_a_trial_is_bit_identical(isa: str, way: str):
    pack = [OURS[way].replace(budget=100 + 7 * seed, seed=seed) for seed in range(7)]
    one, two = engine_of(isa), engine_of(isa, threads=2)
    together = results(two, pack)
    for other in (pack[::-1], pack[2:3], pack[5:]):
        for identity, result in results(one, other).items():
            assert_same(result, together[identity])


@pytest.mark.parametrize("way", OURS)
def test_a_suspended_trial_goes_on_to_the_same_end(isa: str, way: str, monkeypatch: pytest.MonkeyPatch):
    """Stopped at many places on its way, between records and at them, it comes to the very same end."""
    monkeypatch.setattr("assay.engine.native.engine.CHUNK_SECONDS", 0.0)
    # the records fall on steps at which a trial may be stopped, and on steps at which it may not
    long = OURS[way].replace(budget=2_511, solve=None, record=RECORD.replace(points=9, steps=(3, 700, 701, 1500)))
    (whole,) = results(engine_of(isa), [long]).values()
    engine, suspended, stops = engine_of(isa), dict[str, Suspended](), list[int]()
    for _ in range(6):
        (left,) = engine.run([long], StopsOnceItMoved(), suspended)
        if isinstance(left, Result):
            break
        assert left.step % 100 == 0
        assert left.step > max(stops, default=0)
        suspended = {long.identity: left}
        stops.append(left.step)
    assert len(stops) >= 2 or whole.outcome is ay.Outcome.DIVERGED
    assert_same(results(engine, [long], suspended)[long.identity], whole)


class StopsOnceItMoved(Control):
    """Asks to stop as soon as a step is made."""

    def count(self, steps: int = 0, running: int = 0) -> None:
        super().count(steps, running)
        if steps:
            self.stop.set()


def test_trials_of_other_shapes_sizes_and_rates_share_a_call_and_stay_the_same(isa: str):
    mixed = list(OURS.values())
    together = results(engine_of(isa, threads=2), mixed)
    for way in mixed[::3]:
        assert_same(results(engine_of(isa), [way])[way.identity], together[way.identity])


@pytest.mark.parametrize("way", ["neuron", "relu, wide", "relu, batch 1", "relu, batch 3, odd checks"])
def test_recording_changes_nothing(isa: str, way: str):
    """Records cut blocks of steps in two and answer held-out examples between steps."""
    bare = OURS[way].replace(record=ay.Record(), solve=None)
    spied = bare.replace(record=ay.Record(measures=("eval/loss", "train/loss", "weights/snapshot"), every=3))
    last = bare.replace(record=ay.Record(measures=("weights/snapshot",)))
    found = results(engine_of(isa), [bare, spied, last])
    assert found[bare.identity].final == found[spied.identity].final == found[last.identity].final
    for name, array in found[last.identity].arrays.items():
        assert (array[-1] == found[spied.identity].arrays[name][-1]).all()
