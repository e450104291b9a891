"""What every loss keeps to. A new one needs one line: an example in EXAMPLES, with the number of outputs it reads."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.config import bind, values
from tests.contracts.members import check_config, check_examples, named

EXAMPLES: dict[ay.Loss, int] = {
    ay.Hinge(): 1,
    ay.Square(): 1,
    ay.Logistic(): 1,
    ay.Correlation(): 1,
    ay.CrossEntropy(): 3,
    ay.SequenceCrossEntropy(): 3,
    ay.SequenceMargin(margin=2.0): 3,
}
POSITIONS = 4
each_loss = pytest.mark.parametrize(("loss", "outputs"), EXAMPLES.items(), ids=[named(loss) for loss in EXAMPLES])

rng = np.random.default_rng(0)


def examples(outputs: int, loss: ay.Loss) -> tuple[jax.Array, jax.Array]:
    """Ten outputs and their labels."""
    if loss.sequences:
        size = (10, POSITIONS)
        logits = jnp.asarray(rng.normal(size=(*size, outputs)), jnp.float32)
        return logits, jnp.asarray(rng.integers(outputs, size=size), jnp.int32)
    if outputs == 1:
        return jnp.asarray(rng.normal(size=10), jnp.float32), jnp.asarray(rng.choice([-1.0, 1.0], size=10), jnp.float32)
    return jnp.asarray(rng.normal(size=(10, outputs)), jnp.float32), jnp.asarray(
        rng.integers(outputs, size=10), jnp.int32
    )


def right(outputs: int, y: jax.Array) -> jax.Array:
    """Outputs that answer rightly, with margin 1."""
    return y if outputs == 1 else jax.nn.one_hot(y, outputs)


def test_every_loss_has_an_example_here():
    check_examples(ay.Loss, EXAMPLES, "tests/contracts/test_losses.py")


@each_loss
def test_a_loss_is_a_config(loss: ay.Loss, outputs: int):
    check_config(ay.Loss, loss)


@each_loss
def test_a_loss_is_one_number_an_example_and_of_that_example_alone(loss: ay.Loss, outputs: int):
    f, y = examples(outputs, loss)
    found = loss.each(f, y)
    assert found.shape == (10,)
    assert found.dtype == jnp.float32
    assert np.isfinite(found).all()
    np.testing.assert_allclose(loss.each(f[4:5], y[4:5])[0], found[4], rtol=1e-6)
    np.testing.assert_allclose(jax.vmap(loss.each)(f[:, None], y[:, None])[:, 0], found, rtol=1e-6)


@each_loss
def test_a_right_answer_costs_less_than_none_and_a_wrong_one_more(loss: ay.Loss, outputs: int):
    _, y = examples(outputs, loss)
    for_right, for_none, for_wrong = (loss.each(size * right(outputs, y), y) for size in (1, 0, -1))
    assert np.all(for_right < for_none)
    assert np.all(for_none < for_wrong)


@each_loss
def test_a_small_step_against_the_gradient_costs_less(loss: ay.Loss, outputs: int):
    f, y = examples(outputs, loss)
    total = lambda at: loss.each(at, y).sum()  # noqa: E731
    gradient = jax.grad(total)(f)
    assert gradient.shape == f.shape
    assert np.isfinite(gradient).all()
    assert total(f - 0.01 * gradient) < total(f)


@each_loss
def test_nan_is_never_a_small_loss(loss: ay.Loss, outputs: int):
    f, y = examples(outputs, loss)
    found: Any = loss.each(f.at[3].set(jnp.nan), y)
    assert np.isnan(found[3])
    assert np.isfinite(np.delete(np.asarray(found), 3)).all()


@each_loss
def test_values_may_be_arguments_of_the_program(loss: ay.Loss, outputs: int):
    f, y = examples(outputs, loss)
    traced = {path: np.float32(number) for path, number in values(loss).items()}
    found = jax.jit(lambda given: bind(loss, given).each(f, y))(traced)
    np.testing.assert_allclose(found, loss.each(f, y), rtol=1e-6)
