"""Recovering the subset from a gradient: both definitions of a gap, both rules, the simulation (spec 4.4, T7)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.maths.fourier import fourier_coefficients
from assay.theory.parity import fourier_gap, majority_coefficient, sign_neuron_gradient
from assay.theory.parity.recovery import (
    absolute_gap,
    batch_gradient,
    entries_above,
    largest_entries,
    neuron_gap,
    recovery_probability,
    simulate_recovery,
    sufficient_samples,
)


def test_the_absolute_gap_of_a_sign_neuron_is_its_lower_coefficient():
    n, subset = 11, (0, 3)
    signs = np.random.default_rng(0).choice([-1, 1], size=n)
    spectrum = fourier_coefficients((cube(n) @ signs > 0).astype(float))
    assert absolute_gap(spectrum, subset) == pytest.approx(float(majority_coefficient(n, 1)) / 2, rel=1e-12)
    assert fourier_gap(spectrum, subset) == pytest.approx(neuron_gap(n, 2), rel=1e-12)


def test_the_absolute_gap_looks_at_all_larger_sets_and_the_relative_one_at_supersets():
    spectrum = np.zeros(32)
    spectrum[[0b00001, 0b00010]] = 0.5, -0.4
    spectrum[0b11100] = 0.3  # three coordinates, none of S
    assert fourier_gap(spectrum, (0, 1)) == pytest.approx(0.4)
    assert absolute_gap(spectrum, (0, 1)) == 0
    spectrum[0b11100] = 0.2
    assert absolute_gap(spectrum, (0, 1)) == pytest.approx(0.4)


@pytest.mark.parametrize("k", [2, 4])
def test_an_error_below_half_the_gap_leaves_the_largest_entries_where_they_are(k: int):
    n, subset = 15, tuple(range(3, 3 + k))
    rng = np.random.default_rng(k)
    gamma = neuron_gap(n, k)
    relevant = np.isin(np.arange(n), subset)
    for _ in range(20):
        gradient, _ = sign_neuron_gradient(rng.choice([-1, 1], size=n), subset)
        worst = np.where(relevant, -1, 1) * np.sign(gradient)  # shrinks what is relevant, stretches the rest
        assert largest_entries(gradient + 0.499 * gamma * worst, k) == frozenset(subset)
        assert largest_entries(gradient + 0.501 * gamma * worst, k) != frozenset(subset)


@pytest.mark.parametrize("k", [2, 4])
def test_an_error_below_a_quarter_of_the_gap_stays_on_its_side_of_the_threshold(k: int):
    n, subset = 51, tuple(range(k))
    gamma = float(abs(majority_coefficient(n, k - 1))) / 2
    relevant = np.isin(np.arange(n), subset)
    gradient = np.where(relevant, gamma, gamma / 2)  # the least that the absolute gap allows
    worst = np.where(relevant, -1, 1)
    assert entries_above(gradient + 0.249 * gamma * worst, gamma) == frozenset(subset)
    assert entries_above(gradient + 0.251 * gamma * worst, gamma) == frozenset(range(n)) - frozenset(subset)


@pytest.mark.parametrize("batch", [1, 63, 64, 130, 64 * 2048 + 5])
def test_a_batch_gradient_is_the_mean_over_its_examples(batch: int):
    n, subset = 7, (1, 2, 5)
    signs = np.random.default_rng(1).choice([-1, 1], size=n)
    found = batch_gradient(signs, subset, batch, np.random.default_rng(7))
    rng, rest, total = np.random.default_rng(7), batch, np.zeros(n)
    while rest:
        count = min(rest, 64 * 2048)
        words = rng.integers(0, 2**64, size=(n, -(-count // 64)), dtype=np.uint64)
        octets = words.astype("<u8").view(np.uint8)
        x = 1.0 - 2 * np.unpackbits(octets, axis=1, bitorder="little")[:, :count].T
        y = np.prod(x[:, subset], axis=1)
        total -= (y * (x @ signs > 0)) @ x
        rest -= count
    np.testing.assert_allclose(found, total / batch, rtol=0, atol=1e-15)


@pytest.mark.parametrize("n", [1, 3, 5, 31, 33])
def test_batch_gradients_are_unbiased(n: int):
    rng = np.random.default_rng(n)
    signs, subset, batch = rng.choice([-1, 1], size=n), (0,), 1 << 18
    expected, _ = sign_neuron_gradient(signs, subset)
    found = batch_gradient(signs, subset, batch, rng)
    np.testing.assert_allclose(found, expected, rtol=0, atol=4.5 * (0.5 / batch) ** 0.5)


@pytest.mark.parametrize(("n", "k"), [(15, 2), (51, 2), (15, 4)])
@pytest.mark.parametrize("samples", [0.5, 1.0, 4.0])
def test_the_simulation_has_the_probability_of_the_limit_law(n: int, k: int, samples: float):
    batch = math.ceil(samples * math.log(n) / neuron_gap(n, k) ** 2)
    trials = 150
    found = simulate_recovery(n, k, batch, trials, np.random.default_rng(3))
    expected = recovery_probability(n, k, batch)
    noise = 4 * math.sqrt(expected * (1 - expected) / trials)
    assert found.largest / trials == pytest.approx(expected, abs=0.03 + noise)  # 0.03: the limit law at 73 examples
    assert found.largest <= found.first
    assert found.close_wrong == found.near_wrong == 0  # Proposition 9, and the first version's Proposition 5
    assert found.near <= found.threshold


def test_an_error_below_half_the_gap_may_put_an_entry_across_it():
    found = simulate_recovery(15, 4, 400_000, 100, np.random.default_rng(0))
    assert 0 < found.close_across < found.close <= found.largest


def test_the_limit_law_is_that_of_independent_normal_entries():
    n, k, batch, draws = 21, 4, 150_000, 200_000
    rng = np.random.default_rng(0)
    means = np.array([abs(float(majority_coefficient(n, k + (-1 if i < k else 1)))) / 2 for i in range(n)])
    size = np.abs(means + rng.normal(size=(draws, n)) * np.sqrt((0.5 - means**2) / batch))
    found = np.mean(size[:, :k].min(axis=1) > size[:, k:].max(axis=1))
    assert recovery_probability(n, k, batch) == pytest.approx(found, abs=4 * 0.5 / draws**0.5)


def test_the_sufficient_batch_is_enough():
    n, k, failure = 15, 2, 0.1
    batch = sufficient_samples(n, neuron_gap(n, k), failure)
    assert 2 * n * math.exp(-batch * neuron_gap(n, k) ** 2 / 8) <= failure
    assert 2 * n * math.exp(-(batch - 1) * neuron_gap(n, k) ** 2 / 8) > failure
    assert simulate_recovery(n, k, batch, 100, np.random.default_rng(1)).largest == 100


def test_what_makes_no_gradient_or_gap_is_refused():
    rng = np.random.default_rng(0)
    for signs in (np.ones(4), np.array([1.0, 0.5, 1.0])):
        with pytest.raises(ConfigError, match=r"an odd number of -1 and \+1"):
            batch_gradient(signs, (0,), 10, rng)
    for subset in ((), range(5)):
        with pytest.raises(ConfigError, match="of 1 to 4 coordinates"):
            absolute_gap(np.zeros(32), subset)
    with pytest.raises(ConfigError, match="failure must be strictly between 0 and 1"):
        sufficient_samples(15, 0.1, 1.0)
    with pytest.raises(ConfigError, match="gap must be"):
        sufficient_samples(15, 0.0, 0.1)


@pytest.mark.parametrize("flip", [0.0, 0.2])
def test_flipped_labels_scale_the_batch_gradient(flip: float):
    rng = np.random.default_rng(5)
    signs, subset, batch = rng.choice([-1, 1], size=9), [1, 4], 1 << 20
    found = batch_gradient(signs, subset, batch, rng, flip)
    expected = (1 - 2 * flip) * sign_neuron_gradient(signs, subset)[0]
    assert np.abs(found - expected).max() < 6 * (0.5 / batch) ** 0.5


def test_noise_hides_a_subset_that_more_examples_show():
    rng = np.random.default_rng(6)
    batch = 4 * 900  # 4 ln n / gamma^2 and more at (15, 2)
    clean = simulate_recovery(15, 2, batch, 60, rng).largest
    noisy = simulate_recovery(15, 2, batch, 60, rng, flip=0.4).largest
    mended = simulate_recovery(15, 2, 25 * batch, 60, rng, flip=0.4).largest
    assert clean >= 58
    assert noisy <= 30
    assert mended >= 58
