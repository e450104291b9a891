"""Sparse parities against their definition (spec 1.1 and 1.4): labels, subsets, noise, the enumerated population."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import numpy as np
import pytest
from scipy import stats

import assay as ay
from assay.config import bind
from assay.errors import ConfigError
from assay.maths import streams
from assay.maths.cube import cube, unpack
from tests import light

DRAWN = 2**14

examples = light.jit(lambda task, secret, key, index: task.examples(secret, key, index), static_argnums=0)
population = light.jit(lambda task, secret, index: task.population(secret, index), static_argnums=0)
words = light.jit(streams.words, static_argnums=2)


def draw(task: ay.Parity, count: int = 64, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The first examples of the stream `data` of a seed."""
    x, y = examples(task, task.secret(seed), streams.stream(seed, "data"), np.arange(count, dtype=np.uint32))
    return np.asarray(x), np.asarray(y)


# -- examples --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 31, 32, 33, 70])
def test_inputs_are_the_bits_of_the_stream_and_labels_the_product_of_the_hidden_ones(n: int):
    task = ay.Parity(n=n, k=min(n, 3), subset="random")
    x, y = draw(task, seed=5)
    bits = words(streams.stream(5, "data"), np.arange(64, dtype=np.uint32), task.num_words)
    np.testing.assert_array_equal(x, unpack(np.asarray(bits), n))
    np.testing.assert_array_equal(y, np.prod(x[:, list(task.coordinates(5))], axis=1))
    assert x.dtype == y.dtype == np.float32


@pytest.mark.parametrize("subset", [(0,), (31, 32), (0, 40, 69), tuple(range(70))])
def test_any_subset_may_be_the_hidden_one(subset: tuple[int, ...]):
    task = ay.Parity(n=70, k=len(subset), subset=subset)
    x, y = draw(task)
    np.testing.assert_array_equal(y, np.prod(x[:, list(subset)], axis=1))


def test_an_example_depends_on_its_address_alone():
    task = ay.Parity(n=70, k=3)
    key, secret = streams.stream(0, "data"), task.secret(0)
    x, y = draw(task)
    index = np.array([63, 7, 7, 0], np.uint32)
    some_x, some_y = examples(task, secret, key, index)
    np.testing.assert_array_equal(some_x, x[index])
    np.testing.assert_array_equal(some_y, y[index])


def test_bits_are_fair_and_pairwise_uncorrelated():
    """Means and correlations of N fair signs have standard deviation N^-1/2: six of them for 35 x 34 / 2 pairs."""
    x, y = draw(ay.Parity(n=35, k=3), DRAWN)
    correlation = x.T @ x / DRAWN - np.eye(35)
    assert np.abs(correlation).max() < 6 / np.sqrt(DRAWN)
    assert np.abs(x.mean(axis=0)).max() < 5 / np.sqrt(DRAWN)
    assert abs(y.mean()) < 5 / np.sqrt(DRAWN)


def test_no_wrong_subset_of_up_to_three_coordinates_is_correlated_with_the_label():
    x, y = draw(ay.Parity(n=12, k=3, subset=(2, 5, 11)), DRAWN)
    for size in (1, 2, 3):
        for subset in itertools.combinations(range(12), size):
            correlation = float(np.mean(y * np.prod(x[:, subset], axis=1)))
            assert abs(correlation - (subset == (2, 5, 11))) < 6 / np.sqrt(DRAWN)


# -- the hidden subset -----------------------------------------------------------------------------------------------


def test_the_first_coordinates_are_the_hidden_ones_unless_others_are_asked_for():
    assert ay.Parity(n=10, k=3).coordinates(4) == (0, 1, 2)
    assert ay.Parity(n=10, k=3, subset=(9, 0, 4)).coordinates(4) == (0, 4, 9)


def test_random_subsets_follow_the_seed_and_stay_what_they_were():
    task = ay.Parity(n=50, k=3, subset="random")
    found = [task.coordinates(seed) for seed in (0, 1, 2**32 - 1)]
    # numpy does not promise that `choice` draws the same in every version: a new one that does not shows here
    assert found == [(17, 24, 37), (28, 31, 32), (10, 20, 39)]


def test_every_subset_is_as_likely_as_another():
    task = ay.Parity(n=6, k=2, subset="random")
    found = [task.coordinates(seed) for seed in range(1500)]
    names: dict[tuple[int, ...], int] = {subset: i for i, subset in enumerate(itertools.combinations(range(6), 2))}
    counts = np.bincount([names[subset] for subset in found], minlength=15)
    assert stats.chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("n", [5, 32, 33, 100])
def test_the_secret_is_the_mask_of_the_subset_in_words(n: int):
    task = ay.Parity(n=n, k=3, subset="random")
    for seed in range(5):
        secret = task.secret(seed)
        assert secret.dtype == np.uint32
        assert secret.shape == (-(-n // 32),)
        bits = [i for i in range(32 * len(secret)) if secret[i // 32] >> np.uint32(i % 32) & 1]
        assert tuple(bits) == task.coordinates(seed)


# -- label noise -----------------------------------------------------------------------------------------------------


def corrupted(task: Any, index: np.ndarray) -> np.ndarray:
    noise = streams.stream(0, "noise")
    flipped = light.jit(lambda p, i: bind(task, {"noise": p}).corrupt(noise, i, jax.numpy.ones(i.shape, np.float32)))
    return np.asarray(flipped(np.float32(task.noise), index))


@pytest.mark.parametrize("p", [0.01, 0.1, 0.49, 0.5])
def test_noise_flips_its_fraction_of_the_labels(p: float):
    flips = corrupted(ay.Parity(n=5, k=2, noise=p), np.arange(DRAWN, dtype=np.uint32)) < 0
    assert stats.binomtest(int(flips.sum()), DRAWN, p).pvalue > 1e-3


def test_a_flip_depends_on_its_address_alone_and_more_noise_flips_more():
    index = np.arange(500, dtype=np.uint32)
    little, much = (corrupted(ay.Parity(n=5, k=2, noise=p), index) for p in (0.1, 0.3))
    np.testing.assert_array_equal(corrupted(ay.Parity(n=5, k=2, noise=0.1), index[::-1]), little[::-1])
    assert np.all(much[little < 0] < 0)
    assert (much < 0).sum() > (little < 0).sum()


def test_without_noise_labels_are_left_alone():
    y = jax.numpy.ones(3, np.float32)
    key = streams.stream(0, "noise")
    assert ay.Parity(n=5, k=2).corrupt(key, jax.numpy.arange(3, dtype=np.uint32), y) is y


def test_noise_is_no_part_of_the_examples():
    clean, noisy = (draw(ay.Parity(n=20, k=3, noise=p)) for p in (0.0, 0.5))
    np.testing.assert_array_equal(clean[0], noisy[0])
    np.testing.assert_array_equal(clean[1], noisy[1])


# -- the population --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "subset"), [(1, (0,)), (5, (1, 4)), (10, (0, 3, 9))])
def test_the_population_is_the_cube_in_its_order(n: int, subset: tuple[int, ...]):
    task = ay.Parity(n=n, k=len(subset), subset=subset)
    assert task.size == 2**n
    x, y = population(task, task.secret(0), np.arange(2**n, dtype=np.uint32))
    np.testing.assert_array_equal(x, cube(n))
    np.testing.assert_array_equal(y, np.prod(cube(n)[:, list(subset)], axis=1))
    assert np.asarray(y).sum() == 0  # so that no constant answer is right more often than chance
    assert task.chance == 0.5


def test_a_part_of_the_population_is_those_rows_of_it():
    task = ay.Parity(n=10, k=2)
    x, _ = population(task, task.secret(0), np.array([1023, 5], np.uint32))
    np.testing.assert_array_equal(x, cube(10)[[1023, 5]])


def test_the_largest_population_has_twenty_bits():
    assert ay.Parity(n=20, k=2).size == 2**20
    task = ay.Parity(n=21, k=2)
    assert task.size is None
    with pytest.raises(ConfigError, match=r"population of parity with n must be at most 20, got 21; use online data"):
        population(task, task.secret(0), np.zeros(1, np.uint32))


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "words_of_error"),
    [
        ({"n": 5, "k": 6}, r"parity\.k must be at most n = 5, got 6; lower k or raise n"),
        ({"n": 5, "k": 0}, r"parity\.k must be >= 1, got 0"),
        ({"n": 0, "k": 1}, r"parity\.n must be between 1 and 4096, got 0"),
        ({"n": 5, "k": 2, "subset": (0, 5)}, r"parity\.subset must be 2 different coordinates between 0 and 4"),
        ({"n": 5, "k": 2, "subset": (-1, 3)}, r"parity\.subset must be 2 different coordinates between 0 and 4"),
        ({"n": 5, "k": 2, "subset": (1, 1)}, r"parity\.subset must be 2 different coordinates between 0 and 4"),
        ({"n": 5, "k": 3, "subset": (0, 1)}, r"parity\.subset must be 3 different coordinates between 0 and 4"),
        ({"n": 5, "k": 2, "subset": "last"}, r"parity\.subset must be first, random or a list of coordinates"),
        ({"n": 5, "k": 2, "noise": 0.6}, r"parity\.noise must be between 0 and 0\.5, got 0\.6"),
        ({"n": 5, "k": 2, "noise": -0.1}, r"parity\.noise must be between 0 and 0\.5, got -0\.1"),
    ],
)
def test_a_parity_that_is_none_is_refused(fields: dict[str, Any], words_of_error: str):
    with pytest.raises(ConfigError, match=words_of_error):
        ay.Parity(**fields)
