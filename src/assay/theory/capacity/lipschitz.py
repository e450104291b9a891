"""How much a head, a layer and a Transformer change with their weights: the lemmas behind the covering numbers, as
ratios of the two sides on given weights. None has a factor T.

Edelman, Goel, Kakade, Zhang 2022, lemmas 4.7, A.6, A.9 and A.13 to A.16. |M|_{2,inf} is the largest norm of a column,
so |Z'|_{2,inf} that of a row of Z. Rows of Z lie in the unit ball.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from jaxtyping import Float

Matrix = Float[np.ndarray, "_ _"]


def softmax(z: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Along the last axis."""
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def softmax_jacobian(z: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n n"]:
    """diag(p) - p p'; the sum of its absolute entries is 2 sum p_i (1 - p_i) <= 2."""
    p = softmax(z)
    return np.diag(p) - np.outer(p, p)


def to_ball(u: Matrix) -> Matrix:
    """Rows projected to the unit ball."""
    return u / np.maximum(1.0, np.linalg.norm(u, axis=-1, keepdims=True))


def relu(u: Matrix) -> Matrix:
    return np.maximum(u, 0.0)


def row_norm(u: Matrix) -> float:
    """|U'|_{2,inf}, the largest norm of a row."""
    return float(np.linalg.norm(u, axis=-1).max())


def spectral(u: Matrix) -> float:
    return float(np.linalg.norm(u, 2))


@dataclasses.dataclass(frozen=True)
class Layer:
    """W_Q, W_K, W_V, all [d, k], and W_C [k, d]."""

    q: Matrix
    k: Matrix
    v: Matrix
    c: Matrix

    @classmethod
    def random(cls, d: int, k: int, scale: float, rng: np.random.Generator) -> Layer:
        shapes = [(d, k), (d, k), (d, k), (k, d)]
        return cls(*(scale * rng.normal(size=shape) / np.sqrt(d) for shape in shapes))

    def near(self, distance: float, rng: np.random.Generator) -> Layer:
        """The same with every entry changed by about the distance."""
        return Layer(*(w + distance * rng.normal(size=w.shape) for w in (self.q, self.k, self.v, self.c)))

    @property
    def qk(self) -> Matrix:
        return self.q @ self.k.T

    def attend(self, z: Matrix) -> Matrix:
        """f(Z) = RowSoftmax(Z W_Q W_K' Z') Z W_V."""
        return softmax(z @ self.qk @ z.T) @ z @ self.v

    def block(self, z: Matrix) -> Matrix:
        """Pi(relu(Pi(f(Z))) W_C)."""
        return to_ball(relu(to_ball(self.attend(z))) @ self.c)

    @property
    def amplification(self) -> float:
        """B_C B_V (1 + 4 B_QK) at its own norms."""
        return spectral(self.c) * spectral(self.v) * (1 + 4 * spectral(self.qk))


def head_ratio(x: Matrix, context: Float[np.ndarray, " d"], one: Layer, other: Layer) -> float:
    """Lemma 4.7 for a head relu(W_V' X' softmax(X W_QK x)): the change of its output over
    2 B_V B_X |change of the scores|_inf + |change of the values|_{2,inf}."""

    def output(layer: Layer) -> Float[np.ndarray, " k"]:
        return np.maximum(softmax(x @ layer.qk @ context) @ x @ layer.v, 0.0)

    scores = np.abs(x @ (one.qk - other.qk) @ context).max()
    values = row_norm(x @ (one.v - other.v))
    bound = 2 * spectral(one.v) * row_norm(x) * scores + values
    return float(np.linalg.norm(output(one) - output(other)) / bound)


def weights_ratio(z: Matrix, one: Layer, other: Layer) -> float:
    """Lemma A.13: |f(Z; W) - f(Z; W')| over 2 |W_V| |(W_QK - W_QK') Z'| + |(W_V - W_V')' Z'|, rows' largest norms."""
    change = 2 * spectral(one.v) * row_norm(z @ (one.qk - other.qk).T) + row_norm(z @ (one.v - other.v))
    return row_norm(one.attend(z) - other.attend(z)) / change


def inputs_ratio(z: Matrix, near: Matrix, layer: Layer) -> float:
    """Lemma A.14: |f(Z) - f(Z')| over |W_V| (1 + 4 |W_QK|) |Z - Z'|."""
    bound = spectral(layer.v) * (1 + 4 * spectral(layer.qk)) * row_norm(z - near)
    return row_norm(layer.attend(z) - layer.attend(near)) / bound


def block_bound(g: Matrix, g_hat: Matrix, one: Layer, other: Layer) -> float:
    """Lemma A.15: what the outputs of two blocks may differ by, on different inputs (L_sigma = 1)."""
    b_c, b_v = max(spectral(one.c), spectral(other.c)), max(spectral(one.v), spectral(other.v))
    b_qk = max(spectral(one.qk), spectral(other.qk))
    return (
        row_norm(relu(to_ball(other.attend(g_hat))) @ (one.c - other.c))
        + b_c * b_v * (1 + 4 * b_qk) * row_norm(g - g_hat)
        + 2 * b_c * b_v * row_norm(g_hat @ (one.qk - other.qk).T)
        + b_c * row_norm(g_hat @ (one.v - other.v))
    )


def stack_ratio(
    z: Matrix, ones: list[Layer], others: list[Layer], w: Float[np.ndarray, " d"], w_hat: Float[np.ndarray, " d"]
) -> float:
    """Lemma A.16 through all layers: the change of w.g_CLS over the error that the proof of theorem A.17 adds up."""
    g = g_hat = z
    bound = 0.0
    for one, other in zip(ones, others, strict=True):
        carried = bound  # in place of |g - g'|, which it bounds
        b_c, b_v = max(spectral(one.c), spectral(other.c)), max(spectral(one.v), spectral(other.v))
        b_qk = max(spectral(one.qk), spectral(other.qk))
        own = block_bound(g_hat, g_hat, one, other)
        bound = own + b_c * b_v * (1 + 4 * b_qk) * carried
        g, g_hat = one.block(g), other.block(g_hat)
    change = abs(float(w @ g[0] - w_hat @ g_hat[0]))
    return change / (float(np.linalg.norm(w)) * bound + abs(float((w - w_hat) @ g_hat[0])))
