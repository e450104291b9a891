"""What Theorem 4 asks for: corrected constants close the proof, printed ones leave gaps (spec 4.6, T8)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.theory.parity import majority_coefficient
from assay.theory.parity.readout import bias_grid
from assay.theory.parity.requirements import (
    coefficient_ratio,
    corrected_requirements,
    feature_error,
    loss_bound,
    missing_probability,
    needed_batch,
    neuron_probability,
    printed_neuron_probability,
    printed_requirements,
)

CASES = [(2, 0.1), (2, 0.01), (4, 0.1), (6, 0.2)]


@pytest.mark.parametrize(("k", "eps"), CASES)
def test_the_corrected_requirements_close_the_proof(k: int, eps: float):
    need = corrected_requirements(k, eps)
    assert need.n % 2 == 1
    assert need.width % 2 == 0
    assert feature_error(need.n, k, eps) <= 1 / (8 * k**2) < feature_error(need.n - 2, k, eps)
    assert loss_bound(need) <= eps / 2 * (1 + 1e-12)
    assert need.batch >= needed_batch(need) * (1 - 1e-9)
    kinds = 2 if k == 2 else k + 1
    assert missing_probability(k, need.width, kinds) <= eps / 8


@pytest.mark.parametrize(("k", "eps"), CASES)
def test_the_printed_requirements_do_not(k: int, eps: float):
    need = printed_requirements(k, eps)
    assert loss_bound(need) == pytest.approx(eps / 4 + eps / math.sqrt(2), rel=1e-6)
    assert need.batch < 0.2 * needed_batch(need)
    assert missing_probability(k, need.width, k) > eps / 8


def test_the_requirements_are_the_formulas_at_a_given_n():
    k, eps, n = 4, 0.1, 1001
    need, printed = corrected_requirements(k, eps, n), printed_requirements(k, eps, n)
    log_term = math.log(128 * 64 * 1001 / eps)
    xi = float(abs(majority_coefficient(n, 3)))
    assert need.width == 2 * math.ceil(4 * 16 * math.log(320))
    assert need.batch == pytest.approx(2**10 * 16 * n * log_term * math.log(32 * n * need.width / eps) / xi**2)
    assert need.steps == pytest.approx(2**12 * 64 * need.width * n**2 / eps**2)
    assert need.samples == need.batch * need.steps
    assert printed.width == 2 * math.ceil(2 * 16 * math.log(320))
    expected = 2**8 * 4 ** (7 / 6) * n * math.comb(n, 3) * log_term * math.log(32 * n * printed.width / eps)
    assert printed.batch == pytest.approx(expected / math.sqrt(0.5))
    assert printed.steps == pytest.approx(2**9 * 64 * printed.width * n**2 / eps**2)


def test_they_are_astronomical_even_for_two_bits():
    need = corrected_requirements(2, 0.1)
    assert 9_000 < need.n < 11_000
    assert 1e14 < need.batch < 1e15


@pytest.mark.parametrize("k", [2, 4])
def test_the_probability_of_a_kind_of_neuron_is_that_of_drawn_ones(k: int):
    draws, rng = 400_000, np.random.default_rng(k)
    signs = rng.choice([-1, 1], size=(draws, k))
    chosen = rng.integers(len(bias_grid(k)), size=draws) == k
    found = np.mean((np.abs(signs.sum(axis=1)) == k) & chosen)
    expected = neuron_probability(k)
    assert found == pytest.approx(expected, abs=4 * math.sqrt(expected / draws))
    assert abs(found - printed_neuron_probability(k)) > 10 * math.sqrt(expected / draws)


@pytest.mark.parametrize(("n", "k"), [(17, 4), (101, 2), (51, 6)])
def test_the_ratio_of_the_two_coefficients_is_exact(n: int, k: int):
    ratio = abs(majority_coefficient(n, k + 1) / majority_coefficient(n, k - 1))
    assert coefficient_ratio(n, k) == pytest.approx(float(ratio), rel=1e-14)


@pytest.mark.parametrize(("k", "eps", "wrong"), [(3, 0.1, "k"), (0, 0.1, "k"), (2, 0.5, "eps"), (2, 0.0, "eps")])
def test_what_the_theorem_is_not_about_is_refused(k: int, eps: float, wrong: str):
    for need in (printed_requirements, corrected_requirements):
        with pytest.raises(ConfigError, match=f"^{wrong} must be"):
            need(k, eps)
