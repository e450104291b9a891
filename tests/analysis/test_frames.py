"""Tables below each other as one."""

from __future__ import annotations

import polars as pl

from assay.analysis import frames


def test_parts_are_named_and_what_a_table_does_not_have_is_null():
    table = frames.parts(a=pl.DataFrame({"x": [1, 2], "y": [0.5, 1.5]}), b=pl.DataFrame({"x": [3.0], "z": ["w"]}))
    assert table["part"].to_list() == ["a", "a", "b"]
    assert table["x"].to_list() == [1.0, 2.0, 3.0]
    assert table["y"].to_list() == [0.5, 1.5, None]
    assert table["z"].to_list() == [None, None, "w"]
