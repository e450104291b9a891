"""Bounds at published values, laws that they obey exactly, and the lemmas behind them on random weights."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.theory.capacity.attention import (
    Norms,
    deep,
    explicit_head,
    general_head,
    parallel_heads,
    single_head,
    with_positions,
)  # fmt: skip
from assay.theory.capacity.commands import capacity
from assay.theory.capacity.covering import best_split, greedy_cover, linear_cover, matrix_cover, maurey
from assay.theory.capacity.generalisation import gap, rademacher, samples_needed
from assay.theory.capacity.lipschitz import (
    Layer,
    head_ratio,
    inputs_ratio,
    softmax,
    softmax_jacobian,
    stack_ratio,
    to_ball,
    weights_ratio,
)  # fmt: skip
from assay.theory.capacity.shattering import PROVED, decisions_right, shattering

AT: dict[str, Any] = {"d": 64, "samples": 100, "length": 300, "eps": 0.1}


def test_covers_at_reference_values():
    assert linear_cover(1, 1, 0.1, 1000) == pytest.approx(40818.902337, rel=1e-9)
    assert linear_cover(2, 3, 0.5, 10) == pytest.approx(35814.984776, rel=1e-9)
    assert matrix_cover(1, 1, 0.1, 64, 1e4, share=0.5) == pytest.approx(208010.91, rel=1e-7)
    assert matrix_cover(1, 1, 0.1, 64, 1e4, share=0.18) == pytest.approx(89073.08, rel=1e-7)
    assert matrix_cover(1, 1, 0.1, 64, 1e4) < 89073.08
    with pytest.raises(ConfigError, match="eps"):
        linear_cover(1, 1, 0, 10)


def test_heads_at_reference_values():
    main, appendix, safe = (single_head(Norms(), **AT, variant=v) for v in ("main", "appendix", "safe"))
    assert (main, appendix) == (pytest.approx(11574.268595, rel=1e-9), pytest.approx(25060.793656, rel=1e-9))
    assert safe == appendix
    assert single_head(Norms(), **AT, radius=2.0) > single_head(Norms(), **AT, radius=2.0, variant="appendix")
    at = {"d": 8, "k": 4, "samples": 100, "length": 300, "eps": 0.1, "readout": 2.0}
    printed, derived = ([deep([Norms()] * n, **at, printed=p) for n in (1, 2, 3)] for p in (True, False))
    assert printed == pytest.approx([1862989.46, 81175349.74, 2402105305.92], rel=1e-8)
    assert derived == pytest.approx([478382.338, 16983296.971, 474478135.938], rel=1e-8)


def test_capacity_is_affine_in_log_length_and_cubic_in_heads():
    for bound in (
        lambda n: single_head(Norms(), **AT | {"length": n}),
        lambda n: with_positions(Norms(), **AT | {"length": n}),
        lambda n: deep([Norms()] * 2, d=8, k=4, samples=100, length=n, eps=0.1),
    ):
        steps = [bound(2 * n) - bound(n) for n in (100, 1000, 10**5)]
        assert steps == pytest.approx([steps[0]] * 3, rel=1e-9)
    for heads in (2, 3, 16):
        one = parallel_heads(Norms(), 1, **AT)
        assert parallel_heads(Norms(), heads, **AT) / one == pytest.approx(heads**3, rel=1e-12)


def test_the_general_head_is_the_sum_of_its_parts_at_the_best_split():
    score = lambda eps, points: math.log(points) / eps**2  # noqa: E731
    value = general_head(score, score, samples=10, length=5, eps=0.2)
    _, least = best_split(np.full(2, math.log(50)), np.array([2.0, 1.0]), 0.2)
    assert value == pytest.approx(least, rel=1e-6)
    assert explicit_head(Norms(), **AT) > single_head(Norms(), **AT)  # its constants are larger


def test_the_best_split_meets_the_budget_and_no_other_split_is_better():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = rng.integers(1, 11)
        costs, weights, budget = *rng.uniform(0.1, 5, (2, n)), rng.uniform(0.1, 5)
        x, least = best_split(costs, weights, budget)
        assert weights @ x == pytest.approx(budget, rel=1e-10)
        assert np.sum(costs / x**2) == pytest.approx(least, rel=1e-10)
        others = rng.dirichlet(np.ones(n), 50) * budget / weights
        assert (np.sum(costs / others**2, axis=1) >= least * (1 - 1e-12)).all()


def test_maurey_points_come_near():
    rng = np.random.default_rng(1)
    vector = rng.dirichlet(np.ones(20)) * rng.choice([-1, 1], 20)
    best = min(np.linalg.norm(maurey(vector, 1.0, 25, rng) - vector) for _ in range(200))
    assert best <= 0.2
    mean = np.mean([maurey(vector, 1.0, 25, rng) for _ in range(4000)], axis=0)
    np.testing.assert_allclose(mean, vector, atol=5 / 5 / 4000**0.5)


def test_a_greedy_cover_is_one():
    values = np.random.default_rng(2).normal(size=(60, 4))
    assert greedy_cover(values, 1e-9) == 60
    assert greedy_cover(values, 100.0) == 1
    assert greedy_cover(np.array([[0.0], [0.9], [1.8]]), 1.0) == 2


def test_rademacher_bound_is_above_the_complexity_of_a_linear_class():
    """R = B_W / m E|sum eps_i x_i| <= B_W B_X / sqrt m for the linear class, whose cover is that of lemma A.10."""
    for m in (10, 1000, 10**6):
        assert rademacher(36 * math.log(30 * m), m) >= m**-0.5
    assert rademacher(5.0, 1.0) == 1.0
    assert gap(1.0, 1e8) < gap(1.0, 1e4) < gap(10.0, 1e4)


def test_samples_needed_solve_the_equation_and_follow_the_log_of_the_length():
    of = lambda length: samples_needed(lambda m: 50 * math.log(length * m), 0.1)  # noqa: E731
    m = of(100)
    assert gap(50 * math.log(100 * m), m) <= 0.1 < gap(50 * math.log(100 * m), m * 0.999)
    assert of(1e6) / m < 4
    with pytest.raises(ConfigError, match="target"):
        samples_needed(lambda m: m, 0.1)


def test_softmax_moves_at_most_as_far_as_its_jacobian_says():
    rng = np.random.default_rng(3)
    z = 4 * rng.normal(size=(2000, 12))
    near = z + rng.normal(size=z.shape)
    ratio = np.abs(softmax(z) - softmax(near)).sum(1) / np.abs(z - near).max(1)
    assert ratio.max() <= 1
    p = softmax(z[0])
    assert np.abs(softmax_jacobian(z[0])).sum() == pytest.approx(2 * (p * (1 - p)).sum(), abs=1e-12)


def test_lipschitz_lemmas_hold_on_random_weights():
    rng = np.random.default_rng(4)
    for length, scale in itertools.product((2, 7, 40), (0.3, 3.0)):
        for _ in range(20):
            one = Layer.random(4, 3, scale, rng)
            other = one.near(10 ** rng.uniform(-3, 0.5), rng)
            z, near = (to_ball(rng.normal(size=(length, 4))) for _ in range(2))
            assert head_ratio(z, z[0], one, other) <= 1 + 1e-9
            assert weights_ratio(z, one, other) <= 1 + 1e-9
            assert inputs_ratio(z, near, one) <= 1 + 1e-9
            layers = [Layer.random(4, 3, scale, rng) for _ in range(3)]
            w = rng.normal(size=4)
            nearby = [layer.near(0.01, rng) for layer in layers]
            assert stack_ratio(z, layers, nearby, w, w + 0.01) <= 1 + 1e-9


def test_a_ratio_above_one_would_be_noticed():
    """The bounds are not far off: with the same weights but the constant left out they are broken."""
    rng = np.random.default_rng(5)
    one = Layer.random(3, 3, 1.0, rng)
    values = Layer(one.q, one.k, one.v * 1.001, one.c)
    z = np.tile(to_ball(rng.normal(size=(1, 3))), (5, 1))  # equal tokens: the change is that of the values, exactly
    assert weights_ratio(z, one, values) == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("length", [2, 8, 64, 512])
def test_heads_without_bounds_shatter_log_length_inputs(length: int):
    assert decisions_right(length)
    outputs, weight = shattering(length)
    assert outputs.shape == (length, int(math.log2(length)))
    assert weight > PROVED
    with pytest.raises(ConfigError, match="power of 2"):
        shattering(length + 1 if length > 2 else 3)


def test_the_query():
    told = capacity(length=300)
    assert told["value"] == pytest.approx(25060.793656, rel=1e-9)
    assert capacity(length=600)["value"] - told["value"] == pytest.approx(told["growth_per_doubling"])
    assert capacity(length=300, heads=2)["value"] == pytest.approx(8 * told["value"])
    with pytest.raises(ConfigError, match="at least 1"):
        capacity(length=0)
