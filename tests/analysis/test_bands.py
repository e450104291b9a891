from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.analysis import bands
from assay.errors import ConfigError, UnknownName


def long(curves: Mapping[str, Mapping[int, float | None]], **columns: object) -> pl.DataFrame:
    rows = [{"trial": t, "step": s, "loss": v} for t, curve in curves.items() for s, v in curve.items()]
    return pl.DataFrame(rows, schema={"trial": pl.String, "step": pl.Int64, "loss": pl.Float64}).with_columns(
        pl.lit(value).alias(name) for name, value in columns.items()
    )


def test_a_trial_that_ended_early_keeps_its_last_value():
    curves = long({"a": {0: 1.0, 10: 0.0}, "b": {0: 1.0, 10: 0.8, 20: 0.6}, "c": {0: 1.0, 10: 0.9, 20: 0.7}})
    band = bands.quantile_band(curves, "loss", [], quantiles=(0.5,))
    assert band.to_dict(as_series=False) == {
        "step": [0, 10, 20],
        "n": [3, 3, 3],
        "at_risk": [3, 3, 2],
        "q50": [1.0, 0.8, 0.6],
    }


def test_a_null_means_not_measured_here():
    curves = long({"a": {0: 1.0, 5: None, 10: 0.0}, "b": {0: 3.0, 5: 2.0, 10: 2.0}})
    band = bands.quantile_band(curves, "loss", [], quantiles=(0.5,))
    assert band["q50"].to_list() == [2.0, 1.5, 1.0]


def test_a_trial_counts_from_its_first_measurement_on():
    band = bands.quantile_band(long({"a": {0: 1.0, 10: 1.0}, "b": {10: 3.0}}), "loss", [], quantiles=(0.5,))
    assert band["n"].to_list() == [1, 2]
    assert band["q50"].to_list() == [1.0, 2.0]


def test_a_diverged_loss_is_infinitely_bad():
    curves = long(
        {"a": {0: 1.0, 1: math.nan}, "b": {0: 1.0, 1: math.inf}, "c": {0: 1.0, 1: 0.5}, "d": {0: 1.0, 1: 0.3}}
    )
    band = bands.quantile_band(curves, "loss", [], quantiles=(0.25, 0.9))
    assert band["q25"].to_list() == [1.0, pytest.approx(0.45)]
    assert band["q90"].to_list() == [1.0, None]


@settings(max_examples=40)
@given(st.dictionaries(st.integers(0, 5).map(str), st.dictionaries(st.integers(0, 8), st.floats(0, 1)), min_size=1))
def test_bands_agree_with_a_loop_over_steps_and_trials(curves: dict[str, dict[int, float]]):
    if not any(curves.values()):
        return
    band = bands.quantile_band(long(curves), "loss", [])
    for row in band.iter_rows(named=True):
        seen = [c for c in curves.values() if c and min(c) <= row["step"]]
        values = [c[max(s for s in c if s <= row["step"])] for c in seen]
        assert row["n"] == len(values)
        assert row["at_risk"] == sum(bool(c) and max(c) >= row["step"] for c in curves.values())
        assert [row["q10"], row["q50"], row["q90"]] == pytest.approx(np.quantile(values, (0.1, 0.5, 0.9)).tolist())


def test_groups_have_their_own_steps():
    curves = pl.concat([long({"a": {0: 1.0, 7: 2.0}}, k=3), long({"b": {0: 5.0}}, k=2)])
    band = bands.quantile_band(curves, "loss", ["k"])
    assert band.select("k", "step", "q50").rows() == [(2, 0, 5.0), (3, 0, 1.0), (3, 7, 2.0)]


def test_examples_stand_above_the_band():
    curves = pl.concat([long({"b": {0: 1.0, 5: 3.0}, "a": {0: 2.0}}, k=3), long({"c": {0: 9.0}}, k=2)])
    table = bands.examples_and_band(curves, ["loss"], ["k"], quantiles=(0.25, 0.5, 0.75), examples=1)
    assert table.columns == ["k", "measure", "trial", "step", "value", "low", "high"]
    assert table.filter(pl.col("k") == 3).drop("k", "measure").rows() == [
        ("a", 0, 2.0, None, None),
        (None, 0, 1.5, 1.25, 1.75),
        (None, 5, 2.5, 2.25, 2.75),
    ]


def test_bad_frames_are_refused():
    curves = long({"a": {0: 1.0}})
    with pytest.raises(UnknownName, match="unknown column of the curves frame 'los': did you mean 'loss'"):
        bands.quantile_band(curves, "los", [])
    with pytest.raises(ConfigError, match="one row a trial and step"):
        bands.quantile_band(pl.concat([curves, curves]), "loss", [])
    with pytest.raises(ConfigError, match="at least one measured 'loss'"):
        bands.quantile_band(curves.clear(), "loss", [])
