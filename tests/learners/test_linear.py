"""Linear methods: examples are the task's, kernels those of their features, and what is linear is learnt."""

from __future__ import annotations

import math

import numpy as np
import pytest

import assay as ay
from assay.errors import UnknownName
from assay.learners import linear
from assay.maths import streams
from tests import light


@pytest.mark.parametrize(("n", "subset"), [(9, (0, 2, 5)), (40, (1, 31, 33))])
def test_samples_are_the_examples_of_the_task(n: int, subset: tuple[int, ...]):
    task = ay.EasyParity(n=n, k=3, subset=subset, hint=0.3)
    found = linear.sample(task, 7, "data", 300)
    draw = light.jit(task.examples)
    x, y = draw(task.secret(7), streams.stream(7, "data"), np.arange(300, dtype=np.uint32))
    np.testing.assert_allclose(found.x, x, rtol=1e-6)
    np.testing.assert_array_equal(found.y, y)
    equal = np.abs(np.sign(found.x[:, list(subset)]).sum(axis=1)) == 3
    assert equal[~found.uniform].all()
    assert abs(found.uniform.mean() - 0.7) < 5 * math.sqrt(0.21 / 300)


def unit_rows(count: int, n: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, n))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_many_random_features_make_their_kernels():
    """E[2 cos cos] is the Gaussian kernel; tangent features of both layers make the neural tangent kernel."""
    x = unit_rows(8, 4)
    fourier = linear.features("fourier", x, 20_000, 0.7)
    np.testing.assert_allclose(2 * fourier @ fourier.T / 20_000, linear.kernel("rbf", x, x, 0.7), atol=0.05)
    gated = linear.features("gated", x, 5 * 20_000, 1.0)
    relu = linear.features("relu", x, 20_000, 1.0)
    tangent = 2 * (gated @ gated.T + relu @ relu.T) / 20_000
    np.testing.assert_allclose(tangent, linear.kernel("ntk", x, x, 1.0), atol=0.12)


def test_kernels_are_positive_and_scaled_as_they_should_be():
    x = unit_rows(20, 5)
    for kind in linear.KERNELS:
        matrix = linear.kernel(kind, x, x, 0.5)
        np.testing.assert_allclose(matrix, matrix.T)
        assert np.linalg.eigvalsh(matrix).min() > -1e-9
    np.testing.assert_allclose(np.diag(linear.kernel("rbf", x, x, 0.5)), 1)
    np.testing.assert_allclose(np.diag(linear.kernel("ntk", x, x, 0.5)), 2 * 1.25)


def test_what_is_linear_is_learnt_and_a_parity_is_not():
    """A parity of 7 bits; hinted inputs are another matter. (Of 5 bits the majority is right on 11/16.)"""

    def three(hint: float) -> list[linear.Sample]:
        task = ay.EasyParity(n=21, k=7, hint=hint)
        return [linear.sample(task, 0, stream, 400) for stream in ("data", "eval", "order")]

    train, choose, test = three(0.5)
    for kind in linear.FEATURES:
        assert linear.best_features(kind, 200, train, choose, test, (1.0,)).uniform_error > 0.4
    for kind in linear.KERNELS:
        assert linear.best_kernels(kind, train, choose, test, (1.0,))["ridge"].uniform_error > 0.4
    train, choose, test = (linear.Sample(part.x, part.y, np.ones(400, bool)) for part in three(1.0))  # hinted inputs
    assert linear.best_features("relu", 200, train, choose, test, (1.0,)).error < 0.05
    assert linear.best_kernels("rbf", train, choose, test, (1.0,))["svm"].error < 0.05


def test_unknown_kinds_are_refused():
    x = unit_rows(2, 3)
    with pytest.raises(UnknownName, match="kind of features"):
        linear.features("relo", x, 3, 1.0)
    with pytest.raises(UnknownName, match="kernel"):
        linear.kernel("rfb", x, x, 1.0)
