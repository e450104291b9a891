"""The exact error of a disjoint-PolyNet against enumeration, and the bounds of Lemma 7 (T11)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ConfigError
from assay.theory.parity import block_error
from assay.theory.parity.block_error import HalvesSum, SeriesSum, SignSum, sum_law


def counted(values: Sequence[int], x: float) -> tuple[Fraction, Fraction]:
    """P[U < x] and P[U = x] for whole weights, by adding up the law of the sum one sign after the other."""
    law = {0: Fraction(1)}
    for value in values:
        law = {
            total: (law.get(total - value, Fraction(0)) + law.get(total + value, Fraction(0))) / 2
            for total in {t + s for t in law for s in (-value, value)}
        }
    below = sum((p for t, p in law.items() if t < x), Fraction(0))
    return below, law.get(int(x), Fraction(0)) if x == int(x) else Fraction(0)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.integers(-160, 160))
def test_two_halves_are_the_law_of_the_sum(values: list[int], quarters: int):
    x = quarters / 4
    below, at = counted(values, x)
    law = HalvesSum([float(value) for value in values])
    assert law.below(x) == pytest.approx(float(below), abs=1e-12)
    assert law.at(x) == pytest.approx(float(at), abs=1e-12)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 50])
def test_signs_are_a_binomial(count: int):
    law = SignSum(count, 0.1)
    for number in range(-count - 2, count + 3):
        below, at = counted([1] * count, number)
        assert law.below(number * 0.1) == pytest.approx(float(below), abs=1e-13)
        assert law.at(number * 0.1) == pytest.approx(float(at), abs=1e-13)
        assert law.below(number * 0.1 + 0.05) == pytest.approx(float(below + at), abs=1e-13)


@pytest.mark.parametrize("count", [45, 100])
def test_the_series_is_the_law_of_many_weights(count: int):
    # weights on a fine lattice, so that their law is a convolution; evaluated between lattice points
    rng = np.random.default_rng(count)
    places = np.maximum(1, np.rint(np.abs(rng.standard_normal(count)) * 1000)).astype(int)
    law = np.zeros(2 * places.sum() + 1)
    law[places.sum()] = 1
    for place in places:
        law = (np.roll(law, place) + np.roll(law, -place)) / 2
    cumulative = np.cumsum(law)
    parity = places.sum() % 2
    series = SeriesSum(places / 1000)
    for x in (-4000, -600, 0, 800, 2000, 9000, 30_000):
        # values of U are 2 apart; half-way between two of them the smooth series is exact to second order
        between = x + 1 - parity
        expected = cumulative[places.sum() + between]
        assert series.below(between / 1000) == pytest.approx(expected, abs=2e-7)
    assert series.below(places.sum() / 1000 + 1) == 1
    assert series.below(-places.sum() / 1000 - 1) == 0


def test_series_and_halves_agree():
    u = np.random.default_rng(3).standard_normal(40)
    halves, series = HalvesSum(u), SeriesSum(u)
    for x in (-0.2, 7.0):
        assert series.below(x) == pytest.approx(halves.below(x), abs=1e-7)


def test_each_law_has_its_place():
    rng = np.random.default_rng(0)
    assert isinstance(sum_law([-2.0, 2.0, 0.0]), SignSum)
    assert isinstance(sum_law(rng.standard_normal(20)), HalvesSum)
    assert isinstance(sum_law(rng.standard_normal(90)), SeriesSum)
    assert sum_law([]).agreement(0.1) == 1
    assert sum_law([]).at(0.0) == 1


def test_many_weights_of_which_few_count_are_refused():
    with pytest.raises(ConfigError, match="dominate"):
        sum_law([1.0, math.sqrt(2)] + [1e-7] * 60)


@given(st.integers(1, 3), st.integers(2, 4), st.integers(0, 2**32 - 1), st.booleans())
def test_the_error_is_that_of_all_inputs(k: int, block: int, seed: int, whole: bool):
    rng = np.random.default_rng(seed)
    weights = rng.integers(-2, 3, (k, block)).astype(float) if whole else rng.standard_normal((k, block))
    wrong = 0
    for x in itertools.product((-1.0, 1.0), repeat=k * block):
        rows = np.reshape(x, (k, block))
        answer = math.prod((weights * rows).sum(axis=1))
        wrong += answer * math.prod(rows[:, 0]) <= 1e-12
    expected = wrong / 2 ** (k * block)
    assert block_error.polynet_error(weights) == pytest.approx(expected, abs=1e-12)
    if not whole:
        assert block_error.error_by_enumeration(weights) == pytest.approx(expected, abs=1e-12)
    turned = np.roll(weights, 1, axis=1)
    assert block_error.polynet_error(turned, [1] * k) == pytest.approx(expected, abs=1e-12)


def test_the_error_of_a_large_net_is_that_of_a_sample():
    rng = np.random.default_rng(4)
    weights = rng.standard_normal((3, 60))
    weights[:, 0] = (9.0, -6.0, -8.0)
    x = rng.choice([-1.0, 1.0], (100_000, 3, 60))
    answer = np.einsum("bki,ki->bk", x, weights).prod(axis=1) * x[:, :, 0].prod(axis=1)
    exact = block_error.polynet_error(weights)
    assert 0.1 < exact < 0.4
    assert np.mean(answer <= 0) == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 100_000))


def test_the_error_ends_at_zero_and_at_one():
    assert block_error.polynet_error(np.array([[3.0, 1.0, -1.0], [5.0, 2.0, 2.0]])) == 0
    assert block_error.polynet_error(np.array([[-3.0, 1.0, -1.0], [5.0, 2.0, 2.0]])) == 1


def test_the_corrected_bounds_hold_for_random_weights():
    rng = np.random.default_rng(1)
    for _ in range(300):
        k, block = int(rng.integers(1, 5)), int(rng.integers(41, 200))
        irrelevant = rng.standard_normal((k, block - 1))
        relevant = np.abs(rng.standard_normal(k)) * rng.choice([1.0, 10.0, 40.0])
        exact = block_error.error(relevant, [sum_law(row) for row in irrelevant])
        assert block_error.lower_bound(relevant, irrelevant) <= exact + 1e-12
        assert exact <= block_error.upper_bound(relevant, irrelevant) + 1e-12


def test_the_printed_upper_bound_is_violated():
    v, u = np.array([2.5 * math.sqrt(199)]), np.ones((1, 199))
    exact = block_error.error(v, [SignSum(199)])
    assert block_error.upper_bound(v, u, printed=True) < exact < block_error.upper_bound(v, u)


def test_the_printed_lower_bound_is_violated_near_zero():
    v, u = np.array([1e-9]), np.ones((1, 50))
    exact = block_error.error(v, [SignSum(50)])
    assert exact == pytest.approx(0.5 - math.comb(50, 25) / 2**51)
    assert block_error.lower_bound(v, u) < exact < block_error.lower_bound(v, u, printed=True)


def test_bounds_of_draws_side_by_side():
    rng = np.random.default_rng(2)
    v, u = rng.standard_normal((4, 3)), rng.standard_normal((4, 3, 9))
    for bound in (block_error.lower_bound, block_error.upper_bound):
        np.testing.assert_allclose(bound(v, u), [bound(*each) for each in zip(v, u, strict=True)], rtol=1e-13)


def test_too_many_inputs_are_not_enumerated():
    with pytest.raises(ConfigError, match="at most 20"):
        block_error.error_by_enumeration(np.ones((3, 7)))
