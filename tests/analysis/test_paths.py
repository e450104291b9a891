"""Lengths of paths and moving means against loops and what is known of lines and walks."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analysis.paths import NORMS, moving_mean, path_length
from assay.errors import ConfigError, UnknownName

ORDERS = {"l1": 1, "l2": 2, "linf": np.inf}


@pytest.mark.parametrize("norm", NORMS)
def test_lengths_are_sums_of_norms_of_steps(norm: str):
    weights = np.random.default_rng(0).normal(size=(6, 3, 4)).astype(np.float32)
    exact = weights.astype(np.float64)
    found, so_far = path_length(weights, norm), 0.0
    assert found[0] == 0
    for t in range(1, 6):
        so_far += np.linalg.norm((exact[t] - exact[t - 1]).ravel(), ORDERS[norm])
        assert found[t] == pytest.approx(so_far, rel=1e-12)


@pytest.mark.parametrize("norm", NORMS)
def test_a_straight_way_is_as_long_as_it_leads_and_no_other(norm: str):
    direction = np.random.default_rng(1).normal(size=5)
    straight = np.outer([0.0, 1.0, 1.5, 4.0], direction)
    assert path_length(straight, norm)[-1] == pytest.approx(4 * np.linalg.norm(direction, ORDERS[norm]))
    back = np.outer([0.0, 1.0, 0.0], direction)
    assert path_length(back, norm)[-1] == pytest.approx(2 * np.linalg.norm(direction, ORDERS[norm]))


def test_one_record_has_length_nothing_and_names_are_checked():
    assert path_length(np.ones((1, 3))).tolist() == [0.0]
    with pytest.raises(UnknownName, match="norm"):
        path_length(np.ones((2, 3)), "l3")


@pytest.mark.parametrize("window", [1, 3, 4, 50])
def test_a_moving_mean_looks_back_over_its_window(window: int):
    values = np.random.default_rng(2).normal(size=20)
    expected = [values[max(0, t - window + 1) : t + 1].mean() for t in range(20)]
    np.testing.assert_allclose(moving_mean(values, window), expected, rtol=0, atol=1e-12)


def test_a_window_holds_something():
    with pytest.raises(ConfigError, match="window"):
        moving_mean(np.ones(3), 0)
