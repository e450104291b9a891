"""Sweeps make the trials that their axes say, each once, and name the point where that is not possible."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.config import Config, shape_key
from assay.errors import ConfigError, PlanError
from assay.nets import MLP, PolyNet
from assay.optim import SGD, Adam
from assay.sweep import Sweep, axis, logspaced, product, seeds, union, zipped
from assay.tasks import Parity
from assay.trial import Solve, Trial

BASE = Trial(task=Parity(n=10, k=2), net=MLP(width=8))


def test_a_sweep_without_axes_is_its_base() -> None:
    assert Sweep(BASE).trials() == [BASE]


def test_trials_are_the_base_with_the_points_applied_in_order() -> None:
    made = Sweep(BASE, axis("net.width", 4, 16), seeds(2)).trials()
    assert made == [BASE.replace(net=MLP(width=width), seed=seed) for width in (4, 16) for seed in (0, 1)]


def test_whole_configs_are_values_and_their_fields_can_vary_further() -> None:
    nets = union(axis("net", PolyNet()), product(axis("net", MLP(width=1)), axis("net.width", 2, 3)))
    made = Sweep(BASE, nets, axis("optimiser", SGD(learning_rate=1.0), Adam(learning_rate=0.01))).trials()
    assert [trial.net for trial in made[::2]] == [PolyNet(), MLP(width=2), MLP(width=3)]
    assert [trial.optimiser.kind for trial in made[:2]] == ["sgd", "adam"]


def test_only_the_outcome_is_checked_so_fields_that_must_agree_change_together() -> None:
    pairs = zipped(axis("task.k", 12, 5), axis("task.n", 20, 6))  # neither k=12 nor n=6 would do with the base alone
    assert [trial.task for trial in Sweep(BASE, pairs).trials()] == [Parity(n=20, k=12), Parity(n=6, k=5)]


def test_a_part_can_be_absent_or_come_back() -> None:
    made = Sweep(BASE, union(axis("solve", None), axis("solve", Solve(every=5)), axis("solve.every", 7))).trials()
    assert [trial.solve for trial in made] == [None, Solve(every=5), Solve(every=7)]


def test_points_that_coincide_are_one_trial_at_the_first_place() -> None:
    made = Sweep(BASE, union(axis("seed", 3, 1), seeds(4)))
    assert len(made) == 6
    assert [trial.seed for trial in made.trials()] == [3, 1, 0, 2]


def test_sweeps_add_up() -> None:
    small, large = Sweep(BASE, seeds(2)), Sweep(BASE.replace(batch=64), seeds(3))
    both = small + large
    assert both.trials() == small.trials() + large.trials()
    assert len(both) == 5
    assert (small + small).trials() == small.trials()
    assert both == small + large


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (axis("task.k", 2, 11), r"at task\.k = 11: parity\.k must be at most n = 10, got 11"),
        (axis("net.widht", 3), r"at net\.widht = 3: unknown field of mlp 'widht': did you mean 'width'"),
        (axis("optimizer.learning_rate", 1), r"unknown field of Trial 'optimizer': did you mean 'optimiser'"),
        (axis("batch.size", 1), r"batch\.size must be a field of a config, got 1; 'size' cannot be set in 32"),
        (product(axis("net.width", 4), seeds(1, first=-1)), r"at net\.width = 4, seed = -1: trial\.seed must be"),
        (axis("optimiser.learning_rate", -1.0), r"at optimiser\.learning_rate = -1\.0: .*learning_rate must be >= 0"),
        (axis("net", "mlp"), r"at net = \"mlp\": trial\.net must be a net, got 'mlp'"),
    ],
)
def test_a_point_that_makes_no_trial_is_named(parts: object, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        Sweep(BASE, parts).trials()  # type: ignore[arg-type]


def test_a_hundred_thousand_trials_with_identities_take_seconds() -> None:
    grid = Sweep(BASE, axis("net.width", *range(1, 11)), logspaced("optimiser.learning_rate", 1e-3, 1, 10), seeds(1000))
    began = time.process_time()
    assert len({trial.identity for trial in grid.trials()}) == 100_000
    assert time.process_time() - began < 10


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-3, 0.5]))
def test_reseeding_is_replacing_the_seed(seed: int, rate: float) -> None:
    trial = BASE.replace(optimiser=SGD(learning_rate=rate))
    assert trial.identity == trial.replace(seed=0).identity  # known before the copy is made
    fast, slow = trial.reseeded(seed), trial.replace(seed=seed)
    assert fast == slow
    assert hash(fast) == hash(slow)
    assert fast.to_json() == slow.to_json()
    assert fast.identity == slow.identity == Config.identity.fget(slow)  # type: ignore[attr-defined]
    assert fast.pack_key == slow.pack_key == shape_key(slow)
    assert fast.replace(batch=64).identity == slow.replace(batch=64).identity != slow.identity
    assert trial.seed == 0


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, "1", True])
def test_a_seed_that_is_none_is_refused(seed: object) -> None:
    with pytest.raises(ConfigError, match=r"trial\.seed must be a whole number between 0 and 4294967295"):
        BASE.reseeded(seed)  # type: ignore[arg-type]


@pytest.mark.golden
def test_identities_do_not_change() -> None:
    assert Trial(task=Parity(n=10, k=2), net=PolyNet()).identity == "a31e2f70b7c1617a863a"
    assert Trial(task=Parity(n=50, k=3), net=MLP(width=100), batch=128, seed=7).identity == "1fa5d38f12b9fb06fff5"
