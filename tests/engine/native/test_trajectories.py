"""The kernels take the very steps that plain SGD takes: against numpy in float64, and against the engine `xla`."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from assay.engine.native.engine import Native
from assay.engine.xla.engine import Xla
from tests.engine.native.reference import State, trajectory
from tests.engine.native.ways import MOMENTS, STEPS, ways
from tests.engine.trials import results

WAYS = ways()
SOME = [name if i % 6 == 0 else pytest.param(name, marks=pytest.mark.slow) for i, name in enumerate(WAYS)]
CLOSE = 1e-5
"""So near to a kink, float32 and float64 may fall on different sides of it; from there on they go different ways."""


@functools.cache
def by_the_book(name: str) -> list[State]:
    return list(trajectory(WAYS[name], STEPS))


@pytest.mark.parametrize("name", SOME)
def test_trajectories_are_those_of_plain_sgd_in_float64(native: Native, name: str):
    assert native.refusal(WAYS[name]) is None
    result = results(native, [WAYS[name]])[WAYS[name].identity]
    states = by_the_book(name)
    for i, step in enumerate(MOMENTS):
        state = states[step]
        if state.kink < CLOSE:
            break
        for layer, arrays in state.params.items():
            for array, mine in arrays.items():
                own = result.arrays[f"weights/snapshot.{layer}.{array}"][i]
                assert own.shape == mine.shape
                scale = np.abs(mine).max() + 1e-3
                np.testing.assert_allclose(
                    own, mine, rtol=1e-4, atol=1e-4 * scale, err_msg=f"{layer}.{array} at {step}"
                )


def test_kinks_leave_most_of_the_way_to_compare():
    """Where the comparison above ends early it says little: most of it must not."""
    compared = [sum(by_the_book(name)[step].kink >= CLOSE for step in MOMENTS) for name in list(WAYS)[::6]]
    assert np.mean(compared) > 0.7 * len(MOMENTS)


@functools.cache
def xla() -> Xla:
    return Xla(threads=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(WAYS)[1::9])
def test_trajectories_are_those_of_xla(native: Native, name: str):
    """The same inputs and the same first weights, and then the same steps: nets, losses, data and options as above."""
    way = WAYS[name].replace(record=WAYS[name].record.replace(steps=(0, *MOMENTS)))
    mine, theirs = (results(engine, [way])[way.identity] for engine in (native, xla()))
    kinks = [0.0 if state.kink < CLOSE else 1.0 for state in by_the_book(name)]
    for i, step in enumerate((0, *MOMENTS)):
        if not kinks[step]:
            break
        for array, own in mine.arrays.items():
            other = theirs.arrays[array]
            scale = np.abs(other[i]).max() + 1e-3
            np.testing.assert_allclose(own[i], other[i], rtol=1e-4, atol=1e-4 * scale, err_msg=f"{array} at {step}")
    if all(kinks):
        assert mine.final["loss"] == pytest.approx(theirs.final["loss"], rel=1e-3, abs=1e-4)
