"""Elbows: exact laws with and without one, and windows that run out of finite points."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from assay.analysis import elbows
from assay.errors import ConfigError


def runs(law, places=(10, 20, 30, 60, 80, 100), count: int = 41, spread: float = 0.0, budget: float = math.inf):
    rng = np.random.default_rng(0)
    rows = []
    for n in places:
        for time in law(n) * np.exp(spread * rng.normal(size=count)):
            solved = time <= budget
            rows.append((n, "solved" if solved else "censored", round(1e6 * min(time, budget))))
    return pl.DataFrame(rows, schema=["n", "outcome", "step"], orient="row")


def bent(n: float) -> float:
    """Exponent 1 up to 40, 3 from there on."""
    return n if n <= 40 else 40 * (n / 40) ** 3


def change(table: pl.DataFrame) -> dict[str, float]:
    return elbows.change(table, "n", [], (10, 30), (60, 100), resamples=200).row(0, named=True)


def test_exponents_below_and_above_an_elbow_are_exact_without_noise():
    found = change(runs(bent))
    assert (found["below"], found["above"]) == (pytest.approx(1, abs=1e-4), pytest.approx(3, abs=1e-4))
    assert found["change_low"] == pytest.approx(2, abs=1e-3) == found["change_high"]
    assert (found["points_below"], found["points_above"], found["halted"]) == (3, 3, 0)


def test_the_interval_tells_an_elbow_from_a_straight_law():
    there, none = change(runs(bent, spread=0.3)), change(runs(lambda n: n**1.5, spread=0.3))
    assert there["change_low"] > 0
    assert none["change_low"] < 0 < none["change_high"]
    assert there["change_low"] < 2 < there["change_high"]


def test_infinite_medians_are_left_out_and_counted():
    found = change(runs(bent, budget=bent(80)))
    assert (found["points_above"], found["halted"]) == (2, 1)
    assert found["above"] == pytest.approx(3, abs=1e-3)
    lost = change(runs(bent, budget=bent(60)))
    assert (lost["points_above"], lost["halted"]) == (1, 2)
    assert lost["above"] is lost["change"] is lost["change_low"] is None


def test_local_exponents_follow_the_law():
    found = elbows.local(runs(bent), "n", [], points=3, resamples=50)
    assert found.height == 4
    assert found["x"][0] == pytest.approx((10 * 20 * 30) ** (1 / 3))
    assert found["exponent"][0] == pytest.approx(1, abs=1e-4)
    assert found["exponent"][-1] == pytest.approx(3, abs=1e-4)
    assert found["exponent"].is_sorted()
    noisy = elbows.local(runs(bent, spread=0.3), "n", [], resamples=200)
    assert (noisy["exponent_low"] < noisy["exponent"]).all()
    assert (noisy["exponent"] < noisy["exponent_high"]).all()
    assert elbows.local(runs(bent, budget=1.0), "n", []).is_empty()


def test_windows_that_overlap_are_refused():
    with pytest.raises(ConfigError, match="two windows of which the second lies above the first"):
        elbows.change(runs(bent), "n", [], (10, 60), (30, 100))
