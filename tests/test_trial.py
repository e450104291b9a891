"""Trials: what is refused before anything runs, identities, what a solve test allows, when records are made."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay as ay
from assay.config import Config, shape_key
from assay.errors import AssayError, ConfigError

TRIAL = ay.Trial(task=ay.Parity(n=10, k=3), net=ay.MLP(width=4), seed=5)
RATE = ay.Rate(layer="output", learning_rate=0)


# -- what is refused -------------------------------------------------------------------------------------------------

REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"batch": 0}, r"trial\.batch must be >= 1 or 'all', got 0"),
    ({"batch": -1}, r"trial\.batch must be >= 1 or 'all'"),
    ({"batch": "half"}, r"trial\.batch must be a whole number or 'all', got 'half'"),
    ({"batch": "all"}, r"trial\.batch must be a number, got 'all'; fresh examples have no end; use offline data"),
    ({"data": ay.Offline(samples=10)}, r"at most the 10 training examples, got 32; or batch='all'"),
    ({"data": ay.Population(), "batch": 2000}, r"at most the 1024 training examples"),
    ({"task": ay.Parity(n=30, k=3), "data": ay.Population()}, r"data must be online or offline, got 'population'"),
    ({"budget": 0}, r"trial\.budget must be between 1 and"),
    ({"seed": -1}, r"trial\.seed must be between 0 and 4294967295"),
    ({"seed": 2**32}, r"trial\.seed must be between 0 and 4294967295"),
    ({"init": ay.Sparse(nonzeros=11)}, r"sparse\.nonzeros must be at most the 10 inputs, got 11"),
    ({"net": ay.MLP(width=4, inputs=9)}, r"mlp\.inputs must be the task's 10, got 9; or leave it out"),
    ({"net": ay.DisjointPolyNet()}, r"disjoint-polynet\.inputs must be a multiple of degree = 3, got 10"),
    ({"net": ay.MLP(width=4, outputs=2)}, r"net\.outputs must be 1 for the hinge loss, got 2; or use loss="),
    ({"loss": ay.CrossEntropy()}, r"net\.outputs must be >= 2 for cross-entropy, got 1; set outputs=2 for labels"),
    ({"net": ay.Neuron(), "loss": ay.CrossEntropy()}, r"net\.outputs must be >= 2 for cross-entropy, got 1"),
    ({"optimiser": ay.SGD(learning_rate=1, rates=(ay.Rate(layer="out"),))}, r"of mlp 'out': did you mean 'output'"),
    ({"net": {"kind": "mlp", "width": 0}}, r"mlp\.width must be >= 1"),
]  # fmt: skip


def named(item: Any) -> str:
    return ",".join(item) if isinstance(item, dict) else ""


@pytest.mark.parametrize(("changes", "words"), REFUSED, ids=named)
def test_trials_that_cannot_run_are_refused(changes: dict[str, Any], words: str):
    with pytest.raises(AssayError, match=words):
        TRIAL.replace(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"batch": 1},
        {"data": ay.Offline(samples=32)},
        {"data": ay.Offline(samples=7), "batch": "all"},
        {"data": ay.Population(), "batch": "all"},
        {"init": ay.Sparse(nonzeros=10)},
        {"net": ay.MLP(width=4, inputs=10)},
        {"net": ay.MLP(width=4, outputs=2), "loss": ay.CrossEntropy()},
        {"optimiser": ay.SGD(learning_rate=0, rates=(RATE,))},
        {"seed": 2**32 - 1},
        {"solve": None},
    ],
    ids=named,
)
def test_trials_at_the_edge_are_taken(changes: dict[str, Any]):
    made = TRIAL.replace(**changes)
    assert ay.Trial.from_json(made.to_json()) == made


def test_the_population_gradient_needs_a_population():
    record = ay.Record(measures=("gradient/population",))
    assert TRIAL.replace(record=record).record == record
    with pytest.raises(ConfigError, match="used with an enumerable task"):
        TRIAL.replace(record=record, task=ay.Parity(n=21, k=3))


# -- identity --------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1))
def test_another_seed_is_another_trial_with_the_hash_of_any_config(seed: int):
    made = TRIAL.reseeded(seed)
    plain = TRIAL.replace(seed=seed)
    assert made == plain
    assert made.identity == plain.identity == Config.identity.fget(plain)  # type: ignore[attr-defined]
    assert (made.identity == TRIAL.identity) == (seed == TRIAL.seed)
    assert made.pack_key == shape_key(plain)
    assert TRIAL.seed == 5


@pytest.mark.parametrize("seed", [-1, 2**32, 1.0, True, "1"])
def test_a_seed_that_is_none_is_refused(seed: Any):
    with pytest.raises(ConfigError, match=r"trial\.seed must be a whole number between 0 and 4294967295"):
        TRIAL.reseeded(seed)


def test_a_family_of_seeds_shares_its_text_and_nobody_else_does():
    assert TRIAL.reseeded(9).around_seed is TRIAL.around_seed
    assert TRIAL.reseeded(9).replace(batch=1).around_seed != TRIAL.around_seed


def test_a_reseeded_trial_has_every_field():
    assert dataclasses.asdict(TRIAL.reseeded(9)) == dataclasses.asdict(TRIAL.replace(seed=9))


# -- what is worked out ----------------------------------------------------------------------------------------------


def test_examples_a_step_are_the_batch_or_all_there_are():
    assert TRIAL.examples_a_step == 32
    assert TRIAL.replace(data=ay.Offline(samples=50), batch="all").examples_a_step == 50
    assert TRIAL.replace(data=ay.Population(), batch="all").examples_a_step == 1024


def test_the_learner_is_the_net_with_the_tasks_sizes():
    assert TRIAL.learner == ay.MLP(width=4, inputs=10, outputs=1, degree=1)


@pytest.mark.parametrize(
    ("accuracy", "sample", "allowed"),
    [(1.0, 8192, 0), (0.99, 8192, 81), (0.99, 100, 1), (0.9, 10, 1), (0.55, 128, 57), (0.95, 20, 1), (0.0, 7, 7)],
)
def test_an_accuracy_allows_so_many_wrong_answers(accuracy: float, sample: int, allowed: int):
    assert ay.Solve(accuracy=accuracy, sample=sample).allowed == allowed


@given(percent=st.integers(0, 100), hundreds=st.integers(1, 1000))
def test_as_many_may_be_wrong_as_leave_the_accuracy(percent: int, hundreds: int):
    """In whole numbers: 100 - percent of every hundred."""
    assert ay.Solve(accuracy=percent / 100, sample=100 * hundreds).allowed == (100 - percent) * hundreds


# -- records ---------------------------------------------------------------------------------------------------------

ONE = ("train/loss",)


def test_records_are_linear_spaced_by_logarithm_or_listed():
    assert ay.Record(measures=ONE, every=10).moments(35) == [0, 10, 20, 30]
    assert ay.Record(measures=ONE, steps=(30, 7, 7, 36)).moments(35) == [7, 30]
    assert ay.Record(measures=ONE, every=20, steps=(7,)).moments(40) == [0, 7, 20, 40]
    assert ay.Record(measures=ONE).moments(35) == []
    assert ay.Record(every=1, steps=(3,)).moments(35) == []  # nothing to record


@given(points=st.integers(1, 60), budget=st.integers(1, 10**6))
def test_records_by_logarithm_keep_a_ratio_between_the_first_step_and_the_budget(points: int, budget: int):
    moments = ay.Record(measures=ONE, points=points).moments(budget)
    assert moments[:2] == ([0, 1])
    assert moments == sorted(set(moments))
    assert len(moments) <= points + 1
    if points > 1:
        assert moments[-1] == budget
        ratio = budget ** (1 / (points - 1))
        assert all(b <= (a + 0.5) * ratio + 0.5 + 1e-6 for a, b in itertools.pairwise(moments[1:]))


def test_records_that_are_none_are_refused():
    with pytest.raises(AssayError, match="unknown measure 'train/los': did you mean 'train/loss'"):
        ay.Record(measures=("train/los",))
    with pytest.raises(ConfigError, match=r"record\.steps must be whole numbers >= 0, got \(5, -1\)"):
        ay.Record(measures=ONE, steps=(5, -1))
    with pytest.raises(ConfigError, match=r"record\.every must be >= 0"):
        ay.Record(measures=ONE, every=-1)


def test_outcomes_are_the_words_of_the_tables():
    assert {str(outcome) for outcome in ay.Outcome} == {"solved", "censored", "diverged", "failed"}
    assert np.array([ay.Outcome.SOLVED]).tolist() == ["solved"]
