"""Why a small net has to learn its features: its tangent kernel at initialisation fits few parities.

Features Psi(x), |Psi| <= 1, predict with Psi.w, |w| <= R. For every S the hinge loss on chi_S is

    E[(1 - y Psi.w)_+] >= 1 - w.E[chi_S Psi] >= 1 - R c_S,    c_S = |E[chi_S Psi]|,

and the squares of all 2^n numbers c_S add up to E|Psi|^2 <= 1, so that the worst of C(n, k) subsets has
c_S <= C(n, k)^(-1/2): Barak et al. 2022, Theorem 5, which asks for D R^2 < eps^2 C(n, k), without its factor D. For the
0-1 loss it cannot hold: of w and -w one is right at least half of the time.

The features are the gradient of a ReLU net sum_j u_j relu(w_j.x + b_j) in its r (n + 2) parameters, divided by its
largest norm. They are never written out: all that is needed are products with them.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from assay.errors import ConfigError
from assay.maths.cube import cube, linear_form
from assay.maths.fourier import character, fourier_coefficients
from assay.maths.subsets import log_binomial, mask_of, subset_masks


@dataclass(frozen=True, kw_only=True)
class TangentFeatures:
    """The gradient of the net over the whole cube: of w_j it is u_j 1[form_j > 0] x, of b_j u_j 1[form_j > 0], of u_j
    relu(form_j), all over `norm`."""

    points: Float64[np.ndarray, "points n"]
    forms: Float64[np.ndarray, "points r"]  # w_j.x + b_j
    output: Float64[np.ndarray, " r"]
    norm: float  # of the longest gradient

    @property
    def dimension(self) -> int:
        """D = r (n + 2)."""
        return self.forms.shape[1] * (self.points.shape[1] + 2)

    def predict(self, direction: Float64[np.ndarray, "r blocks"]) -> Float64[np.ndarray, " points"]:
        """Psi(x).w at every point; row j of w holds the parts of w_j, b_j and u_j."""
        inner = self.points @ direction[:, :-2].T + direction[:, -2]
        active = self.forms > 0
        return np.sum(active * (self.output * inner + self.forms * direction[:, -1]), axis=1) / self.norm

    def correlate(self, values: Float64[np.ndarray, " points"]) -> Float64[np.ndarray, "r blocks"]:
        """sum_x v(x) Psi(x): the transpose of `predict`."""
        active = (self.forms > 0) * values[:, None]
        by_output = np.sum(active * self.forms, axis=0)
        by_first = self.output[:, None] * np.column_stack([active.T @ self.points, active.sum(axis=0)])
        return np.column_stack([by_first, by_output]) / self.norm

    def squared_norms(self) -> Float64[np.ndarray, " points"]:
        """|Psi(x)|^2."""
        return _squared_norms(self.points, self.forms, self.output) / self.norm**2


def tangent_features(n: int, width: int, rng: np.random.Generator) -> TangentFeatures:
    """Of a net with weights and biases uniform on +-1/sqrt(fan in)."""
    if width < 1:
        raise ConfigError("width", width, ">= 1")
    bound = n**-0.5
    weights, biases = rng.uniform(-bound, bound, size=(width, n)), rng.uniform(-bound, bound, size=width)
    output = rng.uniform(-(width**-0.5), width**-0.5, size=width)
    points = cube(n).astype(np.float64)
    forms = np.stack([linear_form(w, float(b)) for w, b in zip(weights, biases, strict=True)], axis=1)
    norm = math.sqrt(_squared_norms(points, forms, output).max())
    return TangentFeatures(points=points, forms=forms, output=output, norm=norm)


def squared_correlations(features: TangentFeatures) -> Float64[np.ndarray, " subsets"]:
    """c_S^2 for every subset by its bitmask, from two transforms a neuron: x_i 1[form > 0] has at S the coefficient
    that 1[form > 0] has at S ^ {i}."""
    n = features.points.shape[1]
    masks, total = np.arange(1 << n), np.zeros(1 << n)
    for form, u in zip(features.forms.T, features.output, strict=True):
        active = fourier_coefficients((form > 0).astype(np.float64)) ** 2
        near = active + sum(active[masks ^ (1 << i)] for i in range(n))
        total += u**2 * near + fourier_coefficients(np.maximum(form, 0.0)) ** 2
    return total / features.norm**2


def hardest_subset(squared: Float64[np.ndarray, " subsets"], k: int) -> tuple[int, float]:
    """The mask of the k-subset with the smallest c_S, and c_S."""
    masks = subset_masks(len(squared).bit_length() - 1, k)
    worst = int(masks[np.argmin(squared[masks])])
    return worst, math.sqrt(squared[worst])


def kernel_bound(n: int, k: int, radius: float) -> float:
    """1 - R C(n, k)^(-1/2), or 0: what the least hinge loss within R is at the worst subset of size k, or more."""
    if not 1 <= k <= n:
        raise ConfigError("k", k, f"between 1 and n = {n}")
    if not radius > 0:
        raise ConfigError("radius", radius, "> 0")
    return max(0.0, 1 - radius * math.exp(-log_binomial(n, k) / 2))


@dataclass(frozen=True, kw_only=True)
class LeastLoss:
    """The least hinge loss within a radius, between a dual and a primal value; `direction` attains the upper one."""

    lower: float
    upper: float
    direction: Float64[np.ndarray, "r blocks"]


def least_hinge_loss(features: TangentFeatures, subset: Collection[int], radius: float, steps: int = 500) -> LeastLoss:
    """min over |w| <= R of E[(1 - y Psi.w)_+] through its dual, max over 0 <= a(x) <= 1 of E[a] - R |E[a y Psi]|.

    a = 1 gives the bound 1 - R c_S. From there L-BFGS-B with box constraints; every a gives a lower bound and, by the
    direction E[a y Psi] at some length up to R, an upper one.
    """
    from scipy.optimize import minimize

    if not radius > 0:
        raise ConfigError("radius", radius, "> 0")
    n, size = features.points.shape[1], len(features.points)
    label = character(n, mask_of(subset, n)).astype(np.float64)

    def primal(direction: np.ndarray) -> float:
        return float(np.maximum(0, 1 - label * features.predict(direction)).mean())

    def negative_dual(weights: np.ndarray) -> tuple[float, np.ndarray]:
        mean = features.correlate(weights * label) / size
        length = float(np.linalg.norm(mean))
        slope = radius * label * features.predict(mean / max(length, 1e-300)) - 1
        return radius * length - float(weights.mean()), slope / size

    start = np.ones(size)
    found = minimize(
        negative_dual, start, jac=True, method="L-BFGS-B", bounds=[(0, 1)] * size,
        options={"maxiter": steps, "maxfun": 2 * steps, "ftol": 1e-12, "gtol": 1e-10},
    )  # fmt: skip
    upper, best = 1.0, np.zeros_like(features.correlate(start))  # w = 0 has loss 1
    for direction in (_unit(features, start * label), _unit(features, found.x * label)):
        for length in radius * np.array([1.0, 0.5, 0.25]):
            if (loss := primal(length * direction)) < upper:
                upper, best = loss, length * direction
    lower = max(-negative_dual(start)[0], -float(found.fun))
    return LeastLoss(lower=lower, upper=upper, direction=best)


def sign_errors(
    features: TangentFeatures, k: int, direction: Float64[np.ndarray, "r blocks"]
) -> Float64[np.ndarray, " subsets"]:
    """The smaller 0-1 loss of w and -w, whatever their length, for every subset of size k; an output of 0 is an error
    of both. At most 1/2 but for half of those: no bound above that can hold for the 0-1 loss."""
    answer = np.sign(features.predict(direction))
    correlation = fourier_coefficients(answer)[subset_masks(features.points.shape[1], k)]
    return (1 + (answer == 0).mean() - np.abs(correlation)) / 2


def _unit(features: TangentFeatures, values: np.ndarray) -> np.ndarray:
    mean = features.correlate(values)
    return mean / max(float(np.linalg.norm(mean)), 1e-300)


def _squared_norms(points: np.ndarray, forms: np.ndarray, output: np.ndarray) -> np.ndarray:
    active = forms > 0
    return (active * output**2).sum(axis=1) * (points.shape[1] + 1) + (active * forms**2).sum(axis=1)
