"""What label noise costs (spec 4.12), against exact rationals, simulation and the capacity of a channel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.theory.parity.noise import least_samples, noise_cost, noise_factor, printed_noise_factor


def test_the_printed_factor_is_half_of_the_factor():
    flip = 0.3
    outcomes = [(1 - flip, 1), (flip, -1)]  # of y times the clean label
    assert noise_factor(flip) == pytest.approx(sum(p * sign for p, sign in outcomes))
    assert printed_noise_factor(flip) == pytest.approx(0.5 - flip)


def test_noise_costs_the_square_of_the_factor_in_samples():
    flip, samples, trials = 0.4, 400, 20_000
    rng = np.random.default_rng(0)
    clean, noisy = (
        rng.binomial(samples, 0.5 + shift, size=trials) / samples for shift in (0.05, 0.05 * (1 - 2 * flip))
    )
    signal_to_noise = [(2 * mean.mean() - 1) / (2 * mean.std()) for mean in (clean, noisy)]
    assert (signal_to_noise[0] / signal_to_noise[1]) ** 2 == pytest.approx(noise_cost(flip), rel=0.1)
    assert noise_cost(0) == 1


def test_without_noise_a_label_is_worth_a_bit():
    assert least_samples(50, 3) == pytest.approx(math.log2(math.comb(50, 3)))


def test_near_pure_noise_the_limit_is_that_of_the_squared_distance():
    eps = 1e-3
    limit = math.log(math.comb(50, 3)) / (2 * eps**2)
    assert least_samples(50, 3, 0.5 - eps) == pytest.approx(limit, rel=1e-4)


def test_pure_noise_and_impossible_probabilities_are_refused():
    for query in (noise_cost, lambda flip: least_samples(9, 2, flip)):
        with pytest.raises(ConfigError, match="say nothing"):
            query(0.5)
        with pytest.raises(ConfigError, match=r"between 0 and 0\.5"):
            query(0.6)
    with pytest.raises(ConfigError, match="k must be between 1 and n = 3"):
        least_samples(3, 4)
