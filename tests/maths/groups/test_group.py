"""Finite groups: axioms, names, and all groups of order up to 63."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import ConfigError, UnknownName
from assay.maths.groups import NUMBER_OF_GROUPS, Group, generated, groups_of_order, named
from assay.maths.groups.small import structure

ORDERS = {
    "Z1": 1, "Z7": 7, "D2": 4, "D5": 10, "S1": 1, "S3": 6, "S4": 24, "S5": 120, "A3": 3, "A4": 12, "A5": 60, "Q8": 8,
    "Q12": 12, "B2": 8, "B3": 48, "Z2^3": 8, "Z2xS3": 12, "Z7:Z3": 21, "G16.3": 16, "Z2^2xZ3": 12, "C_5": 5,
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
def test_a_named_group_has_its_order_and_obeys_the_axioms(name: str):
    group = named(name)
    n, table = group.order, group.table
    assert n == ORDERS[name]
    a, b, c = np.random.default_rng(0).integers(n, size=(3, 500))
    np.testing.assert_array_equal(table[table[a, b], c], table[a, table[b, c]])
    np.testing.assert_array_equal(table[np.arange(n), group.inverse], 0)
    np.testing.assert_array_equal(table[group.inverse, np.arange(n)], 0)
    np.testing.assert_array_equal(table[a, group.quotients[a, b]], b)


@pytest.mark.parametrize("name", ["S4", "A5", "Q8", "Z7:Z3", "B3"])
def test_classes_are_orbits_of_conjugation(name: str):
    group = named(name)
    assert group.classes[0].tolist() == [0]
    assert group.class_sizes.sum() == group.order
    for members in group.classes:
        x = int(members[0])
        orbit = {int(group.table[group.table[g, x], group.inverse[g]]) for g in range(group.order)}
        assert orbit == set(members.tolist())
        assert len({int(group.element_orders[y]) for y in members}) == 1


def test_classes_of_the_symmetric_group_are_cycle_types():
    sizes = sorted(named("S5").class_sizes.tolist())
    assert sizes == [1, 10, 15, 20, 20, 24, 30]


def test_permutations_are_multiplied_from_the_right():
    swap, turn = [1, 0, 2], [1, 2, 0]
    group = generated("S3", [swap, turn])
    elements = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    product = [swap[turn[x]] for x in range(3)]
    assert group.table[elements.index(swap), elements.index(turn)] == elements.index(product)


@given(st.integers(2, 12), st.randoms(use_true_random=False))
def test_a_table_that_is_no_group_is_refused(n: int, random: object):
    table = np.array(named(f"Z{n}").table)
    if n == 2:
        wrong = np.zeros((2, 2), int)
    else:
        wrong = table.copy()
        wrong[-1, -1] = wrong[-1, -2]
    with pytest.raises(ConfigError, match="table of group"):
        Group("wrong", wrong)


def test_a_latin_square_that_is_not_associative_is_refused():
    loop = [[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]]
    with pytest.raises(ConfigError, match="not associative"):
        Group("loop", np.array(loop))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("T4", "did you mean 'S4'"),
        ("S", "unknown group"),
        ("S9", "1 to 7 after S"),
        ("Q9", "a multiple of 4"),
        ("G16.15", "G16.1 to G16.14"),
        ("G64.1", "an order of 1 to 63"),
        ("Z7:Z4", "the order of a unit modulo 7"),
        ("Z2^x", "unknown group"),
        ("", "unknown group"),
    ],
)
def test_wrong_names_are_refused_with_what_is_allowed(name: str, words: str):
    with pytest.raises((ConfigError, UnknownName), match=words.replace("(", r"\(")):
        named(name)


# -- all groups of order up to 63 ------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", range(1, 64))
def test_there_are_as_many_groups_of_an_order_as_there_should_be(order: int):
    """Making each of them checks its axioms."""
    groups = groups_of_order(order)
    assert len(groups) == NUMBER_OF_GROUPS[order - 1]
    assert all(group.order == order for group in groups)
    orders = {group.is_abelian for group in groups}
    assert True in orders


def fingerprint(group: Group) -> tuple[bytes, ...]:
    """What isomorphic groups share: pairs (x, y) coloured by orders, sizes of classes and whether they commute, then
    refined by the colours of (x, z), (z, y) for all z and of (x, xy) until nothing changes (Weisfeiler, Leman)."""
    n, table, orders = group.order, group.table, group.element_orders
    sizes = group.class_sizes[group.class_of]
    wide = np.zeros((n, n), int)
    first = [
        orders[:, None] + wide,
        orders + wide,
        orders[table],
        table == table.T,
        sizes[:, None] + wide,
        sizes + wide,
    ]
    rows, colour = coloured(np.stack(first, axis=-1))
    history = [rows.tobytes()]
    while True:
        before = len(rows)
        paths = np.sort(colour[:, None, :] * before + colour.T[None], axis=2)
        along = colour[np.arange(n)[:, None], table]
        rows, colour = coloured(np.concatenate([colour[..., None], along[..., None], paths], axis=-1))
        history.append(rows.tobytes())
        if len(rows) == before:
            return (*history, np.bincount(colour.ravel()).tobytes())


def coloured(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = len(features)
    rows, colour = np.unique(features.reshape(n * n, -1), axis=0, return_inverse=True)
    return rows, colour.reshape(n, n)


def test_the_groups_of_order_16_are_pairwise_not_isomorphic():
    assert len({fingerprint(group) for group in groups_of_order(16)}) == 14


SAME = [("S3", "G6.1"), ("Q8", "G8.4"), ("A5", "G60.5"), ("Z7:Z3", "G21.1"), ("B3", "G48.48")]


@pytest.mark.slow
def test_no_two_groups_of_an_order_are_isomorphic():
    """Where orders of elements and sizes of classes do not tell them apart already, the fingerprints do."""
    for order in range(1, 64):
        alike: dict[tuple[tuple[int, int], ...], list[Group]] = {}
        for group in groups_of_order(order):
            sizes = group.class_sizes[group.class_of]
            alike.setdefault(tuple(sorted(zip(group.element_orders.tolist(), sizes.tolist(), strict=True))), []).append(
                group
            )
        for groups in alike.values():
            if len(groups) > 1:
                assert len({fingerprint(group) for group in groups}) == len(groups), order


@pytest.mark.parametrize(("one", "other"), SAME)
def test_groups_are_found_among_those_of_their_order(one: str, other: str):
    assert fingerprint(named(one)) == fingerprint(named(other))


def test_a_renumbered_group_has_the_same_fingerprint():
    group = named("G16.8")
    shuffled = np.concatenate([[0], 1 + np.random.default_rng(1).permutation(15)])
    table = np.zeros((16, 16), int)
    table[np.ix_(shuffled, shuffled)] = shuffled[group.table]
    assert fingerprint(Group("again", table)) == fingerprint(group)


def test_structures_are_described():
    assert structure(21, 1) == "Z7:Z3"
    assert structure(60, 5) == "A5"
    assert math.prod((2, 4)) == named("G8.2").order
