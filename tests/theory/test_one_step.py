"""One step on a sign-initialised net, and SGD on its second layer (spec 4.6, claims T5 and T8)."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.theory.parity.one_step import (
    Layer,
    batch_gradient_of,
    constructed_output,
    decayed_output,
    feature_bound,
    first_rate,
    first_step,
    fit_second_layer,
    good_neurons,
    hinge_of,
    population_gradient_of,
    step_errors,
    unbiased_layer,
)

N, K, SUBSET = 9, 2, (1, 6)


def enumerated(layer: Layer, subset: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gradients in W, b and u of the mean hinge loss over the cube, neuron by neuron."""
    x = cube(layer.weights.shape[1]).astype(float)
    y = np.prod(x[:, list(subset)], axis=1)
    form = x @ layer.weights.T + layer.biases
    output = np.maximum(form, 0) @ layer.output
    slope = np.where(y * output < 1, -y, 0)[:, None]
    through = slope * layer.output * (form > 0)
    return through.T @ x / len(x), through.mean(axis=0), (slope * np.maximum(form, 0)).mean(axis=0)


@pytest.fixture
def layer() -> Layer:
    return unbiased_layer(N, K, 32, np.random.default_rng(0))


def test_the_net_starts_at_zero_with_signs_and_biases_of_the_grid(layer: Layer):
    assert np.abs(layer.features(cube(N).astype(np.float32)) @ layer.output).max() == 0
    assert set(np.unique(layer.weights)) == {-1.0, 1.0}
    assert set(np.unique(layer.biases)) == {-0.5, 0.0, 0.5}


@pytest.mark.parametrize("subset", [(1, 6), (0, 2, 3, 8)])
def test_its_population_gradient_is_that_of_the_hinge_loss_over_the_cube(subset: tuple[int, ...]):
    layer = unbiased_layer(N, len(subset), 16, np.random.default_rng(1))
    found, expected = population_gradient_of(layer, subset), enumerated(layer, subset)
    np.testing.assert_allclose(found[0], expected[0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(found[1], expected[1], rtol=0, atol=1e-15)
    assert np.abs(found[1]).max() == 0


def test_the_output_layer_has_a_gradient_too(layer: Layer):
    found, expected = decayed_output(layer, SUBSET), -first_rate(N, K) * enumerated(layer, SUBSET)[2]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)
    assert np.abs(found).max() > 0.1


def test_a_batch_gradient_is_an_average_with_the_right_mean(layer: Layer):
    batch = 40_000
    found, exact = (
        batch_gradient_of(layer, SUBSET, batch, np.random.default_rng(3)),
        population_gradient_of(layer, SUBSET),
    )
    for sampled, mean in zip(found, exact, strict=True):
        np.testing.assert_allclose(sampled, mean, rtol=0, atol=4.5 * (0.5 / batch) ** 0.5)
    whole = np.concatenate(found, axis=None) * batch
    np.testing.assert_allclose(whole, np.round(whole), atol=1e-6)  # sums of -1, 0, 1
    half = len(layer.output) // 2
    np.testing.assert_array_equal(found[0][:half], -found[0][half:])


def test_one_exact_step_leaves_the_relevant_weights_at_one_over_2k(layer: Layer):
    after, orientation = first_step(layer, population_gradient_of(layer, SUBSET), K), good_neurons(layer, SUBSET)
    agree = np.prod(layer.weights[:, list(SUBSET)], axis=1) == 1
    np.testing.assert_array_equal(orientation != 0, agree)
    assert 0 < agree.sum() < len(agree)
    relevant = after.weights[:, list(SUBSET)]
    np.testing.assert_allclose(relevant[agree], np.repeat(orientation[agree, None] / (2 * K), K, axis=1), atol=1e-14)
    assert (relevant[~agree].prod(axis=1) < 0).all()
    np.testing.assert_array_equal(after.biases, layer.biases)
    assert not after.output.any()


@pytest.mark.parametrize("batch", [100, 3000])
def test_claims_1_to_3_hold_with_the_error_that_the_batch_has(layer: Layer, batch: int):
    gradient = batch_gradient_of(layer, SUBSET, batch, np.random.default_rng(batch))
    errors = step_errors(layer, gradient, SUBSET)
    exact = population_gradient_of(layer, SUBSET)
    assert errors.tau == max(np.abs(gradient[0] - exact[0]).max(), np.abs(gradient[1] - exact[1]).max())
    assert 0 < errors.relevant <= errors.relevant_bound * (1 + 1e-12)
    assert 0 < errors.irrelevant <= errors.irrelevant_bound * (1 + 1e-12)
    assert 0 < errors.bias <= errors.bias_bound * (1 + 1e-12)
    assert errors.tau == pytest.approx(4 * (0.5 / batch) ** 0.5, rel=0.5)


@pytest.mark.parametrize(("k", "width"), [(2, 64), (4, 2048)])
def test_the_constructed_output_is_the_parity_where_the_irrelevant_weights_vanish(k: int, width: int):
    n, subset = 13, tuple(range(k))
    layer = unbiased_layer(n, k, width, np.random.default_rng(5))
    after = first_step(layer, population_gradient_of(layer, subset), k)
    weights = after.weights.copy()
    weights[:, k:] = 0
    pure = Layer(weights=weights, biases=after.biases, output=after.output)
    output = constructed_output(layer, subset)
    assert output is not None
    x = cube(n)[::7].astype(np.float32)
    np.testing.assert_allclose(pure.features(x) @ output, 2 * np.prod(x[:, :k], axis=1), rtol=0, atol=1e-5)
    assert hinge_of(pure, output, subset, 500, np.random.default_rng(0)) < 1e-6


def test_a_layer_without_the_right_neurons_has_no_constructed_output():
    layer = unbiased_layer(N, 4, 2, np.random.default_rng(0))
    assert constructed_output(layer, (0, 1, 2, 3)) is None


def test_sgd_on_the_second_layer_reads_the_parity_off():
    n, k, subset = 51, 2, (3, 40)
    layer = unbiased_layer(n, k, 64, np.random.default_rng(0))
    after = first_step(layer, population_gradient_of(layer, subset), k)
    fit = fit_second_layer(after, subset, 64, 300, 0.3, np.random.default_rng(1), every=100)
    assert tuple(fit.steps) == (0, 100, 200, 300)
    assert (fit.losses[0], fit.errors[0]) == (1.0, 1.0)  # f = 0 is an error everywhere
    assert fit.errors[-1] == 0
    assert hinge_of(after, fit.output, subset, 20_000, np.random.default_rng(2)) < 0.01
    blind = fit_second_layer(layer, subset, 64, 300, 0.01, np.random.default_rng(1))
    assert blind.errors[-1] > 0.4  # random features of the same width know nothing


def test_its_steps_are_those_of_the_hinge_loss():
    layer = unbiased_layer(5, 2, 4, np.random.default_rng(2))
    one = fit_second_layer(layer, (0, 1), 1, 1, 0.5, np.random.default_rng(4), held_out=1)
    hit = np.flatnonzero(one.output)
    rng = np.random.default_rng(4)
    rng.integers(0, 256, size=(1, 1), dtype=np.uint8)  # the held-out example
    x = 1.0 - 2 * np.unpackbits(rng.integers(0, 256, size=(1, 1), dtype=np.uint8), axis=1, count=5)
    expected = 0.5 * x[0, 0] * x[0, 1] * np.maximum(layer.weights @ x[0] + layer.biases, 0)
    np.testing.assert_allclose(one.output, expected, rtol=0, atol=1e-6)
    assert hit.size
    assert one.mean_loss == 1.0


def test_the_mean_loss_keeps_to_the_bound_of_convex_sgd():
    n, k, subset, steps = 51, 2, (0, 1), 2000
    layer = unbiased_layer(n, k, 64, np.random.default_rng(0))
    after = first_step(layer, population_gradient_of(layer, subset), k)
    output = constructed_output(layer, subset)
    assert output is not None
    radius, bound = float(np.linalg.norm(output)), feature_bound(after)
    fit = fit_second_layer(after, subset, 64, steps, radius / (bound * steps**0.5), np.random.default_rng(1))
    best = hinge_of(after, output, subset, 20_000, np.random.default_rng(2))
    assert fit.mean_loss <= best + radius * bound / steps**0.5 < 1
    x = np.random.default_rng(3).choice(np.array([-1, 1], np.float32), size=(2000, n))
    assert np.linalg.norm(after.features(x), axis=1).max() <= bound


def test_layers_that_cannot_be_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(ConfigError, match="n must be odd"):
        unbiased_layer(8, 2, 4, rng)
    with pytest.raises(ConfigError, match="width must be even"):
        unbiased_layer(9, 2, 5, rng)
    with pytest.raises(ConfigError, match="k must be even"):
        unbiased_layer(9, 3, 4, rng)
