"""The table of figure 4.2."""

from __future__ import annotations

import pytest

from assay.errors import ConfigError
from assay.theory.parity import majority_coefficient, majority_table, scaled_size


def test_enumerated_rows_agree_with_the_closed_form():
    rows = majority_table([3, 9, 13])
    assert [(row["n"], row["degree"]) for row in rows] == [(n, d) for n in (3, 9, 13) for d in range(1, n + 1)]
    assert all(row["abs_error"] <= 1e-12 for row in rows)
    assert all(row["enumerated"] == pytest.approx(row["closed_form"], abs=1e-12) for row in rows)
    assert all(row["closed_form"] == 0 and row["scaled_size"] == 0 for row in rows if row["degree"] % 2 == 0)


def test_rows_beyond_enumeration_carry_the_closed_form_alone():
    rows = majority_table([5, 1001], max_enumeration=5, max_degree=23)
    assert [row["degree"] for row in rows] == [*range(1, 6), *range(1, 24)]
    beyond = [row for row in rows if row["n"] == 1001]
    assert all(row["enumerated"] is None and row["abs_error"] is None for row in beyond)
    row = beyond[20]
    assert row["closed_form"] == float(majority_coefficient(1001, 21))
    assert row["scaled_size"] == scaled_size(1001, 21)
    assert row["scaled_size_printed"] == pytest.approx(row["scaled_size"] * 21 ** (2 / 3 - 3 / 2), rel=1e-12)


def test_the_range_of_lemma_1_is_n_at_least_2_d_squared():
    rows = majority_table([51], max_enumeration=1)
    assert [row["degree"] for row in rows if row["in_range"]] == [1, 2, 3, 4, 5]


def test_an_enumeration_that_cannot_be_held_is_refused():
    with pytest.raises(ConfigError, match="max_enumeration must be at most 24"):
        majority_table([3], max_enumeration=25)
