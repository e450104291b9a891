"""Gradient flow of a disjoint-PolyNet: integrals against closed forms and a Runge-Kutta path (T9), Lemma 6 (T10)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special

from assay.errors import ConfigError
from assay.theory.parity import flow


def starts(k: int, draws: int, seed: int = 0) -> np.ndarray:
    v = np.random.default_rng(seed).standard_normal((draws, k))
    v[:, -1] *= np.prod(np.sign(v), axis=1)
    return v


def speed(x: float, *squares: float) -> float:
    return 0.5 / math.sqrt(math.prod(x + square for square in squares))


@pytest.mark.parametrize("k", [2, 3, 4, 5, 8])
def test_equal_weights_follow_the_closed_form(k: int):
    for weight in (1.001, 1.5, 3.0, 10.0):
        time = float(flow.unit_time(weight, k))
        assert flow.unit_weight(time, k) == pytest.approx(weight, rel=1e-7)
        assert flow.time_to(np.ones(k), weight**2 - 1) == pytest.approx(time, rel=1e-13)
        if k > 2:
            assert flow.time_left(np.ones(k), weight**2 - 1) == pytest.approx(1 / (k - 2) - time, rel=1e-9)
    if k > 2:
        assert flow.blow_up_time(np.ones(k)) == pytest.approx(1 / (k - 2), rel=1e-13)


@pytest.mark.parametrize(
    "start", [(1.0, 1.0, 1.0), (0.3, -1.2, -0.7), (0.02, 1.0, 2.0, 0.5), (-1.0, -0.1, 0.4, 1.0, 3)]
)
def test_the_runge_kutta_path_arrives_when_the_integral_says(start: tuple[float, ...]):
    v = np.array(start)
    growths = np.array([0.001, 0.1, 1.0, 10.0, 1e4])
    times = np.array([float(flow.time_to(v, q)) for q in growths])
    path = flow.integrate(v, times)
    np.testing.assert_allclose(path, [flow.weights_at(v, q) for q in growths], rtol=1e-6)
    squares = path**2 - v**2
    np.testing.assert_allclose(squares, np.broadcast_to(growths[:, None], squares.shape), rtol=1e-6, atol=1e-10)


def test_integrals_agree_with_adaptive_quadrature_and_add_up():
    for v in starts(3, 20):
        reached, _ = integrate.quad(speed, 0, 2.0, tuple(v**2), epsabs=0, epsrel=1e-10, limit=200, points=sorted(v**2))
        assert flow.time_to(v, 2.0) == pytest.approx(reached, rel=1e-8)
        assert flow.time_to(v, 2.0) + flow.time_left(v, 2.0) == pytest.approx(float(flow.blow_up_time(v)), rel=1e-12)


def test_three_blocks_blow_up_after_an_elliptic_integral():
    # int_0^inf dx / (2 sqrt((x+a)(x+b)(x+c))) is Carlson's R_F(a, b, c)
    v = starts(3, 50)
    np.testing.assert_allclose(flow.blow_up_time(v), special.elliprf(*(v**2).T), rtol=1e-13)
    np.testing.assert_allclose(flow.time_left(v, 1.5), special.elliprf(*(v**2 + 1.5).T), rtol=1e-13)


def test_draws_side_by_side_are_as_alone():
    v = starts(4, 7)
    np.testing.assert_allclose(flow.time_left(v, 0.5), [flow.time_left(each, 0.5) for each in v], rtol=1e-13)
    np.testing.assert_allclose(flow.time_to(v, 0.5), [flow.time_to(each, 0.5) for each in v], rtol=1e-13)
    assert flow.time_to(v, 0.0) == pytest.approx(0, abs=1e-300)


@pytest.mark.parametrize("k", [3, 4, 5])
def test_lemma_6_bounds_the_times(k: int):
    v = starts(k, 1000)
    blow_up = flow.blow_up_time(v)
    assert (blow_up <= flow.latest_blow_up(v)).all()
    checked = 0
    for weight in (2.0, 5.0, 10.0):
        early, late = flow.earliest_time(v, weight), flow.most_time_left(v, weight)
        for i in range(k):
            known = np.isfinite(early[:, i])
            assert known.tolist() == (np.abs(v[:, i]) <= weight).tolist() == np.isfinite(late[:, i]).tolist()
            growth = weight**2 - v[known, i] ** 2
            assert (flow.time_to(v[known], growth) >= early[known, i] * (1 - 1e-12)).all()
            assert (flow.time_left(v[known], growth) <= late[known, i] * (1 + 1e-12)).all()
            checked += int(known.sum())
    assert checked > 2900 * k


def test_lemma_6_is_sharp_for_equal_weights():
    for k in (3, 4, 6):
        assert flow.earliest_time(np.ones(k), 5.0) == pytest.approx(float(flow.unit_time(5.0, k)))
        assert flow.most_time_left(np.ones(k), 5.0) == pytest.approx(5.0 ** (2 - k) / (k - 2))
        assert flow.latest_blow_up(np.ones(k)) == pytest.approx(1 / (k - 2))


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_envelopes_hold_the_flow_between_them(k: int):
    v = starts(k, 300, seed=1)
    for growth in (0.01, 0.3, 2.0, 50.0):
        low, high = flow.envelopes(v, flow.time_to(v, growth))
        assert (low <= growth * (1 + 1e-9)).all()
        assert (high >= growth * (1 - 1e-9)).all()
        assert np.isfinite(low).all()
    unit = flow.envelopes(np.ones(k), 0.2)
    assert unit == pytest.approx([float(flow.unit_weight(0.2, k)) ** 2 - 1] * 2)


def test_the_upper_envelope_is_infinite_from_its_own_blow_up_on():
    v = np.array([0.1, 1.0, 2.0])
    assert flow.envelopes(v, float(flow.blow_up_time(v)) * 0.999)[1] == np.inf


def test_descent_with_a_small_step_follows_the_flow():
    v = np.array([[0.5, -1.0, -1.5], [1.0, 1.0, 1.0]])
    path = flow.descend(v, rate=1e-4, steps=4000, every=2000)
    assert path.shape == (3, 2, 3)
    np.testing.assert_array_equal(path[0], v)
    for draw in range(2):
        np.testing.assert_allclose(path[1:, draw], flow.integrate(v[draw], np.array([0.2, 0.4])), rtol=1e-3)


def test_one_step_of_descent_by_hand_and_a_blow_up_that_stops():
    path = flow.descend(np.array([[2.0, 3.0, -1.0]]), rate=0.1, steps=1)
    np.testing.assert_allclose(path[1], [[1.7, 2.8, -0.4]], rtol=1e-13)
    path = flow.descend(np.array([[2.0, 2.0, 2.0]]), rate=0.1, steps=500, every=50)
    assert np.isfinite(path).all()
    assert path[-1].min() >= 1e3
    np.testing.assert_array_equal(path[-1], path[-2])


def test_negative_products_and_too_few_blocks_are_refused():
    with pytest.raises(ConfigError, match="positive product"):
        flow.time_to(np.array([1.0, -1.0, 1.0]), 1.0)
    with pytest.raises(ConfigError, match="positive product"):
        flow.blow_up_time(np.array([0.0, 1.0, 1.0]))
    with pytest.raises(ConfigError, match="k must be >= 3"):
        flow.blow_up_time(np.ones(2))
