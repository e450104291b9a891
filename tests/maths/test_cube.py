"""The order of the cube and the layout of packed words are contracts: engines and stored rows rely on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ConfigError
from assay.maths.cube import cube, cube_blocks, linear_form, pack, unpack


def test_row_r_has_a_minus_one_exactly_where_bit_i_of_r_is_set():
    points = cube(6)
    assert points.dtype == np.int8
    assert points.tolist() == [[-1 if r >> i & 1 else 1 for i in range(6)] for r in range(64)]


@pytest.mark.parametrize("rows", [1, 10, 32, 1000])
def test_blocks_are_the_cube_in_pieces_of_at_most_the_given_size(rows: int):
    blocks = list(cube_blocks(7, rows=rows))
    assert all(1 <= len(block) <= rows for block in blocks)
    np.testing.assert_array_equal(np.concatenate(blocks), cube(7))


def test_the_largest_cube_starts_at_once_and_in_order():
    first = next(cube_blocks(24))
    np.testing.assert_array_equal(first[:, :16], cube(16))
    assert np.all(first[:, 16:] == 1)


@given(st.integers(1, 100), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_unpacking_undoes_packing(n: int, rows: int, seed: int):
    signs = np.random.default_rng(seed).choice(np.array([-1, 1], np.int8), size=(rows, n))
    words = pack(signs)
    assert words.dtype == np.uint32
    assert words.shape == (rows, -(-n // 32))
    np.testing.assert_array_equal(unpack(words, n), signs)


def test_coordinate_i_is_bit_i_mod_32_of_word_i_div_32():
    for i in (0, 1, 31, 32, 45, 63, 64):
        signs = np.ones(70, np.int8)
        signs[i] = -1
        expected = [0, 0, 0]
        expected[i // 32] = 1 << i % 32
        assert pack(signs).tolist() == expected


def test_row_r_of_the_cube_packs_into_the_word_r():
    np.testing.assert_array_equal(pack(cube(9))[:, 0], np.arange(512))


def test_bits_beyond_n_are_ignored_when_unpacking_and_zero_when_packing():
    full = np.full((1, 2), 2**32 - 1, np.uint32)
    signs = unpack(full, 40)
    assert signs.tolist() == [[-1] * 40]
    assert pack(signs).tolist() == [[2**32 - 1, 2**8 - 1]]


def test_packing_takes_floats_and_keeps_every_leading_axis():
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(2, 3, 50))
    words = pack(signs)
    assert words.shape == (2, 3, 2)
    np.testing.assert_array_equal(unpack(words, 50), signs)


@pytest.mark.parametrize("n", [1, 2, 5, 11])
def test_a_linear_form_is_the_product_with_every_row(n: int):
    weights = np.random.default_rng(n).normal(size=n)
    np.testing.assert_allclose(linear_form(weights, 0.3), cube(n) @ weights + 0.3, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [0, 25])
def test_a_cube_that_is_empty_or_too_large_is_refused(n: int):
    for enumerate_it in (cube, cube_blocks, lambda n: linear_form(np.ones(n))):
        with pytest.raises(ConfigError, match="n must be between 1 and 24"):
            enumerate_it(n)


def test_entries_other_than_signs_are_refused_with_their_value():
    with pytest.raises(ConfigError, match=r"-1 or \+1 in every entry, got 0$"):
        pack(np.array([1, 0, -1]))


def test_more_coordinates_than_bits_are_refused():
    with pytest.raises(ConfigError, match="between 0 and 32"):
        unpack(np.zeros((4, 1), np.uint32), 33)


def test_blocks_without_rows_are_refused():
    with pytest.raises(ConfigError, match="rows"):
        cube_blocks(3, rows=0)
