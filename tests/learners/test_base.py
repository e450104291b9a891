"""Examples against the task's own, and the size of a test of subsets against exact tails."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ConfigError
from assay.learners import Examples, subset_test
from assay.learners.base import wrong_answers
from assay.maths import streams
from assay.tasks import DisjointParity, Offline, Parity


@pytest.mark.parametrize(
    "task",
    [
        Parity(n=7, k=3),
        Parity(n=33, k=2, subset="random", noise=0.3),
        Parity(n=70, k=5, subset=(0, 31, 32, 64, 69), noise=0.1),
        DisjointParity(n=40, k=4, subset="random"),
    ],
    ids=["one word", "two words", "three words", "disjoint"],
)
def test_examples_are_those_of_offline_data(task: Parity):
    seed, count = 5, 90
    examples = Examples(task, seed)
    first, rest = examples.take(40), examples.take(50)
    assert examples.drawn == count
    index = jnp.arange(count, dtype=jnp.uint32)
    x, y = Offline(samples=count).fetch(task, task.secret(seed), streams.streams(seed), index, 0)
    assert np.array_equal(1 - 2.0 * np.concatenate([first[0], rest[0]]), x)
    assert np.array_equal(1 - 2.0 * np.concatenate([first[1], rest[1]]), y)


def test_labels_are_flipped_as_often_as_the_noise_says():
    _, clean = Examples(Parity(n=9, k=2), 1).take(20_000)
    _, noisy = Examples(Parity(n=9, k=2, noise=0.2), 1).take(20_000)
    assert np.mean(clean != noisy) == pytest.approx(0.2, abs=4 * math.sqrt(0.16 / 20_000))


def test_wrong_answers_are_counted_also_where_sums_exceed_a_byte():
    rng = np.random.default_rng(0)
    x, y = rng.integers(2, size=(50, 700), dtype=np.uint8), rng.integers(2, size=50, dtype=np.uint8)
    subsets = rng.integers(2, size=(20, 700), dtype=np.uint8)
    expected = [sum(int(x[j, s == 1].astype(int).sum() % 2 != y[j]) for j in range(50)) for s in subsets]
    assert wrong_answers(subsets, x, y).tolist() == expected


def tails(m: int, p: Fraction) -> list[Fraction]:
    """P[Bin(m, p) <= c] for c = 0, ..., m, exactly."""
    return list(itertools.accumulate(math.comb(m, i) * p**i * (1 - p) ** (m - i) for i in range(m + 1)))


@settings(max_examples=25)
@given(
    st.integers(0, 10**6), st.sampled_from([Fraction(0), Fraction(1, 8), Fraction(1, 4)]), st.sampled_from([0.9, 0.99])
)
def test_the_test_errs_as_seldom_as_promised_and_no_smaller_one_does(wrong: int, noise: Fraction, confidence: float):
    delta = 1 - confidence

    def keeps(m: int) -> list[int]:
        """The c with which both kinds of error are rare enough."""
        guessed, right = tails(m, Fraction(1, 2)), tails(m, noise)
        return [c for c in range(m) if guessed[c] * max(wrong, 1) <= delta / 2 and 1 - right[c] <= delta / 2]

    m, c = subset_test(wrong, float(noise), confidence)
    assert c in keeps(m)
    assert keeps(m - 1) == []


def test_without_noise_the_test_has_the_size_of_the_statistical_limit():
    for wrong in (1, 100, 19_599, 10**12):
        assert subset_test(wrong, 0.0, 0.99) == (math.ceil(math.log2(2 * wrong / 0.01) - 1e-9), 0)


def test_with_noise_it_grows_like_the_inverse_square_of_what_is_left_of_the_signal():
    sizes = [subset_test(10**6, noise, 0.99)[0] * (1 - 2 * noise) ** 2 for noise in (0.3, 0.4, 0.45, 0.49)]
    assert max(sizes) / min(sizes) < 1.2


@pytest.mark.parametrize(("noise", "confidence", "wrong"), [(0.5, 0.9, "noise"), (0.1, 1.0, "confidence")])
def test_what_no_test_can_do_is_refused(noise: float, confidence: float, wrong: str):
    with pytest.raises(ConfigError, match=f"^{wrong} must be"):
        subset_test(10, noise, confidence)
