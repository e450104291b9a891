"""The geometric law of random search, against exact rationals and a simulation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ConfigError
from assay.theory.parity import RandomSearch


def test_the_mean_of_one_guess_a_step_is_the_number_of_subsets():
    search = RandomSearch(n=30, k=3)
    assert search.subsets == 4060
    assert search.mean == pytest.approx(4060, rel=1e-12)


@pytest.mark.parametrize("copies", [1, 2, 10, 10_000])
def test_copies_guess_independently(copies: int):
    search = RandomSearch(n=10, k=3, copies=copies)
    failure = (1 - Fraction(1, math.comb(10, 3))) ** copies
    assert search.success_probability == pytest.approx(float(1 - failure), rel=1e-13)
    assert search.mean == pytest.approx(float(1 / (1 - failure)), rel=1e-13)
    for step in (0, 1, 2, 50):
        assert search.solved_by(step) == pytest.approx(float(1 - failure**step), rel=1e-12, abs=1e-300)


def test_the_mean_is_the_sum_of_the_survival_probabilities():
    search = RandomSearch(n=8, k=2, copies=3)
    assert sum(1 - search.solved_by(step) for step in range(1000)) == pytest.approx(search.mean, rel=1e-12)


@given(st.integers(1, 40), st.data())
def test_a_quantile_is_the_first_step_that_reaches_its_level(n: int, data: st.DataObject):
    search = RandomSearch(n=n, k=data.draw(st.integers(1, n)), copies=data.draw(st.integers(1, 1000)))
    level = data.draw(st.floats(0.001, 0.999))
    step = search.quantile(level)
    assert step >= 1
    assert search.solved_by(step) >= level - 1e-12
    assert step == 1 or search.solved_by(step - 1) < level


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 1), (9, 4), (30, 3)])
def test_a_level_that_a_step_meets_exactly_is_reached_at_that_step_in_spite_of_rounding(n: int, k: int):
    search = RandomSearch(n=n, k=k)
    assert [search.quantile(search.solved_by(step)) for step in range(1, 50)] == list(range(1, 50))


def test_a_search_among_one_subset_ends_at_the_first_step():
    search = RandomSearch(n=4, k=4)
    assert (search.mean, search.quantile(0.99), search.solved_by(1), search.solved_by(0)) == (1, 1, 1, 0)


@pytest.mark.parametrize(("n", "k", "copies"), [(50, 3, 1), (50, 4, 100), (100, 50, 7)])
def test_a_sixth_of_the_searches_end_within_a_quarter_of_the_median(n: int, k: int, copies: int):
    search = RandomSearch(n=n, k=k, copies=copies)
    assert search.solved_by(search.quantile(0.5) // 4) == pytest.approx(1 - 2**-0.25, abs=1e-3)


def test_guessing_subsets_ends_when_the_law_says():
    n, k, copies, trials = 6, 2, 2, 4000
    rng = np.random.default_rng(0)
    guesses = rng.integers(math.comb(n, k), size=(trials, 200, copies))
    hit = (guesses == 0).any(axis=2)
    assert hit.any(axis=1).all()
    search = RandomSearch(n=n, k=k, copies=copies)
    standard_error = math.sqrt(1 - search.success_probability) * search.mean / math.sqrt(trials)
    assert np.mean(hit.argmax(axis=1) + 1) == pytest.approx(search.mean, abs=4 * standard_error)


def test_counts_beyond_the_floats_are_refused_before_they_overflow():
    assert RandomSearch(n=1000, k=400).mean == pytest.approx(math.comb(1000, 400), rel=1e-12)
    with pytest.raises(ConfigError, match="use a smaller k"):
        RandomSearch(n=2000, k=1000)


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [({"n": 5, "k": 0}, "k"), ({"n": 5, "k": 6}, "k"), ({"n": 5, "k": 2, "copies": 0}, "copies")],
)
def test_a_search_that_cannot_be_is_refused(arguments: dict[str, int], wrong: str):
    with pytest.raises(ConfigError, match=f"^{wrong} must be"):
        RandomSearch(**arguments)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5])
def test_a_quantile_level_is_strictly_inside_the_unit_interval(level: float):
    with pytest.raises(ConfigError, match="level must be strictly between 0 and 1"):
        RandomSearch(n=5, k=2).quantile(level)
