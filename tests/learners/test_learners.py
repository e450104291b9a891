"""What every learner keeps to, and the law of each: what it needs, when it fails."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ConfigError
from assay.learners import (
    CorrelationScreen,
    Elimination,
    Examples,
    ExhaustiveSearch,
    Found,
    Learner,
    PooledElimination,
    RandomSearch,
    WeakToStrong,
)
from assay.learners.elimination import expected_attempts
from assay.learners.exhaustive import parities
from assay.maths.gf2 import pack
from assay.maths.subsets import members, subset_masks
from assay.tasks import Parity
from assay.theory import parity as theory


def both(x: np.ndarray) -> np.ndarray:
    """-1 where x_1 or x_4 is: right on 3/4 of the labels of {1, 4}."""
    return np.minimum(x[:, 1], x[:, 4])


LEARNERS: dict[str, Learner] = {
    "random search": RandomSearch(),
    "random search without replacement": RandomSearch(replacement=False),
    "exhaustive search": ExhaustiveSearch(),
    "elimination": Elimination(),
    "pooled elimination": PooledElimination(attempts=500),
    "correlation screen": CorrelationScreen(),
    "weak to strong": WeakToStrong(hypothesis=both, accuracy=0.7),
}
each_learner = pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
TASK = Parity(n=12, k=2, subset=(1, 4))


class Noise(Examples):
    """Labels that no subset explains."""

    def take(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        x, _ = super().take(count)
        return x, self.generator(f"labels {self.drawn}").integers(2, size=count, dtype=np.uint8)


def timeless(found: Found) -> Found:
    return dataclasses.replace(found, seconds=0.0)


# -- what all of them keep to ------------------------------------------------------------------------------------------


@each_learner
def test_a_learner_finds_the_subset_and_says_what_it_took(learner: Learner):
    for seed in range(5):
        examples = Examples(TASK, seed)
        found = learner.learn(examples)
        assert found.subset == (1, 4)
        assert 0 < found.samples <= examples.drawn
        assert min(found.queries, found.work) > 0
        assert found.seconds > 0


@each_learner
def test_what_it_finds_is_decided_by_task_and_seed(learner: Learner):
    task = Parity(n=20, k=2, subset="random", noise=0.05)
    assert timeless(learner.learn(Examples(task, 3))) == timeless(learner.learn(Examples(task, 3)))


@each_learner
def test_noise_stops_elimination_alone(learner: Learner):
    found = [learner.learn(Examples(TASK.replace(noise=0.15), seed)).subset for seed in range(20)]
    right = found.count((1, 4))
    assert right >= 18 or (isinstance(learner, Elimination) and 0 < right < 10)


@each_learner
def test_labels_without_an_explanation_are_not_explained(learner: Learner):
    found = [learner.learn(Noise(TASK.replace(noise=0.15), seed)).subset for seed in range(5)]
    if isinstance(learner, Elimination):
        assert all(subset is not None for subset in found)
    else:
        assert found == [None] * 5
    if isinstance(learner, ExhaustiveSearch):
        assert learner.learn(Noise(TASK)).subset is None


# -- random search -----------------------------------------------------------------------------------------------------


@pytest.mark.statistical
def test_guesses_with_replacement_follow_the_law_of_random_search():
    n, k, trials = 8, 2, 600
    learner, law = RandomSearch(confidence=1 - 1e-9), theory.RandomSearch(n=n, k=k)
    guesses = [learner.learn(Examples(Parity(n=n, k=k), seed)).queries for seed in range(trials)]
    spread = math.sqrt(1 - law.success_probability) * law.mean
    assert np.mean(guesses) == pytest.approx(law.mean, abs=4 * spread / math.sqrt(trials))
    for step in (5, 20, 60):
        p = law.solved_by(step)
        assert np.mean(np.array(guesses) <= step) == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / trials))


@pytest.mark.statistical
def test_guesses_without_replacement_are_uniform_and_never_more_than_there_are_subsets():
    count, trials = math.comb(8, 2), 600
    learner = RandomSearch(replacement=False, confidence=1 - 1e-9)
    guesses = [learner.learn(Examples(Parity(n=8, k=2), seed)).queries for seed in range(trials)]
    assert (min(guesses), max(guesses)) == (1, count)
    assert np.mean(guesses) == pytest.approx((count + 1) / 2, abs=4 * count / math.sqrt(12 * trials))


def test_a_search_with_replacement_ends_when_the_right_guess_was_likely_made():
    found = RandomSearch(confidence=0.9).learn(Noise(Parity(n=8, k=2)))
    assert found.subset is None
    assert (1 - 1 / 28) ** found.queries <= 0.1 < (1 - 1 / 28) ** (found.queries - 1)


def test_too_many_subsets_are_refused():
    with pytest.raises(ConfigError, match="use a smaller k"):
        RandomSearch().learn(Examples(Parity(n=100, k=50)))
    with pytest.raises(ConfigError, match="replacement=True"):
        RandomSearch(replacement=False).learn(Examples(Parity(n=1000, k=4)))
    with pytest.raises(ConfigError, match="use a smaller k"):
        ExhaustiveSearch().learn(Examples(Parity(n=1000, k=4)))


# -- exhaustive search -------------------------------------------------------------------------------------------------


@given(st.integers(0, 9), st.data())
def test_parities_of_subsets_stand_at_their_ranks(n: int, data: st.DataObject):
    k = data.draw(st.integers(0, n))
    columns = np.array(data.draw(st.lists(st.integers(0, 2**64 - 1), min_size=n, max_size=n)), np.uint64)
    expected = [
        int(np.bitwise_xor.reduce(columns[list(members(int(mask)))], initial=np.uint64(0)))
        for mask in subset_masks(n, k)
    ]
    assert parities(columns, k).tolist() == expected


@pytest.mark.parametrize(("n", "k"), [(6, 1), (9, 3), (12, 4), (5, 5)])
def test_the_search_stops_at_the_first_example_that_leaves_one_subset(n: int, k: int):
    for seed in range(20):
        task = Parity(n=n, k=k, subset="random")
        x, y = Examples(task, seed).take(64)
        agree = np.array([x[:, s].sum(axis=1) % 2 == y for s in map(list, itertools.combinations(range(n), k))])
        left = [int(agree[:, :m].all(axis=1).sum()) for m in range(65)]
        found = ExhaustiveSearch().learn(Examples(task, seed))
        assert found.samples == left.index(1)
        assert found.subset == task.coordinates(seed)


def test_the_search_goes_on_where_one_word_of_examples_is_not_enough():
    class Slow(Examples):
        """All inputs are 0 at first, and say nothing."""

        def take(self, count: int) -> tuple[np.ndarray, np.ndarray]:
            x, y = super().take(count)
            return (x, y) if self.drawn > 128 else (np.zeros_like(x), np.zeros_like(y))

    task = Parity(n=9, k=2, subset="random")
    plain = ExhaustiveSearch().learn(Examples(task, 1))
    found = ExhaustiveSearch().learn(Slow(task, 1))
    assert found.subset == plain.subset
    assert 128 < found.samples <= 192


def test_with_noise_the_least_wrong_subset_is_the_one_that_enumeration_finds():
    task = Parity(n=10, k=3, subset="random", noise=0.2)
    for seed in range(10):
        found = ExhaustiveSearch().learn(Examples(task, seed))
        x, y = Examples(task, seed).take(found.samples)
        wrong = {s: int((x[:, list(s)].sum(axis=1) % 2 != y).sum()) for s in itertools.combinations(range(10), 3)}
        assert found.subset == min(wrong, key=wrong.__getitem__) == task.coordinates(seed)


# -- elimination -------------------------------------------------------------------------------------------------------


def test_elimination_stops_at_the_first_example_that_completes_the_rank():
    for seed in range(20):
        task = Parity(n=15, k=3, subset="random")
        found = Elimination().learn(Examples(task, seed))
        x, _ = Examples(task, seed).take(60)
        ranks = [len({*_span(x[:m])}).bit_length() - 1 for m in range(15, found.samples + 1)]
        assert ranks.index(15) == len(ranks) - 1
        assert found.subset == task.coordinates(seed)


def _span(rows: np.ndarray) -> set[int]:
    """All sums of rows, as numbers."""
    sums = {0}
    for word in pack(rows)[:, 0].tolist():
        if word not in sums:
            sums |= {word ^ other for other in sums}
    return sums


@pytest.mark.parametrize("n", [64, 300])
def test_elimination_needs_few_more_than_n_examples_whatever_k_is(n: int):
    found = Elimination().learn(Examples(Parity(n=n, k=n // 2, subset="random"), 0))
    assert found.subset == Parity(n=n, k=n // 2, subset="random").coordinates(0)
    assert n <= found.samples <= n + 20


@pytest.mark.statistical
def test_elimination_survives_noise_as_often_as_n_examples_are_clean():
    task, trials = Parity(n=10, k=3, noise=0.1), 600
    right = np.mean([Elimination().learn(Examples(task, seed)).subset == (0, 1, 2) for seed in range(trials)])
    expected = 1 / expected_attempts(10, 0.1)
    assert expected == pytest.approx(0.9**10)
    assert right == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / trials))


@pytest.mark.statistical
def test_pooled_elimination_takes_as_many_systems_as_the_law_says():
    task, trials = Parity(n=16, k=3, noise=0.1), 300
    attempts = [PooledElimination(confidence=1 - 1e-6).learn(Examples(task, seed)).queries for seed in range(trials)]
    mean = expected_attempts(16, 0.1)  # 5.4; pools with more noise than others raise it a little
    assert np.mean(attempts) == pytest.approx(mean, abs=0.15 * mean + 4 * mean / math.sqrt(trials))


def test_pooled_elimination_gives_up_after_its_attempts():
    found = PooledElimination(attempts=3).learn(Examples(Parity(n=60, k=3, noise=0.4), 0))
    assert (found.subset, found.queries) == (None, 3)
    found = PooledElimination(confidence=0.9).learn(Noise(Parity(n=10, k=3, noise=0.1)))
    assert found.subset is None
    assert (1 - 0.9**10) ** (found.queries / 2) <= 0.1


# -- correlations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_correlations_of_degree_two_see_parities_of_one_and_two_bits_and_no_larger_ones(noise: float):
    for seed, k in itertools.product(range(5), range(1, 6)):
        task = Parity(n=20, k=k, subset="random", noise=noise)
        found = CorrelationScreen().learn(Examples(task, seed))
        assert found.subset == (task.coordinates(seed) if k <= 2 else None)


def test_one_bit_has_no_pairs():
    assert CorrelationScreen().learn(Examples(Parity(n=1, k=1), 0)).subset == (0,)


# -- weak to strong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_a_hypothesis_that_is_right_55_times_in_100_is_enough(noise: float):
    task = Parity(n=14, k=4, subset="random", noise=noise)
    place = 1 << np.arange(14)
    for seed in range(5):
        right = np.random.default_rng(seed).random(1 << 14) < 0.55
        assert 0.54 < right.mean() < 0.56
        subset = list(task.coordinates(seed))

        def hypothesis(x: np.ndarray, right: np.ndarray = right, subset: list[int] = subset) -> np.ndarray:
            return np.where(right[(x < 0) @ place], 1, -1) * x[:, subset].prod(axis=1)

        found = WeakToStrong(hypothesis=hypothesis, accuracy=0.54).learn(Examples(task, seed))
        assert found.subset == tuple(subset)
        assert found.samples < 150


def test_one_halfspace_gives_three_bits_away():
    def net(x: np.ndarray) -> np.ndarray:  # a ReLU net of width 1; its correlation with the parity is -1/2
        return np.sign(1.5 * np.maximum(x[:, 2] + x[:, 7] + x[:, 19], 0.0) - 0.5)

    task = Parity(n=30, k=3, subset=(2, 7, 19))
    assert WeakToStrong(hypothesis=net).learn(Examples(task, 0)).subset == (2, 7, 19)


def test_a_hypothesis_that_knows_nothing_gives_nothing_away():
    asked = []

    def constant(x: np.ndarray) -> np.ndarray:
        asked.append(len(x))
        return np.ones(len(x))

    found = WeakToStrong(hypothesis=constant, accuracy=0.8, confidence=0.9).learn(Examples(Parity(n=10, k=3), 0))
    assert found.subset is None
    assert found.queries == sum(asked)


@pytest.mark.parametrize("accuracy", [0.5, 1.1])
def test_an_accuracy_that_says_nothing_is_refused(accuracy: float):
    with pytest.raises(ConfigError, match=r"^accuracy must be above 1/2"):
        WeakToStrong(hypothesis=both, accuracy=accuracy)
