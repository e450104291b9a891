"""frontier: a search from the command line, what it prints, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

QUESTION = (
    "parity",
    "n=8",
    "k=1",
    "lr=0.5",
    "solve.sample=64",
    "solve.every=10",
    "budget=60",
    "m=32..512",
    "width=4,8",
)


def test_a_frontier_has_a_row_for_each_width_and_is_taken_up_where_it_stopped(command: Callable, tmp_path: Path):
    words = (*QUESTION, "--over", "m,width", "--runs", "12", "--out", "f", "--json", "--quiet", "--threads", "1")
    first = command("frontier", *words)
    assert first.code == 0
    told = json.loads(first.out)
    assert told["searched"] == "data.samples"
    assert [row["width"] for row in told["rows"]] == [4, 8]
    for row in told["rows"]:
        assert 32 <= row["low"] <= row["samples"] <= row["high"] <= 512
        assert row["runs"] <= 12
    assert sum(row["runs"] for row in told["rows"]) == told["runs"]
    assert pl.read_csv(tmp_path / "f" / "figures" / "frontier.csv").height == 2
    assert json.loads(command("frontier", *words).out)["rows"] == told["rows"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--over", "m"), "--over must be two settings with a comma between"),
        (("--over", "depths,width"), "did you mean 'depth'"),
        (("m=500..100",), "samples must be low..high with 0 < low < high"),
        (("--runs", "0"), "most"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(command: Callable, words: tuple[str, ...], said: str):
    ended = command("frontier", "parity", "n=8", "k=1", *words)
    assert ended.code == 2
    assert said in ended.err
