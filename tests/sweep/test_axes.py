"""Axes obey the laws of sums and products, and say what is wrong with them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import PlanError
from assay.nets import MLP
from assay.sweep import Axis, axis, linspaced, logspaced, product, seeds, union, zipped


def axes(path: str) -> st.SearchStrategy[Axis]:
    return st.lists(st.integers(0, 99), min_size=1, max_size=4).map(lambda values: axis(path, *values))


A, B, C = axes("task.n"), axes("net.width"), axes("seed")


@given(A, B)
def test_a_product_has_every_pair_the_last_axis_fastest(a: Axis, b: Axis) -> None:
    assert list(product(a, b)) == [x | y for x in a for y in b]
    assert len(product(a, b)) == len(a) * len(b)


@given(A, B, C)
def test_products_and_unions_associate(a: Axis, b: Axis, c: Axis) -> None:
    assert list(product(a, product(b, c))) == list(product(product(a, b), c)) == list(product(a, b, c))
    assert list(union(a, union(b, c))) == list(union(union(a, b), c)) == list(union(a, b, c))


@given(A, A, B)
def test_products_distribute_over_unions(a: Axis, other: Axis, b: Axis) -> None:
    assert list(product(union(a, other), b)) == list(union(product(a, b), product(other, b)))


@given(A, B)
def test_zipped_is_the_diagonal_of_the_product(a: Axis, b: Axis) -> None:
    if len(a) == len(b):
        assert list(zipped(a, b)) == list(product(a, b))[:: len(b) + 1]
    else:
        with pytest.raises(PlanError, match=rf"equally many points, got task\.n {len(a)}, net\.width {len(b)}"):
            zipped(a, b)


@given(A, B, C)
def test_lengths_count_the_points_and_paths_name_them(a: Axis, b: Axis, c: Axis) -> None:
    beside = zipped(a, axis("batch", *range(len(a))))
    for each in (a, product(a, b), union(product(a, b), c), product(union(a, b), c), beside):
        points = list(each)
        assert len(each) == len(points)
        assert each.paths == {path for point in points for path in point}


@given(A)
def test_the_empty_product_is_the_unit(a: Axis) -> None:
    assert list(product()) == [{}]
    assert list(product(a, product())) == list(product(product(), a)) == list(a)


def test_axes_are_values() -> None:
    made = [product(axis("task.n", 1, 2), seeds(3)) for _ in range(2)]
    assert made[0] == made[1]
    assert hash(made[0]) == hash(made[1])


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: axis("net.width"), "'net.width'"),
        (lambda: seeds(0), "'seed'"),
        (lambda: logspaced("net.width", 1, 10, 0), "'net.width'"),
        (lambda: linspaced("batch", 1, 10, 0), "'batch'"),
        (lambda: union(), "at least one axis"),
        (lambda: zipped(), "no axis"),
        (lambda: logspaced("batch", 0, 10, 3), "'batch'.*> 0"),
        (lambda: linspaced("batch", 10, 1, 3), "'batch'.*10 to 1"),
        (lambda: linspaced("batch", 1, math.inf, 3), "'batch'.*1 to inf"),
        (lambda: product(seeds(2), seeds(3)), "'seed' must be set by one axis"),
        (lambda: zipped(axis("task.n", 1), axis("task.n", 2)), "'task.n' must be set by one axis"),
    ],
)
def test_what_is_wrong_with_an_axis_is_named(make: object, named: str) -> None:
    with pytest.raises(PlanError, match=named):
        make()  # type: ignore[operator]


def test_spaced_axes_include_both_ends_in_clean_numbers() -> None:
    assert list(logspaced("x", 0.001, 10, 5)) == [{"x": 0.001}, {"x": 0.01}, {"x": 0.1}, {"x": 1.0}, {"x": 10.0}]
    assert list(linspaced("x", 0, 0.3, 4)) == [{"x": 0.0}, {"x": 0.1}, {"x": 0.2}, {"x": 0.3}]
    assert list(linspaced("x", 2, 2, 1)) == [{"x": 2.0}]


def test_whole_numbers_come_once_each() -> None:
    values = [point["x"] for point in logspaced("x", 1, 100, 20, whole=True)]
    assert values == sorted(set(values))
    assert (values[0], values[-1]) == (1, 100)
    assert all(isinstance(value, int) for value in values)


def test_configs_as_values_are_their_json_form() -> None:
    assert list(axis("net", MLP(width=3))) == [{"net": MLP(width=3).to_json()}]
    assert list(axis("record.steps", (1, 2))) == [{"record.steps": [1, 2]}]
    assert list(seeds(2, first=5)) == [{"seed": 5}, {"seed": 6}]
