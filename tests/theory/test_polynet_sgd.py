"""Theorem 7: its requirement, the steps its proof takes, and SGD by its rule against a loop in plain Python (T12)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.theory.parity import block_error
from assay.theory.parity.polynet_sgd import Requirement, advance, certain, requirement_table, simulate

SETTINGS = [(2, 2), (3, 2), (4, 2), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("setting", "steps"), list(zip(SETTINGS, (24_371, 150_700, 477_227, 528_434, 10_302_965), strict=True))
)
def test_the_number_of_steps_is_the_smallest_that_is_enough(setting: tuple[int, int], steps: int):
    block, k = setting
    for corrected, factor in ((False, 6), (True, 48)):
        found = Requirement(block=block, k=k, corrected=corrected).steps

        def enough(t: int, factor: int = factor) -> bool:
            logs = math.log(2 * block * k * t / 0.1) * math.log(2 * k / 0.05)
            return t >= factor * logs * (3 * block - 2) ** (2 * k - 1)

        assert enough(found)
        assert not enough(found - 1)
        assert corrected or found == steps


def test_rates_are_printed_and_half_as_large():
    for corrected, divisor in ((False, 2), (True, 4)):
        each = Requirement(block=3, k=2, eps=0.1, delta=0.2, corrected=corrected)
        assert each.rate == pytest.approx(1 / (divisor * math.sqrt(2 * each.steps * math.log(60 * each.steps))))


def test_the_proof_closes_with_the_corrected_constants_and_not_with_the_printed_ones():
    for row in requirement_table([(b, k) for b in (2, 3, 5, 10, 50) for k in (2, 3, 4)]):
        closes = row["constants"] == "corrected"
        assert (row["azuma"] <= row["azuma_wanted"] * (1 + 1e-9)) == closes
        assert (row["relevant"] >= row["relevant_wanted"]) == closes
    printed = Requirement(block=2, k=2)
    assert printed.azuma == pytest.approx(2 * (2 * 4 * 24_371 / 0.1) ** -0.25)


def test_the_weight_that_is_wanted_makes_the_error_small():
    each = Requirement(block=6, k=3, eps=0.02)
    v, u = np.full(3, each.relevant_wanted), np.full((3, 5), 1.5)
    assert block_error.upper_bound(v, u) == pytest.approx(0.02)


def gradient(weights: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Of the correlation loss -y f, by differences."""
    label = math.prod(x[:, 0])
    found = np.zeros_like(weights)
    for place in np.ndindex(weights.shape):
        ends = []
        for sign in (1, -1):
            moved = weights.copy()
            moved[place] += sign * 1e-5
            ends.append(-label * math.prod((moved * x).sum(axis=1)))
        found[place] = (ends[0] - ends[1]) / 2e-5
    return found


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_step_is_sgd_on_the_correlation_loss_at_the_theorems_rates(k: int):
    rng = np.random.default_rng(k)
    weights = rng.standard_normal((5, k, 3))
    x = rng.choice(np.array([-1, 1], np.int8), (1, 5, k, 3))
    found = advance(weights.copy(), x, 0.01)
    for run in range(5):
        norms = np.abs(weights[run]).sum(axis=1)
        rates = 0.01 * norms / norms.prod()
        expected = weights[run] - rates[:, None] * gradient(weights[run], x[0, run].astype(float))
        np.testing.assert_allclose(found[run], expected, rtol=0, atol=1e-9)


def test_steps_are_taken_one_after_the_other():
    rng = np.random.default_rng(0)
    x = rng.choice(np.array([-1, 1], np.int8), (6, 2, 2, 4))
    start = rng.standard_normal((2, 2, 4))
    whole, parts = start.copy(), start.copy()
    advance(whole, x, 0.1)
    for each in x:
        advance(parts, each[None], 0.1)
    np.testing.assert_array_equal(whole, parts)


def test_a_net_is_certain_when_its_error_is_zero():
    rng = np.random.default_rng(1)
    weights = rng.standard_normal((300, 2, 3)) * np.array([4.0, 1.0, 1.0])
    errors = np.array([block_error.error_by_enumeration(each) for each in weights])
    assert 30 < np.sum(errors == 0) < 200
    np.testing.assert_array_equal(certain(weights), errors == 0)


def test_sgd_keeps_what_theorem_7_promises_at_the_smallest_size():
    requirement = Requirement(block=2, k=2)
    found = simulate(requirement, runs=6, seed=0, records=50)
    assert max(found.errors) <= requirement.eps
    assert found.errors == [block_error.error_by_enumeration(each) for each in found.weights]
    assert 0 < found.drift.max() <= 0.5
    assert (found.zero_error <= requirement.steps).all()
    assert found.steps[0] == 0
    assert found.steps[-1] == requirement.steps
    promised = [requirement.relevant_at(step) for step in found.steps]
    assert (found.relevant >= np.array(promised)[:, None]).all()


def test_a_simulation_is_a_function_of_its_seed():
    class Short(Requirement):
        steps = 300  # type: ignore[assignment]

    one, same, other = (simulate(Short(block=3, k=3), runs=4, seed=seed, records=10) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.weights, same.weights)
    assert not np.array_equal(one.weights, other.weights)
    assert one.steps == tuple(range(0, 301, 30))


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [({"block": 1, "k": 2}, "block"), ({"block": 2, "k": 1}, "k"), ({"block": 2, "k": 2, "eps": 0.5}, "eps"),
     ({"block": 2, "k": 2, "delta": 0.0}, "delta")],
)  # fmt: skip
def test_requirements_that_cannot_be_are_refused(arguments: dict[str, float], wrong: str):
    with pytest.raises(ConfigError, match=f"^{wrong} must be"):
        Requirement(**arguments)  # type: ignore[arg-type]
