"""Claim 5: the corrected construction is twice the parity, the printed one is not (spec 4.6, claim T6)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.theory.parity.readout import bias_grid, corrected_readout, printed_readout

EVEN = (2, 4, 6, 8, 12)


@pytest.mark.parametrize("k", EVEN)
def test_the_corrected_readout_is_twice_the_parity_at_every_input(k: int):
    readout = corrected_readout(k)
    points = cube(k)
    form = points.sum(axis=1) / (2 * k)  # m/k - 1/2
    hidden = [np.maximum(o * form + float(b), 0) for o, b in zip(readout.orientations, readout.biases, strict=True)]
    found = sum(float(u) * h for u, h in zip(readout.weights, hidden, strict=True))
    np.testing.assert_allclose(found, 2 * np.prod(points, axis=1), rtol=0, atol=1e-11)
    assert readout.error == 0


@pytest.mark.parametrize("k", EVEN)
def test_its_weights_keep_to_the_bounds_and_its_biases_are_drawn(k: int):
    readout = corrected_readout(k)
    assert len(readout.biases) == (4 if k == 2 else k + 1)
    assert readout.largest <= 8 * k
    assert readout.norm <= 8 * k * k**0.5
    assert sum(abs(u) for u in readout.weights) <= 8 * k**2
    assert set(readout.biases) <= set(bias_grid(k))


def test_neurons_of_one_orientation_with_these_weights_would_need_a_bias_that_is_not_drawn_at_k_2():
    assert Fraction(1, 2) + Fraction(1, 2) not in bias_grid(2)
    assert bias_grid(2) == [Fraction(-1, 2), Fraction(0), Fraction(1, 2)]


@pytest.mark.parametrize("k", EVEN)
def test_the_printed_readout_has_the_wrong_sign_and_6_at_the_end(k: int):
    as_printed = printed_readout(k)
    assert [as_printed(m) for m in range(k + 1)] == [-2 * (-1) ** m for m in range(k)] + [6]
    assert as_printed.error == 4
    as_proved = printed_readout(k, shift=0)
    assert [as_proved(m) for m in range(k + 1)] == [0] + [2 * (-1) ** m for m in range(1, k + 1)]
    assert as_proved.error == 2


@pytest.mark.parametrize("k", [0, 3])
def test_odd_degrees_are_refused(k: int):
    for make in (corrected_readout, printed_readout, bias_grid):
        with pytest.raises(ConfigError, match="k must be even"):
            make(k)
