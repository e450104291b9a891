"""Linear methods on easy parities: random features, tangent features and kernels, each at its best scale and penalty.

All predict sign <Psi(x), w> with features Psi that do not depend on the task, so that theorem 2 of Daniely and Malach
2020 is about each of them. They see the examples that `Offline` data of the same seed has, and are chosen by
their error on uniform inputs of a sample of their own: whatever can be won there, they win.

    relu      max(0, w.x + c b)                       N random neurons
    fourier   cos((w.x) / c + b)                      N random frequencies; for many N the Gaussian kernel
    gated     x 1[w.x + c b > 0], 1[w.x + c b > 0]    the tangent features of N / (n + 1) random neurons
    rbf       exp(-||x - y||^2 / (2 c^2))             kernel
    ntk       (z.z') k_0 + |z| |z'| k_1               kernel of infinitely many tangent features, z = (x, c)

with k_0 = (pi - t)/pi, k_1 = (sin t + (pi - t) cos t)/pi, t the angle of z and z' (Jacot, Gabriel, Hongler 2018;
Cho and Saul 2009).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float64

from assay.errors import UnknownName
from assay.maths import streams
from assay.tasks.easy_parity import EasyParity

FEATURES = ("relu", "fourier", "gated")
KERNELS = ("rbf", "ntk")
SCALES = (0.3, 1.0, 3.0)
PENALTIES = (1e-3, 1e-1, 10.0, 1e3)

Rows = Float64[np.ndarray, "m n"]


@dataclasses.dataclass(frozen=True)
class Sample:
    """Inputs, labels, and which inputs are uniform."""

    x: Rows
    y: Float64[np.ndarray, " m"]
    uniform: Bool[np.ndarray, " m"]


def sample(task: EasyParity, seed: int, stream: str, count: int) -> Sample:
    """Examples 0, ..., count - 1 of a stream, those that the task itself has, by numpy."""
    words = streams.host_words(streams.host_key(seed, stream), np.arange(count, dtype=np.uint32), task.num_words + 1)
    bits = np.unpackbits(words[:, :-1].astype("<u4").view(np.uint8), axis=1, count=task.n, bitorder="little")
    coin, hidden = words[:, -1], list(task.coordinates(seed))
    told = (coin >> 8) < round(task.hint * 2**24)
    bits[:, hidden] = np.where(told[:, None], (coin & 1)[:, None], bits[:, hidden])
    signs = 1.0 - 2.0 * bits
    return Sample(signs / math.sqrt(task.n), signs[:, hidden].prod(axis=1), ~told)


def features(kind: str, x: Rows, count: int, scale: float, seed: int = 0) -> Float64[np.ndarray, "m features"]:
    """About `count` random features of inputs of length 1."""
    rng, n = np.random.default_rng(seed), x.shape[1]
    if kind == "gated":
        count = max(1, count // (n + 1))
    w, b = rng.normal(size=(n, count)), rng.normal(size=count)
    if kind == "relu":
        return np.maximum(0, x @ w + scale * b)
    if kind == "fourier":
        return np.cos(x @ w / scale + rng.uniform(0, 2 * math.pi, size=count))
    if kind == "gated":
        gates = (x @ w + scale * b > 0).astype(np.float64)
        return np.concatenate([(gates[:, :, None] * x[:, None]).reshape(len(x), -1), gates], axis=1)
    raise UnknownName("kind of features", kind, FEATURES)


def kernel(kind: str, x: Rows, z: Rows, scale: float) -> Float64[np.ndarray, "m p"]:
    """The kernel matrix of inputs of length 1."""
    inner = x @ z.T
    if kind == "rbf":
        return np.exp((inner - 1) / scale**2)
    if kind == "ntk":
        length = 1 + scale**2
        cosine = np.clip((inner + scale**2) / length, -1, 1)
        angle = np.arccos(cosine)
        flat = (math.pi - angle) / math.pi
        return length * (cosine * flat + (np.sin(angle) + (math.pi - angle) * cosine) / math.pi)
    raise UnknownName("kernel", kind, KERNELS)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Fit:
    """The best of a method's scales and penalties: its errors on all inputs and on uniform ones alone."""

    scale: float
    penalty: float
    error: float
    uniform_error: float


def best_features(
    kind: str, count: int, train: Sample, choose: Sample, test: Sample, scales: Sequence[float] = SCALES
) -> Fit:
    """Ridge regression of the labels on random features."""
    from sklearn.linear_model import Ridge

    found = []
    for scale in scales:
        known, seen, asked = (features(kind, part.x, count, scale) for part in (train, choose, test))
        model = Ridge(alpha=np.array(PENALTIES)).fit(known, _each(train.y))  # products of features are taken once
        found += _scored(model.predict(seen), model.predict(asked), choose, test, scale)
    return _best(found)


def best_kernels(
    kind: str, train: Sample, choose: Sample, test: Sample, scales: Sequence[float] = SCALES
) -> dict[str, Fit]:
    """Kernel ridge regression and a support vector machine (`ridge`, `svm`), which share their kernel matrices."""
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.svm import SVC

    found: dict[str, list[tuple[float, Fit]]] = {"ridge": [], "svm": []}
    for scale in scales:
        known, seen, asked = (kernel(kind, part.x, train.x, scale) for part in (train, choose, test))
        ridge = KernelRidge(alpha=np.array(PENALTIES), kernel="precomputed").fit(known, _each(train.y))
        found["ridge"] += _scored(ridge.predict(seen), ridge.predict(asked), choose, test, scale)
        machines = [SVC(C=1 / penalty, kernel="precomputed").fit(known, train.y) for penalty in PENALTIES]
        early, late = (np.stack([each.predict(part) for each in machines], axis=1) for part in (seen, asked))
        found["svm"] += _scored(early, late, choose, test, scale)
    return {method: _best(fits) for method, fits in found.items()}


def _each(y: Float64[np.ndarray, " m"]) -> Float64[np.ndarray, "m penalties"]:
    """The labels once for each penalty."""
    return np.repeat(y[:, None], len(PENALTIES), axis=1)


def _best(found: list[tuple[float, Fit]]) -> Fit:
    return min(found, key=lambda pair: pair[0])[1]


def _scored(seen: np.ndarray, asked: np.ndarray, choose: Sample, test: Sample, scale: float) -> list[tuple[float, Fit]]:
    """Of answers in a column for each penalty: the error that a fit is chosen by, and what it then comes to."""
    pairs = []
    for penalty, early, late in zip(PENALTIES, seen.T, asked.T, strict=True):
        wrong, chosen = late * test.y <= 0, (early * choose.y <= 0)[choose.uniform].mean()
        error, uniform_error = float(wrong.mean()), float(wrong[test.uniform].mean())
        pairs.append((float(chosen), Fit(scale=scale, penalty=penalty, error=error, uniform_error=uniform_error)))
    return pairs
