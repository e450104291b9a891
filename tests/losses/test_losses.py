"""Losses and their derivatives against the table of spec 1.7."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay as ay

HINGE, SQUARE, LOGISTIC, CORRELATION = ay.Hinge(), ay.Square(), ay.Logistic(), ay.Correlation()

# y, f -> loss and derivative with respect to f
Formula = Callable[[float, float], float]
TABLE: dict[ay.Loss, tuple[Formula, Formula]] = {
    HINGE: (lambda y, f: max(0.0, 1 - y * f), lambda y, f: -y if y * f < 1 else 0.0),
    SQUARE: (lambda y, f: (y - f) ** 2, lambda y, f: 2 * (f - y)),
    LOGISTIC: (lambda y, f: float(np.logaddexp(0, -y * f)), lambda y, f: float(-y * np.exp(-np.logaddexp(0, y * f)))),
    CORRELATION: (lambda y, f: -y * f, lambda y, f: -y),
}
by_kind = pytest.mark.parametrize("loss", TABLE, ids=lambda loss: loss.kind)


def each(loss: ay.Loss, f: list[float], y: list[float]) -> np.ndarray:
    return np.asarray(loss.each(jnp.asarray(f, jnp.float32), jnp.asarray(y, jnp.float32)), np.float64)


def slopes(loss: ay.Loss, f: list[float], y: list[float]) -> np.ndarray:
    """Derivative of each example's loss with respect to its output."""
    total = lambda output: loss.each(output, jnp.asarray(y, jnp.float32)).sum()  # noqa: E731
    return np.asarray(jax.grad(total)(jnp.asarray(f, jnp.float32)), np.float64)


# eight outputs each time, so that no operation is compiled twice
outputs = st.lists(st.floats(-100, 100, width=32), min_size=8, max_size=8)
signs = st.lists(st.sampled_from([-1.0, 1.0]), min_size=8, max_size=8)


@by_kind
@settings(max_examples=30)
@given(f=outputs, y=signs)
def test_losses_and_their_derivatives_are_those_of_the_table(loss: ay.Loss, f: list[float], y: list[float]):
    value, slope = TABLE[loss]
    np.testing.assert_allclose(
        each(loss, f, y), [value(*pair) for pair in zip(y, f, strict=True)], rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        slopes(loss, f, y), [slope(*pair) for pair in zip(y, f, strict=True)], rtol=1e-5, atol=1e-6
    )


@by_kind
def test_the_derivative_is_the_slope_of_the_loss(loss: ay.Loss):
    """Central differences of the closed form in float64, away from the corner of the hinge."""
    f, width = [-3.0, -1.5, -0.5, 0.0, 0.25, 0.9, 1.1, 4.0], 1e-6
    for sign in (-1.0, 1.0):
        value = TABLE[loss][0]
        expected = [(value(sign, at + width) - value(sign, at - width)) / (2 * width) for at in f]
        np.testing.assert_allclose(slopes(loss, f, [sign] * 8), expected, rtol=0, atol=1e-5)


def test_the_hinge_is_flat_at_margin_one():
    margins = [1.0, 1.0, np.nextafter(np.float32(1), np.float32(0)), 2.0]
    np.testing.assert_array_equal(slopes(HINGE, [*margins, 0, 0, 0, 0], [1.0] * 8)[:4], [0, 0, -1, 0])
    assert slopes(HINGE, [-1.0] * 8, [-1.0] * 8)[0] == 0
    assert each(HINGE, [1.0] * 8, [1.0] * 8)[0] == 0


@by_kind
def test_nan_stays_nan_and_infinity_is_no_small_loss(loss: ay.Loss):
    found = each(loss, [np.nan, np.nan, -np.inf, np.inf, 0, 0, 0, 0], [1, -1, 1, -1, 1, 1, 1, 1])
    assert np.isnan(found[:2]).all()
    assert (found[2:4] == np.inf).all()


def test_the_logistic_loss_overflows_nowhere():
    f = [-1e30, 1e30, -200.0, 200.0, 0.0, 0.0, 0.0, 0.0]
    np.testing.assert_allclose(each(LOGISTIC, f, [1.0] * 8)[:5], [1e30, 0, 200, 0, np.log(2)], rtol=1e-6)
    np.testing.assert_allclose(slopes(LOGISTIC, f, [1.0] * 8)[:5], [-1, 0, -1, 0, -0.5], rtol=1e-6, atol=1e-30)


# -- several classes -------------------------------------------------------------------------------------------------


@settings(max_examples=20)
@given(data=st.data())
def test_cross_entropy_is_minus_the_log_probability_of_the_class(data: st.DataObject):
    logits = np.array(data.draw(st.lists(outputs, min_size=3, max_size=3)), np.float32).T / 10  # 8 examples, 3 classes
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=8, max_size=8)), np.int32)
    exact = logits.astype(np.float64)
    expected = np.log(np.exp(exact).sum(axis=1)) - exact[np.arange(8), y]
    found = ay.CrossEntropy().each(jnp.asarray(logits), jnp.asarray(y))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    gradient = jax.grad(lambda at: ay.CrossEntropy().each(at, jnp.asarray(y)).sum())(jnp.asarray(logits))
    probability = np.exp(exact) / np.exp(exact).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(gradient, probability - np.eye(3)[y], rtol=0, atol=1e-5)


def test_with_two_classes_it_is_the_logistic_loss_of_their_difference():
    rng = np.random.default_rng(0)
    logits, y = rng.normal(size=(8, 2)).astype(np.float32), rng.choice([-1.0, 1.0], size=8).astype(np.float32)
    found = ay.CrossEntropy().each(jnp.asarray(logits), jnp.asarray(y))
    expected = each(LOGISTIC, list(logits[:, 1] - logits[:, 0]), list(y))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
