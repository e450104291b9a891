"""Theory of easy parities against enumeration, linear programmes, finite differences and algebra."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from assay.errors import ConfigError
from assay.theory.commands import find_theory_command
from assay.theory.easy_parity import constants, descent, first_step, linear, ramps
from assay.theory.easy_parity.population import Net, Population
from assay.theory.easy_parity.separator import separator

POPULATION = Population.of(9, 3)


# -- population --------------------------------------------------------------------------------------------------------


def test_the_population_is_the_mixture():
    on = Population.of(7, 3)
    signs = np.sign(on.x)
    np.testing.assert_array_equal(on.y, signs[:, :3].prod(axis=1))
    equal = np.abs(signs[:, :3].sum(axis=1)) == 3
    np.testing.assert_allclose(on.weight, 0.5 * 2.0**-7 + 0.5 * equal * 2.0**-4 / 2)
    means = np.r_[np.full(3, 0.5), np.zeros(4)] / np.sqrt(7)
    np.testing.assert_allclose(on.weight @ (on.y[:, None] * on.x), means, atol=1e-15)


def test_the_gradient_is_the_slope_of_the_loss():
    """Along a random direction, by central differences, away from kinks."""
    rng = np.random.default_rng(0)
    net = Net(rng.normal(size=(6, 9)), rng.normal(size=6), rng.normal(size=6))
    way = Net(*(rng.normal(size=part.shape) for part in (net.w, net.b, net.u)))
    at = lambda h: Net(net.w + h * way.w, net.b + h * way.b, net.u + h * way.u).loss(POPULATION)  # noqa: E731
    g = net.gradient(POPULATION)
    slope = (g.w * way.w).sum() + g.b @ way.b + g.u @ way.u
    assert (at(1e-6) - at(-1e-6)) / 2e-6 == pytest.approx(slope, rel=1e-5)


def test_pairs_cancel_in_one_reading_of_the_initialisation():
    assert np.abs(Net.start(9, 3, 20).output(POPULATION.x)).max() < 1e-12
    assert np.abs(Net.start(9, 3, 20, pairs="literal").output(POPULATION.x)).max() > 1


def test_steps_are_those_of_the_algorithm():
    net = Net.start(9, 3, 4)
    g, first = net.gradient(POPULATION), net.leap(POPULATION)
    np.testing.assert_array_equal(first.w, -g.w)
    np.testing.assert_array_equal(first.b, net.b - g.b)
    h, second = first.gradient(POPULATION), first.step(POPULATION, 0.1, 0.25)
    np.testing.assert_allclose(second.u, first.u - 0.1 * (h.u + 0.5 * first.u))
    np.testing.assert_allclose(second.b, first.b - 0.1 * h.b)


# -- the first step ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [(9, 3), (10, 3), (9, 5), (5, 5)])
def test_the_closed_form_of_step_one_is_the_enumerated_gradient(n: int, k: int):
    on = Population.of(n, k)
    net = Net.start(n, k, 12, seed=3)
    found = net.leap(on)
    for w, u, new, moved in zip(net.w, net.u, found.w, found.b - net.b, strict=True):
        np.testing.assert_allclose(u * first_step.slopes(w.astype(int), k), new, atol=1e-13)
        assert u * first_step.bias_slope(w.astype(int), k) == pytest.approx(moved, abs=1e-13)


@given(st.integers(0, 5), st.integers(0, 6))
def test_signed_laws_are_sums_over_signs(signed: int, plain: int):
    law = np.zeros(signed + plain + 1)
    for row in itertools.product((-1, 1), repeat=signed + plain):
        law[(sum(row) + signed + plain) // 2] += math.prod(row[:signed]) / 2 ** (signed + plain)
    np.testing.assert_allclose(first_step.signed_law(signed, plain), law, atol=1e-15)


def test_the_mean_square_correlation_is_that_over_all_weights():
    n, k = 6, 3
    every = [np.array(w) for w in itertools.product((-1, 0, 1), repeat=n)]
    squares = [first_step.uniform_correlation(w, (0, 1, 2, 4), 1 / 24) ** 2 for w in every]
    assert first_step.mean_square_correlation(n, k) == pytest.approx(np.mean(squares))
    assert first_step.mean_square_correlation(n, k) <= 1 / math.comb(n - 1, k)


def test_the_gate_deviation_is_that_of_the_enumerated_population():
    n, k = 9, 3
    rng = np.random.default_rng(0)
    for size in range(k + 1):
        w = rng.integers(-1, 2, size=n)
        form = POPULATION.x @ w + 1 / (8 * k)
        h = np.sign(POPULATION.x[:, :size]).prod(axis=1)
        outer = POPULATION.x[:, k:] @ w[k:] + 1 / (8 * k)
        phi = POPULATION.weight @ ((outer > k / 3) & (outer < 6 - k / 3))
        gap = abs(POPULATION.weight @ (h * ((form > 0) & (form < 6))) - (POPULATION.weight @ h) * phi)
        expected = gap * math.sqrt(np.count_nonzero(w[k:])) / k
        assert first_step.gate_deviation(w, k, size) == pytest.approx(expected, abs=1e-12)


def test_balanced_weights_are_counted():
    for k in (1, 3, 5):
        every = list(itertools.product((-1, 0, 1), repeat=k))
        assert first_step.balanced_probability(k) == pytest.approx(sum(sum(w) == 0 for w in every) / len(every))


# -- linear methods ----------------------------------------------------------------------------------------------------


def test_the_least_loss_is_between_its_bounds_and_they_meet():
    """Against random weights, whose best is no better, and with a norm that makes the hinge bend."""
    points = np.sign(POPULATION.x)
    features = linear.bounded_features("relu", points, 6)
    assert np.abs(features).max() <= 1
    rng = np.random.default_rng(0)
    for norm in (0.2, 3.0):
        least = linear.least_loss(features, POPULATION.y, POPULATION.weight, norm)
        assert 0 <= least.lower <= least.upper + 1e-12 <= 1 + 1e-12
        assert least.upper - least.lower < 5e-3
        for w in rng.normal(size=(50, 6)):
            w *= norm / np.linalg.norm(w)
            assert POPULATION.weight @ np.maximum(0, 1 - POPULATION.y * (features @ w)) >= least.lower


def test_a_feature_that_is_the_parity_leaves_no_loss():
    least = linear.least_loss(POPULATION.y[:, None], POPULATION.y, POPULATION.weight, 1.0)
    assert least.upper == pytest.approx(0, abs=1e-12)


def test_bounds_agree_where_they_must():
    """C(n, k) >= 16^k for k <= n/16: there the general bound is at least the theorem's."""
    for k in (3, 5, 7):
        n = 16 * k
        assert linear.general_linear_bound(n, k, 10, 0.3) >= linear.linear_bound(k, 10, 0.3)
    assert linear.printed_linear_bound(5, 9, 1.0) == linear.linear_bound(5, 9, 1.0)
    assert linear.linear_bound(3, 2, 2.0) == pytest.approx(0.5 - 2 * 2 ** (0.5 - 3.5))
    for wrong in ({"features": 0, "norm": 1.0}, {"features": 3, "norm": 0.0}):
        with pytest.raises(ConfigError):
            linear.general_linear_bound(11, 3, **wrong)


# -- ramps and separators
# ------------------------------------------------------------------------------------------------


@given(
    st.sampled_from([(7, r) for r in range(-7, 8, 2)] + [(3, -3), (3, 1)]),
    st.floats(0.25, 1), st.floats(-1, 1), st.floats(0.01, 1),
)  # fmt: skip
def test_neurons_near_the_ideal_one_are_ramps(kr: tuple[int, int], alpha: float, part: float, epsilon: float):
    k, r = kr
    u = ramps.ideal_output_weight(101, k, r, alpha)
    assert ramps.ramp_error(101, k, r, alpha, u) < 1e-9
    assert ramps.ramp_error(101, k, r, alpha, u * (1 + part * epsilon / k)) <= epsilon * (1 + 1e-9)
    assert ramps.ramp_probability(k, r, alpha, epsilon) >= epsilon / (8 * k**2) * (1 - 1e-12)


def test_ramp_errors_are_those_on_a_grid():
    z = np.linspace(-7, 7, 20_001)
    for r, u, cap in ((-3, 11.0, math.inf), (5, -2.0, math.inf), (7, -5.0, 6.0)):
        neuron = abs(r) * 56 * np.clip(0.5 * u * z / 101 + 1 / 56, 0, 6)
        phi = np.clip(abs(r) - math.copysign(1, r) * z, 0, cap)
        assert ramps.ramp_error(101, 7, r, 0.5, u, cap) == pytest.approx(np.abs(neuron - phi).max(), rel=1e-3)


def test_the_separator_is_the_shortest_with_margin_one():
    """Its length against a linear programme in the 1-norm, which is at most sqrt(neurons) longer and never shorter."""
    net = Net.start(9, 3, 16).leap(POPULATION)
    found = separator(net, POPULATION)
    rows = net.hidden(POPULATION.x) * POPULATION.y[:, None]
    assert found.u is not None
    assert found.errors == 0
    assert (rows @ found.u).min() >= 1 - 2e-6
    other = linprog(np.ones(64), A_ub=-np.hstack([rows, -rows]), b_ub=-np.ones(len(rows)))
    assert other.status == 0
    short = other.x[:32] - other.x[32:]
    assert other.fun / math.sqrt(32) <= found.norm * (1 + 1e-5) <= np.linalg.norm(short) * (1 + 2e-5)


def test_before_the_first_step_few_features_do_not_separate():
    found = separator(Net.start(9, 5, 3), Population.of(9, 5))
    assert found.u is None
    assert found.norm == math.inf


# -- constants and descent
# -------------------------------------------------------------------------------------------------


def test_the_last_line_of_the_proof_is_the_one_before_it_at_the_printed_rate():
    names: Any = sympy.symbols("n k q T B B2", positive=True)
    n, k, q, steps, b, b2 = names
    root: Any = sympy.sqrt
    rate = k**2 / (steps * root(q))
    before = b**2 * k**10 / (2 * q) + b2 * k**4 * (6 * rate**2 * steps**2 + rate * steps)
    before += b**2 * k**10 / (2 * rate * steps * q) + 6 * root(2) * q * k / root(n) + 36 * rate * q
    last = b**2 * k**10 / (2 * q) + 6 * b2 * k**8 / q + b2 * k**6 / root(q) + b**2 * k**8 / (2 * root(q))
    last += 6 * root(2) * q * k / root(n) + 36 * k**2 * root(q) / steps
    assert sympy.simplify(before - last) == 0
    numbers = {n: 1e6, k: 7, q: 300, steps: 1e4, b: 2, b2: 3}
    assert constants.final_terms(1e6, 7, 300, 1e4, 2, 3) == pytest.approx(float(last.subs(numbers)))
    at_rate = constants.proof_terms(1e6, 7, 300, 1e4, 49 / (1e4 * math.sqrt(300)), 2, 3)
    assert at_rate == pytest.approx(float(last.subs(numbers)))


def test_corrected_sizes_bring_every_term_down_with_epsilon_and_printed_ones_do_not():
    for corrected, limit in ((True, 1.5), (False, math.inf)):
        largest = []
        for epsilon in (1e-2, 1e-6):
            n, q, steps = constants.sizes(7, epsilon, corrected=corrected)
            largest.append(max(constants.loss_terms(n, 7, q, steps).values()) / epsilon)
        assert largest[1] <= limit
        assert (largest[1] > 10 * largest[0]) == (not corrected)


@given(st.integers(0, 1000), st.floats(0.01, 1))
def test_online_gradient_descent_keeps_its_bound(seed: int, rate: float):
    rng = np.random.default_rng(seed)
    rows, shifts = rng.normal(size=(30, 4)), rng.normal(size=30)
    assert descent.regret_slack(rows, shifts, rng.normal(size=4), 2 * rng.normal(size=4), rate) >= 0


def test_movements_are_what_was_moved():
    net = Net.start(9, 3, 8)
    rows = list(descent.movements(POPULATION, net, 0.05, 0.1, 3))
    first = net.leap(POPULATION)
    now = first.step(POPULATION, 0.05, 0.1)
    assert [row["step"] for row in rows] == [2, 3, 4]
    assert rows[0]["w"] == pytest.approx(np.linalg.norm(now.w - first.w, axis=1).max())
    assert all(row[name] <= row[f"{name}_allowed"] for row in rows for name in "uwb")


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("linear-bound", {"n": 9, "k": 3, "features": 4, "norm": 0.3}, 0.5 - 0.3 * math.sqrt(2) * 84**-0.25),
        ("two-stage-bound", {"n": 10_000, "k": 3, "q": 9, "steps": 27}, 3**8 + 3**7 + 0.27 + 1),
    ],
)
def test_queries_answer_with_the_number(name: str, arguments: dict[str, float], value: float):
    answer = find_theory_command(name)(**arguments)
    assert answer["value"] == pytest.approx(value)


def test_the_first_step_query_is_the_ratio():
    answer = find_theory_command("first-step")(n=101, k=3, neurons=5)
    assert answer["value"] == pytest.approx(answer["on"] / answer["off"])
