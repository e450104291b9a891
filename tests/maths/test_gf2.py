"""GF(2) against textbook elimination on plain lists, against enumeration, and by its laws."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.maths.gf2 import null_space, pack, rank, row_reduce, solve, unpack

sizes = st.integers(1, 9)
matrices = st.tuples(sizes, sizes).flatmap(lambda size: arrays(np.uint8, size, elements=st.integers(0, 1)))
wide = st.tuples(st.integers(1, 100), st.integers(1, 100), st.integers(0, 2**32 - 1))
"""Rows, columns and a seed: several words a row."""


def plain_rank(matrix: np.ndarray) -> int:
    """Rows as Python integers: each is reduced by the leading bits of those before."""
    leading: dict[int, int] = {}
    for row in matrix.tolist():
        number = int("".join(map(str, row)), 2)
        while number and number.bit_length() in leading:
            number ^= leading[number.bit_length()]
        if number:
            leading[number.bit_length()] = number
    return len(leading)


def of_rank(rows: int, columns: int, most: int, seed: int) -> np.ndarray:
    """A random matrix whose rank is at most `most`."""
    rng = np.random.default_rng(seed)
    return rng.integers(2, size=(rows, most)) @ rng.integers(2, size=(most, columns)) % 2


@given(matrices)
def test_packing_leads_back(matrix: np.ndarray):
    words = pack(matrix)
    assert words.shape == (len(matrix), 1)
    assert np.array_equal(unpack(words, matrix.shape[1]), matrix)
    assert [int(word) for word in words[:, 0]] == [sum(int(b) << j for j, b in enumerate(row)) for row in matrix]


def test_entry_65_is_bit_1_of_the_second_word():
    row = np.zeros((1, 130), np.uint8)
    row[0, 65] = 1
    assert pack(row).tolist() == [[0, 2, 0]]


@given(wide)
def test_rank_is_that_of_plain_elimination(size: tuple[int, int, int]):
    rows, columns, seed = size
    for most in (1, 5, 100):
        matrix = of_rank(rows, columns, most, seed)
        assert rank(matrix) == plain_rank(matrix) <= min(rows, columns, most)


@given(matrices, st.data())
def test_solutions_are_found_exactly_where_enumeration_finds_one(matrix: np.ndarray, data: st.DataObject):
    right = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(matrix), max_size=len(matrix))))
    columns = matrix.shape[1]
    exists = any(
        np.array_equal(matrix @ x % 2, right) for x in map(np.array, itertools.product((0, 1), repeat=columns))
    )
    found = solve(matrix, right)
    assert (found is not None) == exists
    if found is not None:
        assert np.array_equal(matrix @ found % 2, right)


@given(wide)
def test_a_system_made_from_a_solution_is_solved(size: tuple[int, int, int]):
    rows, columns, seed = size
    matrix = of_rank(rows, columns, 150, seed)
    right = matrix @ np.random.default_rng(seed + 1).integers(2, size=columns) % 2
    found = solve(matrix, right)
    assert found is not None
    assert np.array_equal(matrix @ found % 2, right)


@given(matrices)
def test_the_null_space_is_all_that_enumeration_finds(matrix: np.ndarray):
    basis = null_space(matrix)
    columns = matrix.shape[1]
    spanned = {tuple(np.array(c, np.uint8) @ basis % 2) for c in itertools.product((0, 1), repeat=len(basis))}
    zeros = {x for x in itertools.product((0, 1), repeat=columns) if not (matrix @ np.array(x) % 2).any()}
    assert spanned == zeros


@given(wide)
def test_rank_and_nullity_are_the_number_of_columns(size: tuple[int, int, int]):
    rows, columns, seed = size
    matrix = of_rank(rows, columns, 40, seed)
    basis = null_space(matrix)
    assert rank(matrix) + len(basis) == columns
    assert not (matrix @ basis.T % 2).any()
    assert len(basis) == 0 or rank(basis) == len(basis)


@given(wide)
def test_rank_does_not_change_under_transposition_and_sums_of_rows(size: tuple[int, int, int]):
    rows, columns, seed = size
    matrix = of_rank(rows, columns, 30, seed)
    mixed = of_rank(rows, rows, rows, seed + 1) @ matrix % 2
    assert rank(matrix) == rank(matrix.T.copy())
    assert rank(np.concatenate([matrix, mixed])) == rank(matrix)


@given(wide)
def test_the_reduced_form_is_reduced_spans_the_rows_and_reduces_to_itself(size: tuple[int, int, int]):
    rows, columns, seed = size
    words = pack(of_rank(rows, columns, 40, seed))
    reduced, pivots = row_reduce(words, columns)
    bits = unpack(reduced, columns)
    assert pivots == sorted(pivots)
    assert np.array_equal(bits[:, pivots], np.eye(len(pivots)))
    assert [int(row.argmax()) for row in bits] == pivots
    again, same = row_reduce(np.concatenate([words, reduced]), columns)
    assert np.array_equal(again, reduced)
    assert same == pivots


def test_entries_beyond_the_columns_follow_along():
    rng = np.random.default_rng(0)
    matrix = rng.integers(2, size=(40, 20))
    reduced, pivots = row_reduce(pack(np.concatenate([matrix, np.eye(40, dtype=int)], axis=1)), 20)
    steps = unpack(reduced, 60)[:, 20:]  # which rows each reduced row is the sum of
    assert np.array_equal(steps @ matrix % 2, unpack(reduced, 20))
    assert len(set(np.flatnonzero(steps.any(axis=0)))) == len(pivots)


def test_random_square_matrices_are_invertible_as_often_as_the_product_says():
    rng = np.random.default_rng(0)
    n, trials = 12, 2000
    invertible = sum(rank(rng.integers(2, size=(n, n))) == n for _ in range(trials))
    expected = math.prod(1 - 2.0**-j for j in range(1, n + 1))  # 0.289
    assert abs(invertible / trials - expected) < 4 * math.sqrt(expected * (1 - expected) / trials)


def test_a_thousand_unknowns_are_no_trouble():
    rng = np.random.default_rng(0)
    matrix, secret = rng.integers(2, size=(1020, 1000)), rng.integers(2, size=1000)
    found = solve(matrix, matrix @ secret % 2)
    assert found is not None
    assert np.array_equal(found, secret)


def test_no_rows_have_rank_zero_and_every_vector_as_null_space():
    assert rank(np.zeros((0, 5), int)) == 0
    assert np.array_equal(null_space(np.zeros((0, 5), int)), np.eye(5))
