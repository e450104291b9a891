"""Real irreps and Fourier analysis: homomorphism, orthogonality, types, and oracles from elsewhere."""

from __future__ import annotations

import math
import shutil
import subprocess

import numpy as np
import pytest

from assay.maths.groups import coefficients, irreps, named, power, synthesis
from assay.maths.groups.characters import symmetric_characters
from assay.maths.groups.irreps import partitions, tableaux

GROUPS = [
    "Z1",
    "Z2",
    "Z7",
    "Z8",
    "Z15",
    "S3",
    "S4",
    "S5",
    "A4",
    "A5",
    "Q8",
    "Q12",
    "D5",
    "Z7:Z3",
    "B3",
    "Z2^3",
    "G16.3",
]
TYPES = {"real": 1, "complex": 2, "quaternionic": 4}
each_group = pytest.mark.parametrize("name", GROUPS)


@each_group
def test_irreps_are_orthogonal_homomorphisms(name: str):
    group = named(name)
    for r in irreps(group):
        product = np.einsum("aij,bjk->abik", r.matrices, r.matrices)
        np.testing.assert_allclose(r.matrices[group.table], product, atol=1e-12)
        np.testing.assert_allclose(r.matrices[0], np.eye(r.dimension), atol=1e-12)
        np.testing.assert_allclose(r.matrices[group.inverse], r.matrices.transpose(0, 2, 1), atol=1e-12)


@each_group
def test_characters_are_orthogonal_and_complete(name: str):
    """Over the reals the norm of a character is 1, 2 or 4 by type, and D^2 / norm adds up to the order."""
    group = named(name)
    table = np.stack([r.character for r in irreps(group)])
    norms = [TYPES[r.type] for r in irreps(group)]
    np.testing.assert_allclose(table @ table.T / group.order, np.diag(norms), atol=1e-10)
    assert sum(r.dimension**2 / TYPES[r.type] for r in irreps(group)) == group.order
    real_classes = {frozenset({group.class_of[x], group.class_of[group.inverse[x]]}) for x in range(group.order)}
    assert len(table) == len(real_classes)
    assert (table[0] == 1).all() or np.abs(table[0] - 1).max() < 1e-12
    for members in group.classes:
        assert np.ptp(table[:, members], axis=1).max() < 1e-10


@each_group
def test_the_frobenius_schur_indicator_tells_the_type(name: str):
    """The mean of chi(g^2) over a real irrep is 1, 0 or -2 by type."""
    group = named(name)
    squares = group.table[np.arange(group.order), np.arange(group.order)]
    expected = {"real": 1, "complex": 0, "quaternionic": -2}
    for r in irreps(group):
        assert abs(r.character[squares].mean() - expected[r.type]) < 1e-10


def test_types_that_are_known():
    assert [r.type for r in irreps(named("Q8"))] == ["real"] * 4 + ["quaternionic"]
    assert [(r.dimension, r.degree, r.type) for r in irreps(named("Z7:Z3"))] == [
        (1, 1, "real"), (2, 1, "complex"), (6, 3, "complex"),
    ]  # fmt: skip
    assert {r.type for r in irreps(named("A5"))} == {"real"}


@pytest.mark.parametrize("n", [3, 4, 5])
def test_matrix_elements_are_orthogonal_with_class_sums_of_schur(n: int):
    """Lemma D.10 of Morwani et al. 2023."""
    group = named(f"S{n}")
    elements = np.concatenate([r.matrices.reshape(group.order, -1).T for r in irreps(group)])
    norms = np.concatenate([np.full(r.dimension**2, group.order / r.dimension) for r in irreps(group)])
    np.testing.assert_allclose(elements @ elements.T, np.diag(norms), atol=1e-12)
    for r in irreps(group):
        for members in group.classes:
            total = r.matrices[members].sum(axis=0)
            schur = len(members) * r.character[members[0]] / r.dimension * np.eye(r.dimension)
            np.testing.assert_allclose(total, schur, atol=1e-12)


def test_dimensions_of_the_symmetric_group_count_standard_tableaux():
    """By the hook length formula, an independent count."""
    for shape in partitions(6):
        conjugate = [sum(part > j for part in shape) for j in range(shape[0])]
        hooks = math.prod(shape[i] - j + conjugate[j] - i - 1 for i in range(len(shape)) for j in range(shape[i]))
        assert len(tableaux(shape)) == math.factorial(6) // hooks


def test_the_sign_is_the_last_irrep_of_the_symmetric_group():
    import itertools

    determinants = [round(np.linalg.det(np.eye(4)[list(p)])) for p in itertools.permutations(range(4))]
    np.testing.assert_allclose(irreps(named("S4"))[-1].character, determinants)
    fixed = [sum(p[i] == i for i in range(4)) for p in itertools.permutations(range(4))]
    np.testing.assert_allclose(irreps(named("S4"))[1].character, np.array(fixed) - 1, atol=1e-12)


# -- Fourier analysis ------------------------------------------------------------------------------------------------


@each_group
def test_a_function_is_the_sum_of_its_parts_and_powers_add_up(name: str):
    group = named(name)
    u = np.random.default_rng(0).normal(size=(3, group.order))
    parts = [synthesis(coefficients(u, r), r) for r in irreps(group)]
    np.testing.assert_allclose(sum(parts), u, atol=1e-12)
    np.testing.assert_allclose(power(u, irreps(group)), np.stack([(p**2).sum(1) for p in parts], axis=1), atol=1e-10)
    np.testing.assert_allclose(power(u, irreps(group)).sum(axis=1), (u**2).sum(axis=1))


def test_on_a_cyclic_group_it_is_the_discrete_fourier_transform():
    p = 13
    u = np.random.default_rng(1).normal(size=p)
    spectrum = np.abs(np.fft.fft(u)) ** 2 / p
    folded = [spectrum[0], *(2 * spectrum[1 : (p + 1) // 2])]
    np.testing.assert_allclose(power(u, irreps(named(f"Z{p}"))), folded, atol=1e-12)


def test_the_power_of_a_matrix_element_is_in_its_irrep():
    group = named("Q8")
    for i, r in enumerate(irreps(group)):
        found = power(r.matrices[:, 0, 0], irreps(group))
        assert found[i] == pytest.approx((r.matrices[:, 0, 0] ** 2).sum())
        assert np.delete(found, i).max() < 1e-20


# -- oracles ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["S4", "A5", "D5", "S5"])
def test_orders_and_classes_agree_with_sympy(name: str):
    from sympy.combinatorics.named_groups import AlternatingGroup, DihedralGroup, SymmetricGroup

    family = {"S": SymmetricGroup, "A": AlternatingGroup, "D": DihedralGroup}[name[0]]
    theirs = family(int(name[1:]))
    group = named(name)
    assert group.order == theirs.order()
    assert sorted(group.class_sizes.tolist()) == sorted(len(c) for c in theirs.conjugacy_classes())
    orders = sorted(g.order() for g in theirs.generate())  # type: ignore[union-attr]
    assert sorted(group.element_orders.tolist()) == orders


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gap") is None, reason="GAP is not installed")
def test_degrees_and_indicators_of_all_groups_agree_with_gap():
    """Complex irreps of GAP, gathered into real ones: degree, Frobenius-Schur indicator, and how many."""
    program = (
        "for n in [2..63] do for k in [1..NumberSmallGroups(n)] do t := CharacterTable(SmallGroup(n,k));; "
        'Print(n, ".", k, " ", SortedList(List([1..Length(Irr(t))], i -> [Irr(t)[i][1], Indicator(t,2)[i]])), "\\n"); '
        "od; od; QUIT;"
    )
    text = subprocess.run(
        ["gap", "-q"], input=f"SizeScreen([4096,100]);;{program}", text=True, capture_output=True, check=True
    )
    rows = [line.split(" ", 1) for line in text.stdout.splitlines() if line[:1].isdigit()]
    assert len(rows) == 318
    import json

    for place, pairs in rows:
        expected = sorted(tuple(pair) for pair in json.loads(pairs))
        found = []
        for r in irreps(named(f"G{place}")):
            indicator = {"real": 1, "complex": 0, "quaternionic": -1}[r.type]
            found += [(r.degree, indicator)] * (2 if r.type == "complex" else 1)
        assert sorted(found) == expected, place


def test_characters_of_symmetric_groups_are_orthogonal_and_those_of_their_matrices():
    for n in range(2, 9):
        shapes, sizes, table = symmetric_characters(n)
        assert sizes.sum() == math.factorial(n)
        np.testing.assert_array_equal(table * sizes @ table.T, math.factorial(n) * np.eye(len(shapes)))
        np.testing.assert_array_equal(table[:, -1], [len(tableaux(shape)) for shape in shapes])
    group, (_, sizes, table) = named("S5"), symmetric_characters(5)
    found = np.array([r.character[[c[0] for c in group.classes]] for r in irreps(group)])
    columns = {(size, *np.round(column)) for size, column in zip(group.class_sizes, found.T, strict=True)}
    assert columns == {(size, *column) for size, column in zip(sizes, table.T, strict=True)}
