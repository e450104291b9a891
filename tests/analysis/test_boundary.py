"""The boundary of success, and tests of growth along x."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assay.analysis.boundary import crossings
from assay.analysis.trend import departure, trend
from assay.errors import ConfigError, UnknownName


def cells(counts: dict[int, int], n: int = 20, **more: object) -> pl.DataFrame:
    rows = [{"m": m, "n": n, "solved": solved, **more} for m, solved in counts.items()]
    return pl.DataFrame(rows)


def test_the_crossing_is_interpolated_in_log_x():
    row = crossings(cells({100: 0, 400: 20}), "m", []).row(0, named=True)
    assert row["crossing"] == pytest.approx(200)
    assert (row["crossing_low"], row["crossing_high"]) == pytest.approx((100, 400))


def test_a_crossing_off_the_grid_is_null():
    none, all_ = ({100: 0, 200: 1}, {100: 19, 200: 20})
    table = pl.concat([cells(none, r=1), cells(all_, r=2)])
    assert crossings(table, "m", ["r"])["crossing"].to_list() == [None, None]


def test_the_interval_covers_the_true_boundary_of_a_logistic_law():
    rng, grid, covered = np.random.default_rng(1), np.geomspace(50, 800, 9), 0
    share = 1 / (1 + np.exp(-4 * np.log(grid / 210)))
    for _ in range(60):
        solved = rng.binomial(30, share)
        table = pl.DataFrame({"m": grid, "n": [30] * 9, "solved": solved})
        row = crossings(table, "m", [], draws=200).row(0, named=True)
        covered += row["crossing_low"] <= 210 <= row["crossing_high"]
    assert covered >= 54  # 95 % or more; 57 expected, binomial deviation 1.7


def test_a_level_out_of_range_and_a_missing_column_are_refused():
    with pytest.raises(ConfigError, match="level"):
        crossings(cells({1: 1}), "m", [], level=1.0)
    with pytest.raises(UnknownName, match="width"):
        crossings(cells({1: 1}), "m", ["width"])


def test_the_trend_of_one_stratum_of_two_cells_is_the_two_sample_test():
    table = cells({10: 5, 100: 14})
    found = trend(table, "m")
    pooled = 19 / 40
    by_hand = (14 - 5) / 20 / math.sqrt(pooled * (1 - pooled) * 2 / 20 * 40 / 39)
    assert found.z == pytest.approx(by_hand)
    assert found.p == pytest.approx(stats.norm.sf(by_hand))


def test_strata_that_lie_apart_do_not_make_a_trend():
    flat = pl.concat([cells({10: 2, 20: 2}, s=0), cells({30: 18, 40: 18}, s=1)])
    assert trend(flat, "m", ["s"]).z == pytest.approx(0, abs=1e-9)
    assert trend(flat, "m").z > 3
    assert trend(cells({10: 20, 100: 20}), "m") == trend(cells({10: 0, 100: 0}), "m")


def test_a_fall_between_two_rises_is_a_departure_and_noise_is_none():
    found = departure(cells({1: 0, 2: 18, 3: 1, 4: 20}), "m")
    assert found.drop == pytest.approx(0.85)
    assert found.p < 0.01
    assert departure(cells({1: 0, 2: 10, 3: 9, 4: 20}), "m").p > 0.2
    assert departure(cells({1: 0, 2: 10, 3: 20}), "m").ratio == pytest.approx(0, abs=1e-9)


def test_the_p_value_of_a_departure_is_seldom_small_where_nothing_falls():
    rng = np.random.default_rng(2)
    counts = rng.binomial(20, [0.05, 0.3, 0.3, 0.9], size=(60, 4))
    small = [departure(cells(dict(enumerate(row.tolist(), 1))), "m", draws=99).p <= 0.05 for row in counts]
    assert sum(small) <= 8
