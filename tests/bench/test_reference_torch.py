"""The stacked reference against one module trained alone, and against nets that are solved by construction."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.statistical import reference_torch as reference  # noqa: E402

N, K, BATCH, SEEDS, BUDGET = 12, 2, 16, 4, 400
LEARNING_RATE = {"xv": 0.2}  # small batches need less than the setting's own


@pytest.mark.parametrize("setting", reference.SETTINGS)
def test_seeds_trained_in_a_stack_solve_at_the_same_steps_as_modules_trained_alone(setting):
    draw = torch.Generator().manual_seed(3)
    family = reference.SETTINGS[setting].family
    rate = LEARNING_RATE.get(setting, 0.1)
    weights = {
        name: w.double() for name, w in reference.initial_weights(setting, SEEDS, N, K, draw).items()
    }  # in double precision the two ways of summing cannot part within the budget
    held_out = reference.signs((SEEDS, 512, N), draw, torch.float64)
    batches = reference.signs((BUDGET, SEEDS, BATCH, N), draw, torch.float64)
    together = reference.train(family, K, weights, held_out, lambda t, who: batches[t, who], BUDGET, rate)
    alone = [
        reference.solve_time_alone(
            family,
            K,
            {name: w[s] for name, w in weights.items()},
            held_out[s],
            lambda t, s=s: batches[t, s],
            BUDGET,
            rate,
        )
        for s in range(SEEDS)
    ]
    assert together.tolist() == alone
    assert np.isfinite(together).any()
    assert len(set(together)) > 1, "all seeds ended together, so leaving the stack was not tried"


@pytest.mark.parametrize("setting", ["xiv", "xv"])
def test_a_net_that_is_the_parity_is_solved_at_step_zero(setting):
    family = reference.SETTINGS[setting].family
    weights = parity_weights(setting)
    held_out = reference.signs((1, 8192, N), torch.Generator().manual_seed(0), torch.int8)
    assert reference.train(family, K, weights, held_out, no_batch, 0, 0.1).tolist() == [0.0]


def test_one_wrong_answer_in_the_last_block_is_not_solved():
    weights = parity_weights("xv")
    held_out = reference.signs((1, 8192, N), torch.Generator().manual_seed(0), torch.int8)
    held_out[0, -1, 0] = 0  # f = 0 there, which counts as an error
    assert reference.train("polynet", K, weights, held_out, no_batch, 0, 0.1).tolist() == [math.inf]


def test_solve_times_are_checks_or_infinity_and_repeat_with_their_seed():
    first, again, other = (reference.solve_times("xv", 6, 60, n=10, k=2, seed=s) for s in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    finite = first[np.isfinite(first)]
    assert len(finite) > 0
    assert np.all(finite % reference.CHECK_EVERY == 0)
    assert finite.max() <= 60


def parity_weights(setting):
    w = torch.zeros(1, K, N)
    w[0, range(K), range(K)] = 1
    return {"W": w.sum(1, keepdim=True) if setting == "xiv" else w, "b": torch.zeros(1, 1 if setting == "xiv" else K)}


def no_batch(step, seeds_open):
    raise AssertionError("a budget of 0 asks for no batch")
