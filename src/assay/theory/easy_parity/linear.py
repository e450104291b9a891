"""What no linear method can do: Daniely and Malach 2020, theorem 2.

Features Psi: X -> [-1, 1]^N, predictors <Psi(x), w> with ||w|| <= B, hinge loss, a k-parity f_A of uniform bits. The
gradient at w = 0 is minus g_A = E[f_A Psi], and the f_A are orthonormal: the mean of ||g_A||^2 over the C(n, k) subsets
is at most N / C(n, k). So the mean over A of the least loss on uniform inputs is at least

    1 - B sqrt(2N) C(n, k)^(-1/4)    and, where k <= n/16,    1 - B sqrt(2N) / 2^k,

and on an easy parity, half of whose inputs are uniform, some A has at least half of that. B stands outside of the root:
the proof takes lambda = sqrt(2N) / (2^k B) in 1 - N / (lambda 2^2k) - lambda B^2 / 2, printed with 2^4k and sqrt(2NB).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from assay.errors import ConfigError
from assay.maths.subsets import log_binomial


def linear_bound(k: int, features: float, norm: float) -> float:
    """1/2 - sqrt(N) B / (2^k sqrt 2): theorem 2, for k <= n/16."""
    _check(features, norm)
    return 0.5 - math.sqrt(features) * norm * 2.0 ** -(k + 0.5)


def printed_linear_bound(k: int, features: float, norm: float) -> float:
    """1/2 - sqrt(N B) / (2^k sqrt 2): as printed, with B inside of the root."""
    _check(features, norm)
    return 0.5 - math.sqrt(features * norm) * 2.0 ** -(k + 0.5)


def general_linear_bound(n: int, k: int, features: float, norm: float) -> float:
    """1/2 - B sqrt(N/2) C(n, k)^(-1/4): the same for every n and k."""
    _check(features, norm)
    if not 1 <= k <= n:
        raise ConfigError("k", k, f"between 1 and n = {n}")
    return 0.5 - norm * math.sqrt(features / 2) * math.exp(-log_binomial(n, k) / 4)


def _check(features: float, norm: float) -> None:
    if features < 1:
        raise ConfigError("features", features, ">= 1")
    if not norm > 0:
        raise ConfigError("norm", norm, "> 0")


Matrix = Float64[np.ndarray, "points features"]


def bounded_features(kind: str, points: Float64[np.ndarray, "points n"], count: int, seed: int = 0) -> Matrix:
    """`count` random features of points of {-1, +1}^n, scaled into [-1, 1]: relu, sign or fourier of a random form."""
    rng = np.random.default_rng(seed)
    forms = points @ rng.normal(size=(points.shape[1], count)) / math.sqrt(points.shape[1])
    if kind == "relu":
        active = np.maximum(forms + rng.normal(size=count), 0)
        return active / np.maximum(active.max(axis=0), 1e-300)
    if kind == "sign":
        return np.where(forms + rng.normal(size=count) > 0, 1.0, -1.0)
    if kind == "fourier":
        return np.cos(math.pi * forms + rng.uniform(0, 2 * math.pi, size=count))
    raise ConfigError("features", kind, "relu, sign or fourier")


@dataclass(frozen=True, kw_only=True)
class Least:
    """The least hinge loss of ||w|| <= B: no more than `upper`, no less than `lower`."""

    lower: float
    upper: float


def least_loss(
    features: Matrix,
    label: Float64[np.ndarray, " points"],
    weight: Float64[np.ndarray, " points"],
    norm: float,
    steps: int = 100,
) -> Least:
    """min over ||w|| <= B of sum_x p(x) max(0, 1 - y Psi.w), from its dual, the maximum over 0 <= a(x) <= 1 of
    sum p a - B ||sum p a y Psi||. Any a gives a lower bound, the w along its sum an upper one. Where |Psi.w| <= 1
    throughout, the hinge never bends and a = 1 is best."""
    from scipy.optimize import minimize

    signed = features * (label * weight)[:, None]

    def negative_dual(a: np.ndarray) -> tuple[float, np.ndarray]:
        mean = a @ signed
        length = float(np.linalg.norm(mean))
        return norm * length - float(a @ weight), norm * (signed @ mean) / max(length, 1e-300) - weight

    def primal(direction: np.ndarray) -> float:
        w = norm * direction / max(float(np.linalg.norm(direction)), 1e-300)
        return min(float(weight @ np.maximum(0, 1 - label * (features @ (c * w)))) for c in (1.0, 0.7, 0.4, 0.2, 0.0))

    ones = np.ones(len(label))
    if norm * np.linalg.norm(features, axis=1).max() <= 1:
        exact = -negative_dual(ones)[0]
        return Least(lower=exact, upper=exact)
    found = minimize(
        negative_dual, ones, jac=True, method="L-BFGS-B", bounds=[(0, 1)] * len(ones), options={"maxiter": steps}
    )
    return Least(
        lower=max(-negative_dual(ones)[0], -float(found.fun)),
        upper=min(primal(found.x @ signed), primal(ones @ signed)),
    )
