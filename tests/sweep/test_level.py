"""Sequential search of a level: the belief about it, and searches replayed from outcomes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay as ay
from assay.errors import ConfigError
from assay.maths.level import LAPSE, prior
from assay.sweep.level import LevelSearch

ROW = ay.Trial(task=ay.Parity(n=8, k=2), net=ay.MLP(width=4), data=ay.Offline(samples=100), budget=10)


def simulated(search: LevelSearch, level: float, seed: int, slope: float = 6.0) -> dict[str, str]:
    """Outcomes of a search whose true law is logistic, round after round."""
    rng, outcomes = np.random.default_rng(seed), {}
    while (wanted := search.wanted(outcomes)) is not None:
        for trial in wanted.trials():
            chance = 1 / (1 + math.exp(-slope * math.log(trial.data.samples / level)))  # type: ignore[attr-defined]
            outcomes[trial.identity] = "solved" if rng.random() < chance else "censored"
    return outcomes


def test_before_any_trial_the_level_is_uniform_on_a_logarithmic_scale():
    belief = prior(10, 1000)
    assert belief.quantile(0.5) == pytest.approx(100)
    assert belief.levels.sum() == pytest.approx(1)


@given(st.lists(st.tuples(st.floats(20, 900), st.booleans()), max_size=12))
def test_the_order_of_trials_does_not_matter(trials: list[tuple[float, bool]]):
    there, back = prior(10, 1000), prior(10, 1000)
    for x, success in trials:
        there = there.told(x, success)
    for x, success in reversed(trials):
        back = back.told(x, success)
    np.testing.assert_allclose(there.levels, back.levels, atol=1e-12)


def test_a_success_lowers_the_level_and_a_failure_raises_it():
    belief = prior(10, 1000)
    assert belief.told(100, True).quantile(0.5) < 100 < belief.told(100, False).quantile(0.5)
    assert 0 < LAPSE < 0.1


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000))
def test_a_search_is_replayed_to_the_same_end_from_any_part_of_its_outcomes(seed: int):
    search = LevelSearch(rows=[ROW], low=100, high=10_000, most=24)
    outcomes = simulated(search, 900, seed)
    level = search.found(outcomes)[0]
    assert search.wanted(outcomes) is None
    assert level.runs == len(outcomes) <= 24
    first = dict(list(outcomes.items())[:8])
    again = search.wanted(first)
    assert again is not None
    assert {trial.identity for trial in again.trials()} <= outcomes.keys()
    assert search.found(outcomes)[0].interval == level.interval


def test_intervals_cover_the_true_level():
    search = LevelSearch(rows=[ROW], low=100, high=10_000, most=32, ratio=1.2)
    found = [search.found(simulated(search, 700, seed))[0].interval for seed in range(30)]
    covered = sum(low <= 700 <= high for _, low, high in found)
    assert covered >= 26  # 28.5 expected of 95 % intervals
    assert np.median([high / low for _, low, high in found]) < 2.2


def test_what_cannot_be_searched_is_refused():
    with pytest.raises(ConfigError, match="0 < low < high"):
        LevelSearch(rows=[ROW], low=100, high=100)
    with pytest.raises(ConfigError, match="most"):
        LevelSearch(rows=[ROW], batch=8, most=4)
    with pytest.raises(ConfigError, match="rows"):
        LevelSearch(rows=[])
