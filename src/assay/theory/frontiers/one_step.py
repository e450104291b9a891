"""The over-sparse algorithm of Theorem 4 from end to end: initialise, one step, an output layer on frozen features.

In population mode the step uses the exact gradient, in sample mode that of m examples; both may zero the entries below
|C|/2 before (the truncation of the theorem's footnote). The output layer minimises hinge loss + (lambda/2)|u|^2 by full
gradient descent with rates 1/(lambda t) (Shamir and Zhang 2013). Edelman et al. 2023, Theorem 16.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from jaxtyping import Float64

from assay.errors import ConfigError
from assay.theory.frontiers.oversparse import biases, coefficients


@dataclasses.dataclass(frozen=True, kw_only=True)
class Outcome:
    """Errors on the training and on fresh examples, and what the first half of the neurons was."""

    train_error: float
    test_error: float
    good: int  # neurons whose support holds S
    found: float  # of these, those whose k largest weights after the step are on S


def oversparse_train(
    n: int,
    k: int,
    s: int,
    width: int,
    rng: np.random.Generator,
    *,
    samples: int | None = None,
    truncate: bool = False,
    offset: float = 1.0 / 2,
    steps: int = 2000,
    penalty: float = 1e-5,
    examples: int = 4000,
) -> Outcome:
    """`width` neurons, mirrored. Without `samples` the step is the population's and the output layer sees `examples`
    examples; with them both see the same training set. The subset is the first k coordinates."""
    if width < 2 or width % 2:
        raise ConfigError("width", width, "even and >= 2", "neurons come in mirrored pairs")
    big, small = coefficients(k, s)
    half = width // 2
    support = np.argsort(rng.random((half, n)), axis=1)[:, :s]
    weights = np.zeros((half, n))
    np.put_along_axis(weights, support, 1.0, axis=1)
    bias = rng.choice(biases(k, 0, offset), size=half)
    sign = rng.choice([-1.0, 1.0], size=half)
    x = rng.choice(np.array([-1.0, 1.0]), size=(samples or examples, n))
    y = np.prod(x[:, :k], axis=1)
    gradient = _population(weights, k, big, small) if samples is None else _batch(weights, bias, x, y)
    if truncate:
        gradient = np.where(np.abs(gradient) > abs(big) / 2, gradient, 0.0)
    first = sign[:, None] * gradient / (2 * k * abs(big))  # w = -eta dL/dw, and dL/dw = -u times this gradient
    first, bias = np.concatenate([first, -first]), np.concatenate([bias, bias])

    def features(points: np.ndarray) -> np.ndarray:
        return np.column_stack([np.ones(len(points)), np.maximum(points @ first.T + bias, 0.0)])

    seen = features(x)
    scale = max(float(np.sqrt((seen**2).sum(axis=1)).max()), 1e-12)
    output = readout(seen / scale, y, steps, penalty)
    fresh = rng.choice(np.array([-1.0, 1.0]), size=(4000, n))
    right = features(fresh) / scale @ output * np.prod(fresh[:, :k], axis=1) > 0
    good = weights[:, :k].all(axis=1)
    tops = np.sort(np.argsort(-np.abs(gradient[good]), axis=1)[:, :k], axis=1)
    found = float((tops == np.arange(k)).all(axis=1).mean()) if good.any() else 0.0
    train = float((seen / scale @ output * y <= 0).mean())
    return Outcome(train_error=train, test_error=float(1 - right.mean()), good=int(good.sum()), found=found)


def readout(
    features: Float64[np.ndarray, "m r"], y: Float64[np.ndarray, " m"], steps: int, penalty: float
) -> Float64[np.ndarray, " r"]:
    """u <- u - (penalty u - mean_i y_i phi_i 1[y_i f_i < 1]) / (penalty t) from u = 0; the iterate of least loss."""
    output, best, least = np.zeros(features.shape[1]), np.zeros(features.shape[1]), np.inf
    for t in range(1, steps + 1):
        margin = y * (features @ output)
        loss = np.maximum(0, 1 - margin).mean() + penalty / 2 * output @ output
        if loss < least:
            best, least = output, loss
        slope = penalty * output - (y * (margin < 1)) @ features / len(y)
        output = output - slope / (penalty * t)
    return best


def _population(weights: np.ndarray, k: int, big: float, small: float) -> np.ndarray:
    """Lemmas 8 and 9."""
    inside = weights[:, :k].sum(axis=1)
    gradient = np.zeros_like(weights)
    good = inside == k
    gradient[good] = small * weights[good]
    gradient[np.ix_(good, range(k))] = big
    almost = inside == k - 1
    gradient[np.ix_(almost, range(k))] = big * (1 - weights[np.ix_(almost, range(k))])
    return gradient


def _batch(weights: np.ndarray, bias: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """mean_i y_i x_i 1(w.x_i + b > 0)."""
    return ((x @ weights.T + bias > 0).T * y) @ x / len(y)
