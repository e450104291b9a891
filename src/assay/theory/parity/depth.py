"""Depth against degree: what the first layer of a deep quadratic net can know of a parity at initialisation.

f = u.z_{L-1} + c with z_i = (W_i z_{i-1} + b_i)^2 entry by entry and z_0 = x (Barak et al. 2022, appendix C.7). Under
the correlation loss the gradient of a weight of the first layer is

    d/dw_ji E[-y f] = -E[chi_S(x) x_i 2(w_j.x + b_j) df/dz_1j],    df/dz_1j of degree 2^(L-1) - 2 in x

(2^(L-2) - 1 in z_1), so that what chi_S is correlated with has degree 2^(L-1): where |S| is larger the gradient is
zero, for layer-wise training, in which the first layer has a linear head of its own (L = 2), from |S| = 3 on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Real

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.maths.fourier import coefficients_of_degree, fourier_coefficients


@dataclass(frozen=True, kw_only=True)
class QuadraticNet:
    """W_i, b_i of the layers that are squared, and u, c of the last, which is not."""

    weights: Sequence[Float64[np.ndarray, "_ _"]]  # [out, in]
    biases: Sequence[Float64[np.ndarray, " _"]]
    output: Float64[np.ndarray, " last"]
    constant: float = 0.0

    def __call__(self, x: Real[np.ndarray, "points n"]) -> Float64[np.ndarray, " points"]:
        """f(x)."""
        z = np.asarray(x, dtype=np.float64)
        for weight, bias in zip(self.weights, self.biases, strict=True):
            z = (z @ weight.T + bias) ** 2
        return z @ self.output + self.constant

    def sensitivity(self, x: Real[np.ndarray, "points n"]) -> Float64[np.ndarray, "points first"]:
        """df/dz_1j."""
        forms, z = [], np.asarray(x, dtype=np.float64)
        for weight, bias in zip(self.weights, self.biases, strict=True):
            forms.append(z @ weight.T + bias)
            z = forms[-1] ** 2
        slope = np.broadcast_to(self.output, z.shape)
        for weight, form in zip(self.weights[:0:-1], forms[:0:-1], strict=True):
            slope = (slope * 2 * form) @ weight
        return slope


def random_net(n: int, widths: Sequence[int], rng: np.random.Generator) -> QuadraticNet:
    """Weights, biases and output uniform on +-1/sqrt(fan in), as in the experiments."""
    if not widths or min(widths) < 1:
        raise ConfigError("widths", tuple(widths), "one width >= 1 or more")
    fans = [n, *widths]
    draw = lambda fan, *shape: rng.uniform(-(fan**-0.5), fan**-0.5, size=shape)  # noqa: E731
    return QuadraticNet(
        weights=[draw(fan, width, fan) for fan, width in zip(fans, widths, strict=False)],
        biases=[draw(fan, width) for fan, width in zip(fans, widths, strict=False)],
        output=draw(widths[-1], widths[-1]),
        constant=float(draw(widths[-1])),
    )


def gradient_by_degree(net: QuadraticNet) -> Float64[np.ndarray, " degrees"]:
    """Entry k: the largest |d/dw_ji E[-chi_S f]| of the first layer over all j, i and all S of size k, k = 0, ..., n,
    by one transform of each x_i 2(w_j.x + b_j) df/dz_1j."""
    n = net.weights[0].shape[1]
    x = cube(n).astype(np.float64)
    through = 2 * (x @ net.weights[0].T + net.biases[0]) * net.sensitivity(x)
    correlated = fourier_coefficients((x[:, :, None] * through[:, None, :]).reshape(len(x), -1).T)
    return np.array([np.abs(coefficients_of_degree(correlated, k)).max() for k in range(n + 1)])


def sensitivity_by_degree(net: QuadraticNet) -> Float64[np.ndarray, " degrees"]:
    """Entry d: the largest coefficient of df/dz_1j at a set of d coordinates."""
    n = net.weights[0].shape[1]
    spectrum = fourier_coefficients(net.sensitivity(cube(n)).T)
    return np.array([np.abs(coefficients_of_degree(spectrum, d)).max() for d in range(n + 1)])


def tower(levels: int) -> QuadraticNet:
    """A net of L = levels + 1 layers of widths k/2, ..., 2, 1 that is the parity of its k = 2^levels inputs: pairs are
    multiplied by (a + b)^2 / 2 - 1 = a b, level by level. The -1 of the last level is the output bias."""
    if levels < 1:
        raise ConfigError("levels", levels, ">= 1")
    pairs = [np.kron(np.eye(2 ** (levels - i)), np.ones((1, 2))) for i in range(1, levels + 1)]
    return QuadraticNet(
        weights=[pairs[0], *(half / 2 for half in pairs[1:])],
        biases=[np.zeros(len(pairs[0])), *(np.full(len(half), -2.0) for half in pairs[1:])],
        output=np.array([0.5]),
        constant=-1.0,
    )
