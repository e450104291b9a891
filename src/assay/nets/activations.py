"""Activations sigma(z); k is the degree of the task. Barak et al. 2022, section 2 and appendix C.

The oscillating family passes through the k+1 points (k - 2j, (-1)^j), so that with weights 1 on S and 0 elsewhere
sigma(w.x) = chi_S(x): on k set coordinates z = k - 2j where j of them are -1. All are aligned at sigma(k) = +1.
"""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

Activation = Callable[[Array, int], Array]


def relu(z: Array, k: int) -> Array:
    """max(0, z), with derivative 0 at 0; NaN stays NaN."""
    return jnp.where(z <= 0, 0.0, z)


def relu6(z: Array, k: int) -> Array:
    """min(max(0, z), 6), with derivative 0 at both ends; NaN stays NaN. Daniely and Malach 2020, section 2."""
    return jnp.where(z <= 0, 0.0, jnp.where(z >= 6, 6.0, z))


def cosine(z: Array, k: int) -> Array:
    """cos z, of random Fourier features."""
    return jnp.cos(z)


def power(z: Array, k: int) -> Array:
    """z^k."""
    result = z
    for _ in range(k - 1):
        result = result * z
    return result


def zigzag(z: Array, k: int) -> Array:
    """k-zigzag: straight between the k+1 points, with k pieces of slope +-1, the end pieces going on for ever."""
    t = (k - z) / 2
    return _zig(t, jnp.clip(jnp.floor(t), 0, k - 1))


def triangle(z: Array, k: int) -> Array:
    """Infinite zigzag: the triangle wave of period 4 with sigma(k) = +1."""
    t = (k - z) / 2
    return _zig(t, jnp.floor(t))


def _zig(t: Array, piece: Array) -> Array:
    sign = 1 - 2 * jnp.mod(piece, 2)
    return sign * (1 - 2 * (t - piece))


def polynomial(z: Array, k: int) -> Array:
    """The degree-k interpolant of the k+1 points, sum_j (-2)^j binom((k - z)/2, j), by Horner on its monomials."""
    result = jnp.zeros_like(z)
    for coefficient in oscillating_coefficients(k):
        result = result * z + np.float32(coefficient)
    return result


def oscillating_coefficients(k: int) -> np.ndarray:
    """Monomial coefficients of the oscillating polynomial, highest power first."""
    t = np.polynomial.Polynomial([k / 2, -1 / 2])
    total, binomial = np.polynomial.Polynomial([0.0]), np.polynomial.Polynomial([1.0])
    for j in range(k + 1):
        total = total + (-2.0) ** j * binomial
        binomial = binomial * (t - j) / (j + 1)
    coefficients = total.coef
    # the polynomial has the parity of k: every other coefficient vanishes, and rounding must not leave crumbs
    coefficients[k - 1 :: -2] = 0.0
    return coefficients[::-1]


def sinusoid(z: Array, k: int) -> Array:
    """cos(pi (z - k) / 2) = sin(pi z / 2 + pi (1 - k) / 2)."""
    return jnp.cos(np.float32(np.pi / 2) * (z - k))


PLAIN = ("relu", "relu6", "cosine")
"""Those that k does not matter to: nets for parities of every order share a program."""

ACTIVATIONS: dict[str, Activation] = {
    function.__name__: function for function in (relu, relu6, cosine, power, zigzag, polynomial, triangle, sinusoid)
}
