"""Theory of Pareto frontiers: the resource bound, sparse rows, searches; the cube is the oracle."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ConfigError
from assay.theory.commands import find_theory_command
from assay.theory.frontiers import bound, one_step, oversparse, undersparse, warmup


def direct_gradient(weights: np.ndarray, bias: float, k: int) -> np.ndarray:
    """E[chi_S x_i 1(w.x + b > 0)] point by point, S the first k."""
    total = np.zeros(len(weights))
    for point in itertools.product((-1, 1), repeat=len(weights)):
        x = np.array(point)
        if weights @ x + bias > 0:
            total += x * np.prod(x[:k])
    return total / 2 ** len(weights)


# -- the bound ---------------------------------------------------------------------------------------------------------


def test_the_slack_is_zero_where_the_frontier_of_hardness_lies():
    needed = bound.examples_needed(50, 4, 30, 1000, luck=0.25)
    assert bound.slack(50, 4, 30, 1000, needed, 0.25) == pytest.approx(0)
    assert bound.slack(50, 4, 30, 1000, needed, 0.25, bound.PROVED) == pytest.approx(math.log10(2))
    with pytest.raises(ConfigError, match="luck"):
        bound.slack(50, 4, 30, 1000, 1, 0.0)


@given(st.integers(0, 2**32 - 1))
def test_squared_correlations_with_subsets_of_a_size_average_to_at_most_one_over_their_number(seed: int):
    values = np.random.default_rng(seed).uniform(-1, 1, size=1 << 6)
    means = bound.mean_squared_correlations(values)
    assert all(mean <= 1 / math.comb(6, k) + 1e-12 for k, mean in enumerate(means))
    assert sum(mean * math.comb(6, k) for k, mean in enumerate(means)) == pytest.approx(np.mean(values**2))


def test_an_adversary_hides_a_label_exactly_when_its_part_of_the_gradient_is_within_the_tolerance():
    for k in (1, 2, 3, 5):
        distance, visible = bound.adversarial_descent(8, (1 << k) - 1, 0.02, 15, np.random.default_rng(k))
        assert (visible <= 0.02) == (distance < 1e-12)
    seen = [bound.adversarial_descent(8, 1, t, 15, np.random.default_rng(0))[0] for t in (0.01, 0.5)]
    assert seen[0] > 0 > seen[1] - 1e-12


# -- over-sparse rows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k", "s"), [(9, 2, 5), (9, 2, 7), (10, 4, 7)])
def test_the_gradient_of_a_good_neuron_has_its_closed_form(n: int, k: int, s: int):
    big, small = oversparse.coefficients(k, s)
    expected = np.array([big] * k + [small] * (s - k) + [0.0] * (n - s))
    weights = np.array([1.0] * s + [0.0] * (n - s))
    assert direct_gradient(weights, 0.3, k) == pytest.approx(expected, abs=1e-12)
    assert oversparse.gradient_by_enumeration(n, range(s), range(k), 0.3) == pytest.approx(expected, abs=1e-12)
    assert abs(small / big) == pytest.approx((k - 1) / (s - k))


def test_good_neurons_are_as_likely_as_a_count_says():
    assert oversparse.good_probability(10, 3, 5) == pytest.approx(math.comb(7, 2) / math.comb(10, 5))
    assert oversparse.good_probability(100, 4, 17) > oversparse.printed_good_probability(100, 4, 17)


def test_perfect_features_compute_the_parity_with_the_corrected_biases_only():
    for k in (2, 4, 6):
        matrix = oversparse.feature_matrix(k, oversparse.biases(k))
        assert matrix.shape == (k + 1, k + 1)
        output = np.linalg.solve(matrix, oversparse.parity_values(k))
        assert matrix @ output == pytest.approx([math.prod([1] * (k - j) + [-1] * j) for j in range(k, -1, -1)])
        assert np.linalg.norm(output) == pytest.approx(oversparse.readout_norm(k))
    assert oversparse.expected_hinge(4, 0) == pytest.approx(0, abs=1e-6)
    assert oversparse.expected_hinge(4, 1) == pytest.approx(0.7734375)


def test_a_large_sample_gradient_comes_to_the_population_s():
    k, s, n, m = 2, 9, 12, 200_000
    big, small = oversparse.coefficients(k, s)
    expected = np.array([big] * k + [small] * (s - k) + [0.0] * (n - s))
    found = oversparse.sample_gradient(n, k, s, m, np.random.default_rng(0))
    assert np.abs(found - expected).max() < 5 / math.sqrt(m)
    assert oversparse.finds_subset(found, k)


def test_one_step_and_a_read_out_learn_with_truncation_and_not_from_few_examples():
    rng = np.random.default_rng(3)
    learnt = one_step.oversparse_train(34, 2, 17, 60, rng, truncate=True)
    assert learnt.good > 0
    assert (learnt.found, learnt.test_error) == (1.0, 0.0)
    few = one_step.oversparse_train(34, 2, 17, 60, rng, samples=40, steps=200)
    assert few.test_error > 0.3
    with pytest.raises(ConfigError, match="mirrored"):
        one_step.oversparse_train(34, 2, 17, 61, rng)


def test_truncation_rids_the_features_of_all_noise():
    rng = np.random.default_rng(4)
    assert oversparse.mechanism_error(4, 17, 5, rng, truncate=True, train=1000) == 0
    assert oversparse.mechanism_error(4, 17, 5, rng, train=1000) > 0.02


# -- under-sparse rows -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k", "s"), [(9, 4, 2), (11, 4, 2), (11, 6, 4)])
def test_the_gradient_of_a_neuron_with_ones_in_the_subset_has_its_closed_form(n: int, k: int, s: int):
    relevant, irrelevant = undersparse.gradients(n, k, s)
    weights = undersparse.start(n, s, 0.5 / n, range(s))
    expected = np.array([0.0] * s + [relevant] * (k - s) + [irrelevant] * (n - k))
    assert direct_gradient(weights, 0.0, k) == pytest.approx(expected, abs=1e-12)
    assert abs(relevant / irrelevant) == pytest.approx(undersparse.ratio(n, k, s))
    assert abs(relevant / irrelevant) != pytest.approx(undersparse.printed_ratio(n, k, s))


def test_half_is_what_majority_of_one_bit_more_says():
    for m in (1, 2, 3):
        points = np.array(list(itertools.product((-1, 1), repeat=2 * m)))
        half = (points.sum(axis=1) == 0).astype(float)
        for degree in range(2 * m + 1):
            direct = np.mean(half * np.prod(points[:, :degree], axis=1))
            assert undersparse.half_coefficient(2 * m, degree) == pytest.approx(direct, abs=1e-12)


def test_after_the_step_a_good_neuron_weighs_the_subset_alike():
    n, k, s, eps = 13, 4, 2, 1e-3
    gradient = undersparse.gradient_by_enumeration(n, k, range(s), eps, 0.0)
    weights = undersparse.one_step(n, k, s, eps, gradient)
    unit = eps / (2 * k)
    assert weights / unit == pytest.approx([1] * s + [1 + eps] * (k - s) + [eps] * (n - k))
    assert undersparse.correlation_after(n, k, s, eps) > 0.999


def test_many_examples_complete_the_subset_and_few_do_not():
    rng = np.random.default_rng(5)
    assert all(undersparse.sample_finds_rest(15, 4, 2, 40_000, rng) for _ in range(5))
    assert not all(undersparse.sample_finds_rest(15, 4, 2, 60, rng) for _ in range(5))
    with pytest.raises(ConfigError, match="odd"):
        undersparse.gradients(14, 4, 2)


# -- searches and queries ----------------------------------------------------------------------------------------------


def test_a_search_finds_the_subset_from_enough_examples_and_guesses_from_none():
    rng = np.random.default_rng(6)
    assert all(warmup.search(12, 2, 40, rng) == (True, 66) for _ in range(20))
    guesses = sum(warmup.search(12, 2, 0, rng)[0] for _ in range(400))
    assert guesses < 25  # 6 expected
    with pytest.raises(ConfigError, match="at most"):
        warmup.search(40, 20, 10, rng)


def test_queries_print_what_the_closed_forms_say():
    over = find_theory_command("oversparse-step")(n=100, k=4, s=17)
    assert over["value"] == pytest.approx(-0.0065460, abs=1e-7)
    assert over["good_probability"] == pytest.approx(6.0695e-4, rel=1e-4)
    assert over["readout_norm"] == pytest.approx(11952.8, abs=0.1)
    under = find_theory_command("undersparse-step")(n=13, k=4, s=2)
    assert (under["value"], under["ratio"]) == pytest.approx((-0.0615234, 9.0), abs=1e-6)
    price = find_theory_command("resource-bound")(n=200, k=3, width=1000, steps=10, samples=100)
    assert price["subsets"] == 1_313_400
    assert price["allowed"]
