"""Which answers are right, and labels as classes."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

import assay as ay
from assay.tasks.base import classes

TASK = ay.Parity(n=4, k=2)
NAN, INF = np.nan, np.inf


def right(output: object, y: object) -> list[bool]:
    return np.asarray(TASK.correct(jnp.asarray(output, jnp.float32), jnp.asarray(y))).tolist()


def test_an_answer_is_right_where_its_sign_is_the_label():
    assert right([0.1, -0.1, 0.1, -0.1], [1.0, -1.0, -1.0, 1.0]) == [True, True, False, False]


def test_zero_and_nan_are_wrong_whatever_the_label():
    assert right([0.0, -0.0, NAN, 0.0, NAN], [1.0, 1.0, 1.0, -1.0, -1.0]) == [False] * 5


def test_an_infinite_answer_has_a_sign():
    assert right([INF, -INF, INF], [1.0, -1.0, -1.0]) == [True, True, False]


def test_among_logits_that_of_the_label_must_be_the_largest():
    logits = [[1.0, 2.0, 0.0], [1.0, 2.0, 0.0], [-3.0, -2.0, -4.0], [0.0, 0.0, 5.0]]
    assert right(logits, [1, 0, 1, 2]) == [True, False, True, True]


def test_ties_and_nan_among_logits_are_wrong():
    logits = [[1.0, 1.0, 0.0], [NAN, 0.0, 0.0], [0.0, NAN, -1.0], [-INF, -INF, -INF]]
    assert right(logits, [0, 0, 0, 1]) == [False] * 4


def test_two_logits_answer_a_sign():
    assert right([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [1.0, -1.0, -1.0]) == [True, False, True]


def test_labels_of_a_sign_are_class_one_for_plus():
    assert classes(jnp.asarray([1.0, -1.0])).tolist() == [1, 0]
    assert classes(jnp.asarray([2, 0, 1], jnp.uint32)).tolist() == [2, 0, 1]
    assert classes(jnp.asarray([2, 0], jnp.uint32)).dtype == jnp.int32


def test_a_task_that_cannot_be_enumerated_has_no_size():
    assert ay.Parity(n=30, k=2).size is None
