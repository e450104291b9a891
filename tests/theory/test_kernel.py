"""The tangent kernel of a small net: correlations, the bound, and the least hinge loss (spec 4.11, claim T13)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.maths.subsets import members, subset_masks
from assay.theory.parity.kernel import (
    TangentFeatures,
    hardest_subset,
    kernel_bound,
    least_hinge_loss,
    sign_errors,
    squared_correlations,
    tangent_features,
)

N = 8


@pytest.fixture
def features() -> TangentFeatures:
    return tangent_features(N, 5, np.random.default_rng(0))


def written_out(features: TangentFeatures) -> np.ndarray:
    """Psi as a matrix, [points, D], neuron by neuron: gradients in w, b and u."""
    columns = []
    for form, u in zip(features.forms.T, features.output, strict=True):
        active = (form > 0)[:, None]
        columns.append(np.column_stack([u * active * cube(N), u * active, np.maximum(form, 0)]))
    return np.column_stack(columns) / features.norm


def test_the_features_are_the_gradient_of_the_net_at_its_initialisation():
    rng = np.random.default_rng(0)
    weights, biases = rng.uniform(-(N**-0.5), N**-0.5, size=(5, N)), rng.uniform(-(N**-0.5), N**-0.5, size=5)
    output = rng.uniform(-(5**-0.5), 5**-0.5, size=5)

    def net(parameters: np.ndarray) -> np.ndarray:
        rows = parameters.reshape(5, N + 2)
        return np.maximum(cube(N) @ rows[:, :N].T + rows[:, N], 0) @ rows[:, N + 1]

    at = np.column_stack([weights, biases, output]).ravel()
    width = 1e-6
    slopes = np.stack([(net(at + step) - net(at - step)) / (2 * width) for step in width * np.eye(len(at))], axis=1)
    features = tangent_features(N, 5, np.random.default_rng(0))
    np.testing.assert_allclose(written_out(features) * features.norm, slopes, rtol=0, atol=1e-8)
    assert features.dimension == len(at) == 5 * (N + 2)
    assert np.linalg.norm(slopes, axis=1).max() == pytest.approx(features.norm, rel=1e-8)


def test_products_with_the_features_are_those_of_the_matrix(features: TangentFeatures):
    matrix, rng = written_out(features), np.random.default_rng(1)
    direction, values = rng.normal(size=(5, N + 2)), rng.normal(size=2**N)
    np.testing.assert_allclose(features.predict(direction), matrix @ direction.ravel(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(features.correlate(values).ravel(), matrix.T @ values, rtol=0, atol=1e-11)
    np.testing.assert_allclose(features.squared_norms(), (matrix**2).sum(axis=1), rtol=0, atol=1e-14)
    assert features.squared_norms().max() == pytest.approx(1, abs=1e-14)


def test_squared_correlations_are_those_of_every_subset_and_add_up_to_the_mean_square(features: TangentFeatures):
    squared, matrix = squared_correlations(features), written_out(features)
    for mask in (0, 1, 0b1011, 0b11111111):
        label = np.prod(cube(N)[:, list(members(int(mask)))], axis=1)
        assert squared[mask] == pytest.approx(np.sum((label @ matrix / 2**N) ** 2), abs=1e-15)
    assert squared.sum() == pytest.approx(features.squared_norms().mean(), abs=1e-13)
    assert squared.sum() <= 1


@pytest.mark.parametrize("k", [1, 3])
def test_the_hardest_subset_keeps_to_the_bound(features: TangentFeatures, k: int):
    mask, correlation = hardest_subset(squared_correlations(features), k)
    assert mask.bit_count() == k
    assert correlation**2 == min(squared_correlations(features)[subset_masks(N, k)])
    assert 1 - 2 * correlation >= kernel_bound(N, k, 2.0) == pytest.approx(1 - 2 / math.sqrt(math.comb(N, k)))


@pytest.mark.parametrize("radius", [0.5, 4.0, 20.0])
@pytest.mark.parametrize("subset", [(0, 1), (2, 5, 7)])
def test_the_least_loss_lies_between_its_bounds(features: TangentFeatures, subset: tuple[int, ...], radius: float):
    found = least_hinge_loss(features, subset, radius)
    matrix, label = written_out(features), np.prod(cube(N)[:, list(subset)], axis=1)
    assert np.linalg.norm(found.direction) <= radius * (1 + 1e-12)
    attained = np.maximum(0, 1 - label * (matrix @ found.direction.ravel())).mean()
    assert attained == pytest.approx(found.upper, abs=1e-12)
    correlation = float(np.linalg.norm(label @ matrix)) / 2**N
    assert 1 - radius * correlation - 1e-12 <= found.lower <= found.upper + 1e-12
    assert found.upper - found.lower < 0.01


def test_within_radius_one_the_bound_is_attained(features: TangentFeatures):
    label = np.prod(cube(N)[:, :2], axis=1)
    correlation = float(np.linalg.norm(label @ written_out(features))) / 2**N
    found = least_hinge_loss(features, (0, 1), 1.0)  # no margin exceeds 1, so that the hinge is linear
    assert found.upper == pytest.approx(1 - correlation, abs=1e-9)


def test_a_descent_in_the_weights_finds_no_smaller_loss(features: TangentFeatures):
    radius, label = 6.0, np.prod(cube(N)[:, [0, 3]], axis=1)
    matrix, found = written_out(features), least_hinge_loss(features, (0, 3), 6.0)
    w, best = np.zeros(matrix.shape[1]), 1.0
    for step in range(1, 4000):
        margin = label * (matrix @ w)
        best = min(best, float(np.maximum(0, 1 - margin).mean()))
        w = w + 40 / step**0.5 * (label * (margin < 1)) @ matrix / 2**N
        w = w * min(1.0, radius / max(float(np.linalg.norm(w)), 1e-12))
    assert found.lower - 1e-9 <= best
    assert best == pytest.approx(found.upper, abs=0.01)


def test_of_two_opposite_weights_one_is_right_half_of_the_time(features: TangentFeatures):
    direction = np.random.default_rng(2).normal(size=(5, N + 2))
    errors = sign_errors(features, 2, direction)
    output = features.predict(direction)
    for mask, error in zip(subset_masks(N, 2), errors, strict=True):
        label = np.prod(cube(N)[:, list(members(int(mask)))], axis=1)
        assert error == pytest.approx(min(np.mean(label * output <= 0), np.mean(label * output >= 0)), abs=1e-15)
    assert errors.max() <= 0.5 + np.mean(output == 0) / 2


def test_radii_and_widths_out_of_range_are_refused(features: TangentFeatures):
    with pytest.raises(ConfigError, match="radius must be > 0"):
        least_hinge_loss(features, (0,), 0.0)
    with pytest.raises(ConfigError, match="width must be >= 1"):
        tangent_features(4, 0, np.random.default_rng(0))
    with pytest.raises(ConfigError, match="k must be between 1 and n = 4"):
        kernel_bound(4, 5, 1.0)
