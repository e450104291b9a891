"""Schedules against their formulas, step by step."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.optim import Schedule


def factors(schedule: Schedule, steps: np.ndarray) -> np.ndarray:
    """As a program has them: compiled, with a step that is an argument."""
    return np.asarray(jax.jit(jax.vmap(schedule.factor()))(steps.astype(np.int32)), np.float64)


STEPS = np.arange(60)


def test_constant_is_one():
    np.testing.assert_array_equal(factors(ay.Constant(), STEPS), 1)


@pytest.mark.parametrize("warmup", [0, 10])
@pytest.mark.parametrize("final", [0.0, 0.25, 3.0])
def test_linear_goes_from_one_to_its_end_and_stays(final: float, warmup: int):
    down = 1 + (final - 1) * np.clip((STEPS - warmup) / 20, 0, 1)
    expected = np.where(warmup > STEPS, STEPS / max(warmup, 1), down)
    found = factors(ay.Linear(steps=20, final=final, warmup=warmup), STEPS)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("warmup", [0, 10])
@pytest.mark.parametrize("final", [0.0, 0.25])
def test_cosine_goes_from_one_to_its_end_along_half_a_wave(final: float, warmup: int):
    wave = final + (1 - final) * (1 + np.cos(np.pi * np.clip((STEPS - warmup) / 20, 0, 1))) / 2
    expected = np.where(warmup > STEPS, STEPS / max(warmup, 1), wave)
    found = factors(ay.Cosine(steps=20, final=final, warmup=warmup), STEPS)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("every", "ratio"), [(1, 0.9), (7, 2.0), (1000, 0.5)])
def test_staircase_multiplies_every_so_many_steps(every: int, ratio: float):
    np.testing.assert_allclose(
        factors(ay.Staircase(every=every, ratio=ratio), STEPS), ratio ** (STEPS // every), rtol=1e-5
    )


@pytest.mark.parametrize("every", [41, 47, 55, 82, 109])
def test_no_stair_comes_a_step_late(every: int):
    """In float32 t * (1 / 41) falls short of 1 at t = 41."""
    steps = np.unique([[t - 1, t, t + 1] for t in range(every, 200 * every, every)])
    found = factors(ay.Staircase(every=every, ratio=0.99), steps)
    np.testing.assert_array_equal(np.round(np.log(found) / np.log(0.99)), steps // every)


@pytest.mark.parametrize(
    ("schedule", "fields", "words"),
    [
        (ay.Linear, {"steps": 0}, r"linear\.steps must be >= 1"),
        (ay.Cosine, {"steps": 5, "final": 2.0}, r"cosine\.final must be between 0 and 1"),
        (ay.Staircase, {"every": 5, "ratio": 0.0}, r"staircase\.ratio must be > 0"),
        (ay.Linear, {"steps": 5, "warmup": -1}, r"linear\.warmup must be >= 0"),
    ],
)
def test_a_schedule_that_is_none_is_refused(schedule: Any, fields: dict[str, Any], words: str):
    with pytest.raises(ConfigError, match=words):
        schedule(**fields)
