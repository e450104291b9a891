"""Gaps of first-layer gradients against Fourier transforms, sums over the cube, majority, and a loop over the sample
(spec 3.16, 4.1, 4.4, 4.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError
from assay.maths import streams
from assay.measures import find, gap
from assay.tasks import Batch
from assay.theory.parity import majority_gap, population_gradient
from tests import light
from tests.measures.views import measured, params_of, trial

GAP, STRICT = find("gradient/gap"), find("gradient/strict_gap")
SAMPLED, ERROR = find("gradient/sampled_gap"), find("gradient/sampled_gap_se")
SUBSET = (1, 3, 4)
TASK = ay.Parity(n=8, k=3, subset=SUBSET)


def gaps(gradient: np.ndarray, subset: Sequence[int]) -> tuple[float, float]:
    """Relaxed and strict, by the definition."""
    inside = [abs(g) for i, g in enumerate(gradient) if i in subset]
    outside = [abs(g) for i, g in enumerate(gradient) if i not in subset]
    return max(inside) - max(outside), min(inside) - max(outside)


def neuron(n: int, seed: int = 0, scale: float = 0.5, second_layer: bool = False) -> Any:
    rng = np.random.default_rng(seed)
    params = {"neuron": {"weight": np.float32(scale * rng.normal(size=n)), "bias": np.float32(0.3)}}
    return params | ({"output": {"weight": np.float32(-1.7), "bias": np.float32(0.2)}} if second_layer else {})


def sinusoid_derivative(k: int, scale: float) -> Any:
    return lambda z: -scale * np.pi / 2 * np.sin(np.pi / 2 * (scale * z - k))


@pytest.mark.parametrize("subset", [(5,), (0, 7), SUBSET, (1, 2, 4, 6)])
@pytest.mark.parametrize(("stretch", "second_layer"), [(1.0, False), (2.0, True)])
def test_the_closed_form_of_a_sinusoid_is_its_fourier_transform(
    subset: tuple[int, ...], stretch: float, second_layer: bool
):
    k = len(subset)
    net = ay.Neuron(scale=stretch, second_layer=second_layer)
    of = trial(task=ay.Parity(n=8, k=k, subset=subset), net=net)
    params = neuron(8, second_layer=second_layer)
    weight, bias = params["neuron"]["weight"].astype(np.float64), float(params["neuron"]["bias"])
    gradient = population_gradient(weight, bias, subset, sinusoid_derivative(k, stretch))[0]
    relaxed, strict = gaps(gradient * (-1.7 if second_layer else 1), subset)
    assert measured(GAP, of, params) == pytest.approx(relaxed, abs=1e-6)
    assert measured(STRICT, of, params) == pytest.approx(strict, abs=1e-6)


def test_the_closed_form_holds_where_nothing_can_be_enumerated():
    """Coordinates of weight 0 change nothing: n = 50 with eight others is n = 8, and S reaches into the second word."""
    places, small = np.array([3, 10, 17, 25, 31, 32, 40, 49]), neuron(8)
    weight = np.zeros(50, np.float32)
    weight[places] = small["neuron"]["weight"]
    subset = tuple(int(places[i]) for i in (1, 4, 6))
    of = trial(task=ay.Parity(n=50, k=3, subset=subset), net=ay.Neuron())
    found = measured(GAP, of, {"neuron": {"weight": weight, "bias": small["neuron"]["bias"]}})
    inner = population_gradient(
        small["neuron"]["weight"].astype(np.float64), 0.3, (1, 4, 6), sinusoid_derivative(3, 1.0)
    )
    assert found == pytest.approx(gaps(inner[0], (1, 4, 6))[0], abs=1e-6)


def test_every_neuron_of_a_layer_has_a_gap():
    of = trial(task=TASK, net=ay.MLP(width=3))
    params = params_of(of)
    found = measured(lambda view: (GAP(view), STRICT(view)), of, params)
    assert found[0].shape == (3,)
    hidden, output = params["hidden_1"], params["output"]
    for j in range(3):
        weight, bias = hidden["weight"][j].astype(np.float64), float(hidden["bias"][j])
        gradient = float(output["weight"][0, j]) * population_gradient(weight, bias, SUBSET, lambda z: z > 0)[0]
        assert (found[0][j], found[1][j]) == pytest.approx(gaps(gradient, SUBSET), abs=1e-6)


def test_the_gap_of_a_sign_neuron_is_half_of_majoritys():
    of = trial(task=ay.Parity(n=9, k=2), net=ay.Neuron(activation="relu"))
    signs = np.float32(np.random.default_rng(3).choice([-1, 1], size=9))
    params = {"neuron": {"weight": signs, "bias": np.float32(0.25)}}
    for measure in (GAP, STRICT):
        assert measured(measure, of, params) == pytest.approx(float(majority_gap(9, 2)) / 2, abs=1e-6)


def test_the_trials_own_loss_and_noise_do_not_matter():
    params = neuron(8, seed=3, scale=1.0)
    clean, noisy = (
        measured(GAP, trial(task=TASK.replace(noise=p), net=ay.Neuron(activation="zigzag"), loss=loss), params)
        for p, loss in ((0, ay.Square()), (0.3, ay.Hinge()))
    )
    assert clean == noisy != 0


def test_the_blocks_of_a_disjoint_polynet_are_one_neuron():
    """g of block i is -prod of the other relevant weights at its relevant coordinate, and 0 elsewhere (spec 4.7)."""
    of = trial(task=ay.DisjointParity(n=6, k=2), net=ay.DisjointPolyNet())
    weight = np.array([[0.5, 2, 3], [-0.25, 5, 7]], np.float32)
    assert measured(GAP, of, {"factors": {"weight": weight}}) == pytest.approx(0.5, abs=1e-6)
    assert measured(STRICT, of, {"factors": {"weight": weight}}) == pytest.approx(0.25, abs=1e-6)


@pytest.mark.parametrize("limit", [1 << 24, 1 << 13])
def test_sampled_gaps_and_their_errors_are_those_of_a_loop(limit: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gap, "SAMPLED_BYTES", limit)  # the smaller: blocks, of which the last is not full
    of = trial(task=TASK, net=ay.MLP(width=3), solve=ay.Solve(sample=500))
    params = params_of(of)
    found, error = measured(lambda view: (SAMPLED(view), ERROR(view)), of, params)
    x, y = light.jit(
        lambda: of.task.examples(of.task.secret(3), streams.stream(3, "eval"), jnp.arange(500, dtype=jnp.uint32))
    )()
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    hidden, output = params["hidden_1"], params["output"]
    for j in range(3):
        slope = (x @ hidden["weight"][j] + hidden["bias"][j] > 0) * output["weight"][0, j]
        each = -(y * slope)[:, None] * x
        mean = each.mean(axis=0)
        relaxed, _ = gaps(mean, SUBSET)
        inside = max(SUBSET, key=lambda i: abs(mean[i]))
        outside = max(set(range(8)) - set(SUBSET), key=lambda i: abs(mean[i]))
        difference = np.sign(mean[inside]) * each[:, inside] - np.sign(mean[outside]) * each[:, outside]
        assert found[j] == pytest.approx(relaxed, abs=1e-5)
        assert error[j] == pytest.approx(difference.std(ddof=1) / 500**0.5, rel=1e-4)


def test_a_large_sample_finds_the_exact_gap():
    """Within four standard errors: majority's maxima are apart, so that there is no bias to speak of."""
    of = trial(task=ay.Parity(n=9, k=2), net=ay.Neuron(activation="relu"), solve=ay.Solve(sample=1 << 16))
    params = {"neuron": {"weight": np.ones(9, np.float32), "bias": np.float32(0)}}
    exact, found, error = measured(lambda view: (GAP(view), SAMPLED(view), ERROR(view)), of, params)
    assert abs(found - exact) < 4 * error < exact / 4


class Coin(ay.Task, kind="coin-of-the-gap"):
    """y = x_1: no parity."""

    chance = 0.5
    inputs = 6

    def examples(self, secret: Any, key: streams.Key, index: Any) -> Batch:
        x = jnp.where(streams.words(key, index, 6) >> 31, 1.0, -1.0)
        return x, x[:, 0]


def test_it_is_refused_where_there_is_no_hidden_subset_or_no_way_to_be_exact():
    with pytest.raises(ConfigError, match="Fourier gap of task must be a parity, got 'coin-of-the-gap'"):
        measured(SAMPLED, trial(task=Coin()))
    with pytest.raises(ConfigError, match="a sinusoid neuron, or an enumerable task, got 'mlp'; record gradient/samp"):
        measured(GAP, trial(task=ay.Parity(n=21, k=2)))
