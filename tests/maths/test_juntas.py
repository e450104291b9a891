"""Tables and their bias by closed forms; the subsets that fit a sample by asking every one of them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ConfigError
from assay.maths import juntas

PARITY3 = [0, 1, 1, 0, 1, 0, 0, 1]


def by_asking_all(x: np.ndarray, y: np.ndarray, table: np.ndarray) -> list[tuple[int, ...]]:
    k = int(math.log2(len(table)))
    found = []
    for subset in itertools.combinations(range(x.shape[1]), k):
        values = table[x[:, subset].astype(int) @ (1 << np.arange(k))]
        if (values == y).all():
            found.append(subset)
    return found


@given(st.data())
def test_fitting_subsets_are_those_that_explain_every_label(data: st.DataObject):
    k = data.draw(st.integers(1, 3))
    n, m = data.draw(st.integers(k, 9)), data.draw(st.integers(1, 70))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    table = rng.integers(0, 2, 2**k, dtype=np.uint8)
    x = (rng.random((m, n)) < rng.uniform(0.2, 0.8)).astype(np.uint8)
    y = table[x[:, sorted(rng.choice(n, k, replace=False))] @ (1 << np.arange(k))]
    if data.draw(st.booleans()):
        y[0] ^= 1  # then perhaps nothing fits
    assert [tuple(row) for row in juntas.fitting_subsets(x, y, table).tolist()] == sorted(by_asking_all(x, y, table))


def test_a_long_conjunction_is_found_at_once():
    rng = np.random.default_rng(0)
    x = (rng.random((60, 1100)) < 2 ** (-1 / 3)).astype(np.uint8)
    y = x[:, [5, 700, 1001]].min(axis=1)
    assert juntas.fitting_subsets(x, y, juntas.named_table("and", 3)).tolist() == [[5, 700, 1001]]


def test_a_subset_fits_some_table_where_equal_bits_have_equal_labels():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, (90, 6), dtype=np.uint8)
    y = x[:, 1] ^ (x[:, 4] & x[:, 2])
    subsets = np.array(list(itertools.combinations(range(6), 3)))
    fits = juntas.fits_every_table(x, y, subsets)
    for subset, fit in zip(subsets, fits, strict=True):
        rows = {}
        for row, label in zip(x[:, subset], y, strict=True):
            rows.setdefault(tuple(row), set()).add(int(label))
        assert fit == all(len(labels) == 1 for labels in rows.values())
    assert fits.sum() == 1


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
def test_the_balanced_bias_of_and_or_xor(k: int):
    half = 0.5 ** (1 / k)
    assert juntas.balanced_bias(juntas.named_table("and", k)) == pytest.approx(half, abs=1e-12)
    assert juntas.balanced_bias(juntas.named_table("or", k)) == pytest.approx(1 - half, abs=1e-12)
    assert juntas.balanced_bias(juntas.named_table("xor", k)) == 0.5


@given(st.integers(0, 2**8 - 1))
def test_the_bias_balances_the_labels_where_any_does(number: int):
    table = np.array([number >> u & 1 for u in range(8)], np.uint8)
    p = juntas.balanced_bias(table)
    if p != 0.5:
        assert juntas.frequency(table, p) == pytest.approx(0.5, abs=1e-9)
    elif abs(juntas.frequency(table, 0.5) - 0.5) > 1e-12:
        grid = np.array([juntas.frequency(table, q) for q in np.linspace(0, 1, 201)])
        assert (grid < 0.5).all() or (grid > 0.5).all()


def test_tables():
    assert juntas.named_table("xor", 3).tolist() == PARITY3
    assert juntas.symmetric_table(np.array([0, 1, 0, 1], np.uint8), 3).tolist() == PARITY3
    assert juntas.named_table("majority", 3).tolist() == [0, 0, 0, 1, 0, 1, 1, 1]
    assert juntas.is_symmetric(juntas.named_table("majority", 5))
    assert not juntas.is_symmetric(np.array([0, 1, 0, 1], np.uint8))
    with pytest.raises(ConfigError, match="2\\^k entries"):
        juntas.balanced_bias(np.array([0, 1, 1], np.uint8))


@pytest.mark.parametrize(("n", "bits"), [(100, 17.30), (300, 22.09), (800, 26.34), (1100, 27.72)])
def test_examples_that_any_learner_needs(n: int, bits: float):
    assert juntas.log2_hypotheses(n, 3) == pytest.approx(bits, abs=0.005)
