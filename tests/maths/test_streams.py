"""The random streams: the cipher against published numbers, addresses, whole numbers below a bound, orderings."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jax.extend.random import threefry_2x32
from scipy import stats

from assay.maths import streams
from tests import light

WORD = st.integers(0, 2**32 - 1)

# Random123 1.14, file kat_vectors, threefry2x32 with 20 rounds: counter, key, output
KNOWN = [
    ((0x00000000, 0x00000000), (0x00000000, 0x00000000), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
]

words = light.jit(streams.words, static_argnums=2)
below = light.jit(streams.below, static_argnums=2)
shuffled = light.jit(streams.shuffled, static_argnums=2)
orderings = light.jit(  # keys, positions, size -> one ordering a key
    jax.vmap(streams.shuffled, in_axes=(0, None, None)), static_argnums=2
)
split = light.jit(streams.split, static_argnums=1)
uniform = light.jit(streams.uniform)
fold_in = light.jit(streams.fold_in)


def u32(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint32)


def encrypted(key: Any, x0: Any, x1: Any) -> np.ndarray:
    """Both output words for each counter (x0, x1), on the host: one row a counter."""
    x0, x1 = np.broadcast_arrays(np.asarray(x0, np.uint32), np.asarray(x1, np.uint32))
    with np.errstate(over="ignore"):
        return np.stack(streams.threefry(np.uint32(key[0]), np.uint32(key[1]), x0, x1), axis=-1)


def key_of(seed: int = 0, name: str = "data") -> Any:
    return np.asarray(streams.stream(seed, name))


# -- the cipher ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("counter", "key", "output"), KNOWN)
def test_the_cipher_gives_the_published_answers(counter: Any, key: Any, output: Any):
    assert tuple(encrypted(key, *counter).tolist()) == output


@given(key=st.tuples(WORD, WORD), counters=st.lists(st.tuples(WORD, WORD), min_size=4, max_size=4))
def test_the_cipher_is_the_one_of_jax(key: tuple[int, int], counters: list[tuple[int, int]]):
    columns = np.array(counters, np.uint32).T
    theirs = np.asarray(threefry_2x32(u32(*key), columns.ravel())).reshape(2, -1)
    np.testing.assert_array_equal(encrypted(key, *columns), theirs.T)


@given(key=st.tuples(WORD, WORD), number=WORD)
def test_folding_in_is_what_jax_does(key: tuple[int, int], number: int):
    theirs = jax.random.key_data(jax.random.fold_in(streams.typed(jnp.asarray(u32(*key))), np.uint32(number)))
    np.testing.assert_array_equal(fold_in(u32(*key), np.uint32(number)), theirs)


def test_folding_in_several_numbers_gives_a_row_for_each():
    key = key_of()
    rows = np.asarray(fold_in(key, u32(5, 0, 2**32 - 1)))
    for row, number in zip(rows, (5, 0, 2**32 - 1), strict=True):
        np.testing.assert_array_equal(row, fold_in(key, np.uint32(number)))


def test_splitting_gives_the_sub_streams_in_order():
    rows = np.asarray(split(key_of(), 5))
    np.testing.assert_array_equal(rows, fold_in(key_of(), np.arange(5, dtype=np.uint32)))
    np.testing.assert_array_equal(rows[:3], split(key_of(), 3))


# -- named streams ---------------------------------------------------------------------------------------------------


def test_all_streams_of_a_trial_are_those_of_their_names():
    for name, key in streams.streams(123).items():
        np.testing.assert_array_equal(key, streams.stream(123, name))
    assert set(streams.streams(0)) == {"init", "data", "order", "noise", "eval"}


def test_a_name_is_folded_into_the_seed_of_jax():
    """Adding a name changes no other stream, since the number of a name is made of the name alone (CRC-32)."""
    assert streams.name_number("123456789") == 0xCBF43926  # the check value of every table of CRCs
    key = jax.random.fold_in(jax.random.key(7, impl="threefry2x32"), np.uint32(streams.name_number("data")))
    np.testing.assert_array_equal(streams.stream(7, "data"), jax.random.key_data(key))


def test_streams_of_other_names_and_seeds_are_other_streams():
    keys = {tuple(np.asarray(key).tolist()) for s in range(40) for key in streams.streams(s).values()}
    assert len(keys) == 40 * len(streams.NAMES)
    firsts = {tuple(np.asarray(words(u32(*key), u32(0), 2))[0].tolist()) for key in keys}
    assert len(firsts) == len(keys)


def test_the_largest_seed_is_no_other_seed():
    assert not np.array_equal(streams.stream(2**32 - 1, "data"), streams.stream(0, "data"))


def test_two_streams_are_uncorrelated():
    """Agreement of 2^17 bits is binomial: five standard deviations are 905 of 65,536."""
    index = np.arange(2**12, dtype=np.uint32)
    bits = [np.asarray(words(key_of(s, n), index, 1)) for s, n in ((0, "data"), (0, "eval"), (1, "data"))]
    for one, other in itertools.combinations(bits, 2):
        differing = int(np.bitwise_count(one ^ other).sum())
        assert abs(differing - 2**16) < 5 * np.sqrt(2**17) / 2


def test_the_stream_of_the_host_is_philox_under_seed_and_name():
    drawn = streams.generator(3, "hidden").integers(2**63, size=4)
    key = np.array([3, streams.name_number("hidden")], np.uint64)
    np.testing.assert_array_equal(drawn, np.random.Generator(np.random.Philox(key=key)).integers(2**63, size=4))
    others = [(4, "hidden"), (3, "order")]
    assert all(streams.generator(*other).integers(2**63) != drawn[0] for other in others)


# -- words -----------------------------------------------------------------------------------------------------------


SOME = u32(0, 1, 77, 2**31, 2**32 - 1)


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_words_are_the_output_of_the_cipher_at_their_address(count: int):
    drawn = np.asarray(words(key_of(), SOME, count))
    for row, i in zip(drawn, SOME, strict=True):
        expected = encrypted(key_of(), i, np.arange((count + 1) // 2)).reshape(-1)[:count]
        np.testing.assert_array_equal(row, expected)


def test_an_address_alone_holds_what_it_holds_in_a_batch():
    index = u32(9, 3, 3, 500)
    together = np.asarray(words(key_of(), index, 3))
    for row, i in zip(together, index, strict=True):
        np.testing.assert_array_equal(words(key_of(), u32(int(i)), 3)[0], row)


def test_fewer_words_are_the_first_of_more():
    many = np.asarray(words(key_of(), SOME, 7))
    for count in (1, 2, 3):
        np.testing.assert_array_equal(words(key_of(), SOME, count), many[:, :count])


def test_every_bit_is_fair_and_every_byte_as_frequent_as_another():
    drawn = np.asarray(words(key_of(1), np.arange(2**14, dtype=np.uint32), 4))
    ones = ((drawn.reshape(-1, 1) >> np.arange(32, dtype=np.uint32)) & 1).sum(axis=0, dtype=np.int64)
    assert np.abs(ones - 2**15).max() < 5 * np.sqrt(2**16) / 2
    assert stats.chisquare(np.bincount(drawn.view(np.uint8).ravel(), minlength=256)).pvalue > 1e-3


def test_uniform_numbers_are_the_upper_24_bits_of_a_word():
    index = np.arange(1000, dtype=np.uint32)
    expected = (encrypted(key_of(), index, 0)[:, 0] >> 8) / 2.0**24
    drawn = np.asarray(uniform(key_of(), index))
    np.testing.assert_array_equal(drawn, expected.astype(np.float32))
    assert drawn.dtype == np.float32
    assert drawn.min() >= 0
    assert drawn.max() < 1


def test_uniform_numbers_are_uniform():
    drawn = np.asarray(uniform(key_of(2), np.arange(20_000, dtype=np.uint32)), np.float64)
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3


# -- whole numbers below a bound -------------------------------------------------------------------------------------

BOUNDS = [1, 2, 1000, 2**16 - 1, 2**16, 2**16 + 1, 2**31 + 12345, 2**32 - 1]


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_number_below_a_bound_is_the_upper_half_of_word_times_bound(bound: int):
    index = np.arange(5000, dtype=np.uint32)
    word = encrypted(key_of(), index, 0)[:, 0].astype(np.uint64)
    np.testing.assert_array_equal(below(key_of(), index, bound), (word * np.uint64(bound)) >> np.uint64(32))


@settings(max_examples=20)
@given(bound=st.integers(1, 2**32 - 1), key=st.tuples(WORD, WORD), first=WORD)
@example(bound=2**32 - 1, key=(0, 0), first=0)
def test_no_bound_overflows_the_halves(bound: int, key: tuple[int, int], first: int):
    index = u32(first, first ^ 1, 12345)
    word = encrypted(key, index, 0)[:, 0].astype(np.uint64)
    with jax.disable_jit():  # every bound would be a compilation
        drawn = np.asarray(streams.below(jnp.asarray(u32(*key)), jnp.asarray(index), bound))
    np.testing.assert_array_equal(drawn, (word * np.uint64(bound)) >> np.uint64(32))


@pytest.mark.parametrize("bound", [3, 7, 100])
def test_every_number_below_a_bound_is_as_likely_as_another(bound: int):
    drawn = np.asarray(below(key_of(4), np.arange(20_000, dtype=np.uint32), bound))
    assert stats.chisquare(np.bincount(drawn, minlength=bound)).pvalue > 1e-3


# -- orderings -------------------------------------------------------------------------------------------------------


def ordering(key: np.ndarray, size: int) -> np.ndarray:
    """The same ordering in numpy: six Feistel rounds on the next power of four, repeated until one is inside."""
    bits = max(1, -(-(size - 1).bit_length() // 2))

    def rounds(number: np.ndarray) -> np.ndarray:
        left, right = number >> np.uint32(bits), number % np.uint32(2**bits)
        for turn in range(6):
            mixed = encrypted(key, right, turn)[:, 0] % np.uint32(2**bits)
            left, right = right, left ^ mixed
        return left * np.uint32(2**bits) + right

    place = rounds(np.arange(size, dtype=np.uint32))
    while (outside := place >= size).any():
        place[outside] = rounds(place[outside])
    return place


def test_an_ordering_of_any_size_has_every_element_once():
    for size in [*range(1, 70), *range(70, 301, 9), 255, 256, 257]:
        np.testing.assert_array_equal(np.sort(ordering(key_of(size), size)), np.arange(size))


@pytest.mark.parametrize("size", [1, 2, 5, 16, 17, 65, 300])
def test_a_shuffle_is_that_ordering(size: int):
    order = np.asarray(shuffled(key_of(size), np.arange(size, dtype=np.uint32), size))
    np.testing.assert_array_equal(order, ordering(key_of(size), size))


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 4, *range(6, 16), 33, 63, 64, 127, 128, 129, 199, 255, 256, 257])
def test_a_shuffle_is_that_ordering_at_more_sizes(size: int):
    test_a_shuffle_is_that_ordering(size)


def test_a_large_shuffle_has_every_element_once_and_leaves_few_in_place():
    size = 100_003
    order = np.asarray(shuffled(key_of(), np.arange(size, dtype=np.uint32), size))
    np.testing.assert_array_equal(np.sort(order), np.arange(size))
    assert np.count_nonzero(order == np.arange(size)) < 10  # Poisson with mean 1


@pytest.fixture(scope="module")
def epochs() -> np.ndarray:
    """4,000 orderings of 20 elements, as a trial that trains on 20 examples has them."""
    keys = fold_in(key_of(name="order"), np.arange(4000, dtype=np.uint32))
    return np.asarray(orderings(keys, np.arange(20, dtype=np.uint32), 20))


def test_a_position_alone_holds_what_it_holds_in_the_whole_ordering(epochs: np.ndarray):
    keys = fold_in(key_of(name="order"), np.arange(4000, dtype=np.uint32))
    np.testing.assert_array_equal(orderings(keys, u32(17, 0), 20), epochs[:, [17, 0]])


def test_every_epoch_has_an_ordering_of_its_own(epochs: np.ndarray):
    assert len({row.tobytes() for row in epochs}) == 4000


def test_every_element_is_as_likely_in_every_position(epochs: np.ndarray):
    counts = np.stack([np.bincount(column, minlength=20) for column in epochs.T])
    # rows and columns of the table add up to 4000, which leaves 19^2 degrees of freedom of variance 20/19 each
    statistic = ((counts - 200) ** 2 / 200).sum() * 19 / 20
    assert 1e-3 < stats.chi2.sf(statistic, 19**2) < 1 - 1e-3


def test_of_two_elements_either_comes_first_in_half_of_the_orderings(epochs: np.ndarray):
    place = np.argsort(epochs, axis=1)
    before = np.array([(place[:, a] < place[:, b]).sum() for a, b in itertools.combinations(range(20), 2)])
    assert np.abs(before - 2000).max() < 5 * np.sqrt(4000) / 2
