"""Values on the command line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.cli.grammar import SettingError, parse_values, split
from assay.errors import PlanError


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("10", [10]),
        ("1e-3", [0.001]),
        ("-0.5", [-0.5]),
        ("all", ["all"]),
        ("none", [None]),
        ("true,false", [True, False]),
        ("10,100,1000", [10, 100, 1000]),
        (" 1 , 2 ", [1, 2]),
        ("10..13", [10, 11, 12, 13]),
        ("10..40..10", [10, 20, 30, 40]),
        ("10..39..10", [10, 20, 30]),
        ("0.1..0.3..0.1", [0.1, 0.2, 0.3]),
        ("1,2,10..30..10", [1, 2, 10, 20, 30]),
        ("logspace:1e-2:1:3", [0.01, 0.1, 1.0]),
        ("linspace:0:1:5", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("[0,3,5]", [[0, 3, 5]]),
        ("[0,3],[1,4]", [[0, 3], [1, 4]]),
        ("[]", [[]]),
        ("[train/loss,eval/error]", [["train/loss", "eval/error"]]),
        ('{"kind": "sign", "scale": 2},uniform', [{"kind": "sign", "scale": 2}, "uniform"]),
        ("eval/error", ["eval/error"]),
        ('"10"', ["10"]),
        ("", []),
    ],
)
def test_a_text_has_these_values(text: str, values: list[object]) -> None:
    found = parse_values("key", text)
    assert found == values
    assert [type(each) for each in found] == [type(each) for each in values]


def test_a_spaced_axis_of_whole_numbers_has_each_once() -> None:
    assert parse_values("width", "logspace:1:10:4", whole=True) == [1, 2, 5, 10]
    assert parse_values("width", "linspace:1:3:9", whole=True) == [1, 2, 3]


@given(low=st.integers(-1000, 1000), length=st.integers(0, 200), step=st.integers(1, 9))
def test_a_range_is_that_of_python_with_its_end(low: int, length: int, step: int) -> None:
    high = low + length
    assert parse_values("n", f"{low}..{high}..{step}") == list(range(low, high + 1, step))


@given(st.lists(st.integers() | st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_come_back_as_they_were_written(numbers: list[int | float]) -> None:
    assert parse_values("x", ",".join(map(repr, numbers))) == numbers


@given(st.lists(st.text("abc[]{},", max_size=6)))
def test_pieces_join_to_the_text_or_the_brackets_do_not_match(parts: list[str]) -> None:
    text = ",".join(parts)
    try:
        pieces = split("key", text)
    except SettingError:
        assert any(bracket in text for bracket in "[]{}")
    else:
        assert ",".join(pieces) == text
        assert all(piece.count("[") == piece.count("]") and piece.count("{") == piece.count("}") for piece in pieces)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10,,100", "has an empty value"),
        ("[1,2", "lacks a closing ']'"),
        ("1]", "closes nothing"),
        ("[1}", "closes nothing"),
        ('"a', "lacks a closing '\"'"),
        ("40..10", "must go up"),
        ("1..9..0", "positive steps"),
        ("1..2..3..4", "low..high..step"),
        ("a..b", "made of numbers, got 'a'"),
        ("1..inf", "made of numbers, got 'inf'"),
        ("0..1e9", "at most 1,000,000 values"),
        ("logspace:1:10", "logspace:low:high:number"),
        ("logspace:1:10:2.5", "a whole number of values"),
        ("{kind}", "valid JSON"),
    ],
)
def test_what_cannot_be_read_is_said_with_the_key_and_the_text(text: str, said: str) -> None:
    with pytest.raises(SettingError) as error:
        parse_values("width", text)
    assert str(error.value).startswith("width ")
    assert said in str(error.value)


def test_an_empty_spaced_axis_is_refused_by_the_axes() -> None:
    with pytest.raises(PlanError, match="at least one value"):
        parse_values("width", "logspace:1:10:0")
