"""Theorem 4 in the making: one gradient step on a sign-initialised ReLU net finds the subset, then SGD reads it off.

f(x) = sum_i u_i relu(w_i.x + b_i) starts at w_i in {-1,+1}^n, u_i in {-1,+1}, b_i on a grid in (-1, 1), in pairs with
opposite u, so that f = 0 and the hinge loss has the gradient of the correlation loss (Barak et al. 2022, section 4.1,
appendix B.1, Lemma 3):

    dL/dw_ij = -u_i xi_{k-1} chi_{S-j}(w_i)/2 (j in S),  -u_i xi_{k+1} chi_{S+j}(w_i)/2 (else),    dL/db_i = 0.

The first step has rate 1/(k |xi_{k-1}|) and weight decay 1: W1 = -eta g, so that neurons whose signs agree on S have
weights +-1/(2k) there and nearly 0 elsewhere. Afterwards only u moves, from 0, by SGD on fresh batches.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32, Float64, Real

from assay.errors import ConfigError
from assay.maths.cube import linear_form
from assay.maths.fourier import character
from assay.maths.subsets import indicator, mask_of
from assay.theory.parity.gradient import sign_neuron_gradient
from assay.theory.parity.majority import log_majority_coefficient
from assay.theory.parity.readout import bias_grid, corrected_readout

BLOCK = 1 << 12
"""Examples that are drawn at a time."""


@dataclass(frozen=True, kw_only=True)
class Layer:
    """The first layer and the output weights."""

    weights: Float64[np.ndarray, "r n"]
    biases: Float64[np.ndarray, " r"]
    output: Float64[np.ndarray, " r"]

    def features(self, x: Real[np.ndarray, "batch n"]) -> Float64[np.ndarray, "batch r"]:
        """relu(W x + b)."""
        return np.maximum(x @ self.weights.T + self.biases, 0.0)


def unbiased_layer(n: int, k: int, width: int, rng: np.random.Generator) -> Layer:
    """The initialisation of Theorem 4: r/2 random neurons, then the same with the opposite output weight."""
    if n % 2 == 0:
        raise ConfigError("n", n, "odd", "an even number of votes can tie")
    if width < 2 or width % 2:
        raise ConfigError("width", width, "even and >= 2", "neurons come in pairs")
    weights = rng.choice([-1.0, 1.0], size=(width // 2, n))
    biases = rng.choice([float(b) for b in bias_grid(k)], size=width // 2)
    output = rng.choice([-1.0, 1.0], size=width // 2)
    return Layer(
        weights=np.concatenate([weights, weights]),
        biases=np.concatenate([biases, biases]),
        output=np.concatenate([output, -output]),
    )


def population_gradient_of(
    layer: Layer, subset: Collection[int]
) -> tuple[Float64[np.ndarray, "r n"], Float64[np.ndarray, " r"]]:
    """Lemma 3: gradients in the weights and biases of the first layer, exactly, for any n."""
    found = [sign_neuron_gradient(signs, subset) for signs in layer.weights]
    by_weight, by_bias = np.array([g for g, _ in found]), np.array([g for _, g in found])
    return layer.output[:, None] * by_weight, layer.output * by_bias


def batch_gradient_of(
    layer: Layer, subset: Collection[int], batch: int, rng: np.random.Generator
) -> tuple[Float64[np.ndarray, "r n"], Float64[np.ndarray, " r"]]:
    """The same from B fresh examples: (-u_i/B) sum_b y_b (x_b, 1) 1[w_i.x_b + b_i > 0]."""
    half = len(layer.output) // 2  # the other half sees the same with the opposite sign
    r, n = half, layer.weights.shape[1]
    first = layer.weights[:half].T.astype(np.float32)
    total = np.zeros((r, n + 1))
    for x in _examples(n, batch, rng):
        signed = (_label(x, subset)[:, None] * (x @ first + layer.biases[:half] > 0)).astype(np.float32)
        total += np.column_stack([signed.T @ x, signed.sum(axis=0)])  # whole numbers below 2^24: exact
    gradient = -layer.output[:, None] * np.concatenate([total, total]) / batch
    return gradient[:, :n], gradient[:, n]


def first_step(
    layer: Layer,
    gradient: tuple[Float64[np.ndarray, "r n"], Float64[np.ndarray, " r"]],
    k: int,
) -> Layer:
    """W1 = -eta gW, b1 = b - eta gb, u1 = 0, with eta = 1/(k |xi_{k-1}|)."""
    rate = first_rate(layer.weights.shape[1], k)
    by_weight, by_bias = gradient
    return Layer(
        weights=-rate * by_weight, biases=layer.biases - rate * by_bias, output=np.zeros_like(layer.output)
    )  # the output layer rests in this step and is set to 0: see `decayed_output`


def first_rate(n: int, k: int) -> float:
    """eta = 1/(k |xi_{k-1}|)."""
    return math.exp(-log_majority_coefficient(n, k - 1)[1]) / k


def decayed_output(layer: Layer, subset: Collection[int]) -> Float64[np.ndarray, " r"]:
    """What u would be after the first step as printed, with decay 1 and the rate of the other weights:
    eta E[y relu(w_i.x + b_i)], by enumeration. The proof wants 0."""
    n, k = layer.weights.shape[1], len(subset)
    label = character(n, mask_of(subset, n))
    forms = (linear_form(w, b) for w, b in zip(layer.weights, layer.biases, strict=True))
    return first_rate(n, k) * np.array([np.mean(label * np.maximum(form, 0.0)) for form in forms])


def good_neurons(layer: Layer, subset: Collection[int]) -> Float64[np.ndarray, " r"]:
    """+1 (-1) for neurons whose step makes all relevant weights 1/(2k) (-1/(2k)); 0 for those that disagree on S."""
    signs = layer.weights[:, list(subset)]
    agree = np.abs(signs.sum(axis=1)) == len(subset)
    sign, _ = log_majority_coefficient(layer.weights.shape[1], len(subset) - 1)
    return np.where(agree, sign * layer.output * signs[:, 0], 0.0)


@dataclass(frozen=True, kw_only=True)
class StepErrors:
    """Claims 1 to 3 after a step with gradient error tau: the largest deviation of each and its bound."""

    tau: float
    relevant: float  # |w_ij -+ 1/(2k)| of neurons that agree on S, j in S
    relevant_bound: float  # tau / (k |xi_{k-1}|); printed without the k
    irrelevant: float  # |w_ij|, j not in S
    irrelevant_bound: float  # (|xi_{k+1}| + 2 tau) / (2k |xi_{k-1}|)
    bias: float  # |b1_i - b_i|
    bias_bound: float  # tau / (k |xi_{k-1}|)


def step_errors(
    layer: Layer,
    gradient: tuple[Float64[np.ndarray, "r n"], Float64[np.ndarray, " r"]],
    subset: Collection[int],
) -> StepErrors:
    """What one step with that gradient makes of the layer, against Claims 1 to 3 with the error that it has."""
    n, k = layer.weights.shape[1], len(subset)
    exact = population_gradient_of(layer, subset)
    tau = max(float(np.abs(found - true).max()) for found, true in zip(gradient, exact, strict=True))
    below, above = (math.exp(log_majority_coefficient(n, k + step)[1]) for step in (-1, 1))
    after, orientation = first_step(layer, gradient, k), good_neurons(layer, subset)
    inside = indicator(subset, n)
    good = orientation != 0
    wanted = orientation[good, None] / (2 * k)
    return StepErrors(
        tau=tau,
        relevant=float(np.abs(after.weights[good][:, inside] - wanted).max(initial=0.0)),
        relevant_bound=tau / (k * below),
        irrelevant=float(np.abs(after.weights[:, ~inside]).max()),
        irrelevant_bound=(above + 2 * tau) / (2 * k * below),
        bias=float(np.abs(after.biases - layer.biases).max()),
        bias_bound=tau / (k * below),
    )


def constructed_output(before: Layer, subset: Collection[int]) -> Float64[np.ndarray, " r"] | None:
    """The second layer of Claim 5 (corrected) on the neurons that the initialisation happens to have, equally spread
    over those of a kind, so that its norm is small; None if a kind is missing."""
    readout, orientation = corrected_readout(len(subset)), good_neurons(before, subset)
    output = np.zeros(len(before.output))
    for o, b, u in zip(readout.orientations, readout.biases, readout.weights, strict=True):
        kind = (orientation == o) & np.isclose(before.biases, float(b))
        if not kind.any():
            return None
        output[kind] += float(u) / kind.sum()
    return output


@dataclass(frozen=True, kw_only=True)
class Fit:
    """SGD on the second layer: its end, held-out loss and error at the steps recorded, mean loss of all steps."""

    output: Float64[np.ndarray, " r"]
    steps: Sequence[int]
    losses: Sequence[float]
    errors: Sequence[float]
    mean_loss: float  # of fresh batches before each step: unbiased for the mean of F(u_t)


def fit_second_layer(
    layer: Layer, subset: Collection[int], batch: int, steps: int, rate: float, rng: np.random.Generator,
    every: int = 100, held_out: int = 1 << 14,
) -> Fit:  # fmt: skip
    """u <- u - rate (1/B) sum_b -y_b 1[y_b f(x_b) < 1] phi(x_b) from u = 0, on fresh examples; error counts f = 0."""
    n = layer.weights.shape[1]
    test = next(_examples(n, held_out, rng, held_out))
    seen, target = layer.features(test), _label(test, subset)
    output, total, recorded = np.zeros(len(layer.output)), 0.0, []
    for step in range(steps + 1):
        if step % every == 0 or step == steps:
            margin = target * (seen @ output)
            recorded.append((step, float(np.maximum(0, 1 - margin).mean()), float((margin <= 0).mean())))
        if step == steps:
            break
        x = next(_examples(n, batch, rng))
        y, features = _label(x, subset), layer.features(x)
        margin = y * (features @ output)
        total += float(np.maximum(0, 1 - margin).mean())
        output = output + rate / batch * ((y * (margin < 1)) @ features)
    at, losses, errors = zip(*recorded, strict=True)
    return Fit(output=output, steps=at, losses=losses, errors=errors, mean_loss=total / max(steps, 1))


def hinge_of(
    layer: Layer, output: Float64[np.ndarray, " r"], subset: Collection[int], samples: int, rng: np.random.Generator
) -> float:
    """Mean hinge loss of u on fresh examples."""
    n, total = layer.weights.shape[1], 0.0
    for x in _examples(n, samples, rng):
        total += float(np.maximum(0, 1 - _label(x, subset) * (layer.features(x) @ output)).sum())
    return total / samples


def feature_bound(layer: Layer) -> float:
    """sup_x |phi(x)|_2 <= sqrt(sum_i (|w_i|_1 + |b_i|)^2): the rho of Theorem 8 for this layer."""
    return float(np.linalg.norm(np.abs(layer.weights).sum(axis=1) + np.abs(layer.biases)))


def _examples(
    n: int, count: int, rng: np.random.Generator, block: int = BLOCK
) -> Iterator[Float32[np.ndarray, "block n"]]:
    for start in range(0, count, block):
        rows = min(block, count - start)
        bits = np.unpackbits(rng.integers(0, 256, size=(rows, -(-n // 8)), dtype=np.uint8), axis=1, count=n)
        yield 1.0 - 2.0 * bits.astype(np.float32)


def _label(x: Real[np.ndarray, "batch n"], subset: Collection[int]) -> Float64[np.ndarray, " batch"]:
    mask_of(subset, x.shape[1])
    return np.prod(x[:, list(subset)], axis=1, dtype=np.float64)
