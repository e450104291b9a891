"""The bench on implementations whose speed is known, under a clock that only they move."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from assay.errors import ConfigError, UnknownName
from bench import harness, peers
from bench.peers.base import Unavailable
from bench.workloads import PARITIES, WORKLOADS, AnyWorkload, Workload, choose

TINY = Workload(name="tiny", n=10, k=2, width=4, batch=8, runs=6, learning_rate=0.1, horizon=50)


class Clockwork:
    """Spends `cost` seconds a step on a clock of its own, on two cores if told so."""

    def __init__(self, clock, name, cost, cores=1):
        self.clock, self.name, self.cost, self.cores, self.note = clock, name, cost, cores, f"note of {name}"

    def __call__(self, workload):
        self.runs = workload.runs
        return self

    def start(self, seed):
        self.clock.log.append(("start", self.name, seed))

    def train(self, steps):
        self.clock.log.append(("train", self.name, steps))
        self.clock.wall += steps * self.cost * self.clock.slowness
        self.clock.cpu += steps * self.cost * self.clock.slowness * self.cores
        return steps * self.runs

    def weights(self):
        raise AssertionError("timing does not look at the nets")


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(wall=0.0, cpu=0.0, slowness=1.0, log=[])
    fake = SimpleNamespace(perf_counter=lambda: clock.wall, process_time=lambda: clock.cpu)
    monkeypatch.setattr(harness, "time", fake)
    return clock


def test_rates_and_ratios_are_those_of_the_implementations(clock):
    implementations = {"torch": Clockwork(clock, "torch", 0.01), "fast": Clockwork(clock, "fast", 0.001, cores=2)}
    slow, fast = harness.measure([TINY], implementations, sample_seconds=1.0)
    assert slow.model_steps_per_cpu_second == pytest.approx(600)
    assert slow.ratio_to_torch == pytest.approx(1)
    assert fast.model_steps_per_second == pytest.approx(6000)
    assert fast.model_steps_per_cpu_second == pytest.approx(3000)
    assert fast.ratio_to_torch == pytest.approx(5)
    assert fast.spread == pytest.approx(0, abs=1e-9)
    assert (fast.rounds, fast.note) == (5, "note of fast")


def test_a_machine_that_slows_down_between_rounds_changes_no_ratio(clock):
    class Slowing(Clockwork):
        def start(self, seed):
            super().start(seed)
            clock.slowness *= 1.001

    implementations = {"torch": Slowing(clock, "torch", 0.01), "fast": Slowing(clock, "fast", 0.001)}
    _, fast = harness.measure([TINY], implementations, sample_seconds=1.0)
    assert fast.spread is not None
    assert fast.spread > 0.05
    assert fast.ratio_to_torch == pytest.approx(10, rel=0.03)


def test_every_round_times_every_implementation_and_none_is_always_first(clock):
    implementations = {name: Clockwork(clock, name, 0.1) for name in ("torch", "b", "c")}
    harness.measure([TINY], implementations, rounds=6, sample_seconds=1.0)
    trained = [name for action, name, _ in clock.log if action == "train"][-18:]
    rounds = [trained[i : i + 3] for i in range(0, 18, 3)]
    assert all(sorted(each) == ["b", "c", "torch"] for each in rounds)
    assert {each[0] for each in rounds} == {"torch", "b", "c"}


def test_no_run_trains_past_the_horizon_and_every_call_starts_afresh(clock):
    harness.measure([TINY], {"torch": Clockwork(clock, "torch", 0.001)}, sample_seconds=1.0)
    steps = [steps for action, _, steps in clock.log if action == "train"]
    seeds = [seed for action, _, seed in clock.log if action == "start"]
    assert max(steps) == TINY.horizon
    assert len(set(seeds)) == len(seeds) == len(steps)


def test_a_budget_bounds_the_time_spent_on_samples(clock):
    implementations = {"torch": Clockwork(clock, "torch", 0.001), "b": Clockwork(clock, "b", 0.002)}
    harness.measure([TINY], implementations, sample_seconds=1.0, budget=2.0)
    assert clock.wall < 2 * 2.0  # calibration comes on top


def test_an_implementation_that_cannot_run_is_a_row_that_says_why(clock):
    def prepare(workload: AnyWorkload) -> Clockwork:
        raise Unavailable("no compiler")

    _, row = harness.measure([TINY], {"torch": Clockwork(clock, "torch", 0.1), "gone": prepare}, sample_seconds=1.0)
    assert (row.note, row.rounds) == ("no compiler", 0)
    assert row.model_steps_per_cpu_second is row.ratio_to_torch is None


def test_without_the_reference_there_is_no_ratio(clock):
    (row,) = harness.measure([TINY], {"b": Clockwork(clock, "b", 0.1)}, sample_seconds=1.0)
    assert row.ratio_to_torch is None
    assert row.model_steps_per_cpu_second == pytest.approx(60)


def test_json_is_a_list_of_rows_with_the_promised_keys(clock, monkeypatch, capsys):
    monkeypatch.setattr(peers, "choose", lambda names: {"torch": Clockwork(clock, "torch", 0.1)})
    harness.main(workloads=("W1", "W4"), json=True)
    rows = json.loads(capsys.readouterr().out)
    assert [row["workload"] for row in rows] == ["W1", "W4"]
    promised = {"workload", "implementation", "model_steps_per_cpu_second", "model_steps_per_second"}
    promised |= {"ratio_to_torch", "rounds", "spread", "warmup_seconds", "note"}
    assert set(rows[0]) == promised


def test_the_printed_table_has_a_line_for_every_row(clock, monkeypatch, capsys):
    monkeypatch.setattr(peers, "choose", lambda names: {"torch": Clockwork(clock, "torch", 0.1)})
    harness.main(workloads=("W1", "W4"))
    printed = capsys.readouterr().out
    assert sum("note of torch" in line for line in printed.splitlines()) == 2


@pytest.mark.parametrize("wrong", [{"rounds": 4}, {"sample_seconds": 0.0}, {"budget": -1.0}])
def test_numbers_out_of_range_are_refused_before_anything_runs(clock, wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        harness.measure([TINY], {"torch": Clockwork(clock, "torch", 0.1)}, **wrong)
    assert clock.log == []


def test_unknown_names_come_back_with_the_known_ones():
    with pytest.raises(UnknownName, match="W2a"):
        choose(("W2",))
    with pytest.raises(UnknownName, match="torch-bmm"):
        peers.choose(("torch-bm",))
    assert [w.name for w in choose(())] == list(PARITIES)
    assert [w.name for w in choose(tuple(WORKLOADS))] == list(WORKLOADS)
