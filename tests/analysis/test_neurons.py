"""When neurons find the hidden coordinates, on weights made so that the answer is known (spec 3.7, 3.18)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.analysis.neurons import ahead, first_step, last_step, solve_order
from assay.errors import ConfigError

STEPS = np.array([0, 10, 30, 60])


def test_relevant_weights_are_ahead_when_the_smallest_exceeds_all_others():
    weights = np.array([[2.0, -3.0, 1.0, 0.5], [2.0, 3.0, -2.5, 0.5], [2.0, 3.0, 2.0, 0.5]])
    assert ahead(weights, (0, 1)).tolist() == [True, False, False]
    assert ahead(weights, (1,)).tolist() == [True, True, True]
    assert ahead(weights, (1, 0)).tolist() == ahead(weights[:, ::-1], (2, 3)).tolist()


def test_signs_and_scale_do_not_matter():
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(200, 3, 5))
    found = ahead(weights, (0, 3))
    assert 0 < found.sum() < found.size
    np.testing.assert_array_equal(ahead(-7 * weights, (0, 3)), found)


def test_first_and_last_steps_of_what_holds():
    holds = np.array([[False, True, False], [True, False, False], [False, True, False], [True, False, False]])
    assert first_step(STEPS, holds).tolist() == [10.0, 0.0, math.inf]
    assert last_step(STEPS, holds).tolist() == [60.0, 30.0, 0.0]
    assert first_step(STEPS, holds[:, 0]) == 10.0
    assert last_step(STEPS, holds[:, 2]) == 0.0


def test_neurons_are_numbered_in_the_order_in_which_they_get_there():
    weights = np.full((4, 4, 3), 0.1)
    weights[:, :, 2] = 1.0
    weights[2:, 0, 0] = 2.0  # from step 30 on
    weights[1, 2, 0] = 2.0  # at step 10 alone
    weights[2:, 3, 0] = -2.0  # together with neuron 0, which has the smaller number
    order = solve_order(STEPS, weights, (0,))
    assert order["place"].to_list() == [1, 2, 3, 4]
    assert order["neuron"].to_list() == [2, 0, 3, 1]
    assert order["step"].to_list() == [10.0, 30.0, 30.0, math.inf]
    assert order["lasting"].to_list() == [False, True, True, False]


@pytest.mark.parametrize("relevant", [(), (0, 1, 2), (1, 1), (3,)])
def test_coordinates_must_be_some_of_those_there_are(relevant: tuple[int, ...]):
    with pytest.raises(ConfigError, match="relevant"):
        ahead(np.ones((2, 3)), relevant)
