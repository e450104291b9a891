"""An easy parity in full: its inputs with their weights, and gradient steps on them without sampling, in float64.

Daniely and Malach 2020, sections 2 and 3: g(x) = sum_i u_i sigma(w_i.x + b_i) with sigma(z) = min(max(z, 0), 6), hinge
loss, first a step that forgets the initial weights, then gradient descent on loss + lambda (||u||^2 + ||W||^2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.maths.fourier import character


@dataclass(frozen=True)
class Population:
    """Inputs of {-1/sqrt n, +1/sqrt n}^n, the parity of the first k, and the probabilities of both halves."""

    x: Float64[np.ndarray, "points n"]
    y: Float64[np.ndarray, " points"]
    uniform: Float64[np.ndarray, " points"]  # D^(1)
    told: Float64[np.ndarray, " points"]  # D^(2): the relevant bits are equal
    k: int

    @classmethod
    def of(cls, n: int, k: int) -> Population:
        if k % 2 == 0 or not 1 <= k <= n:
            raise ConfigError("k", k, f"odd, between 1 and n = {n}")
        points = cube(n).astype(np.float64)
        equal = np.abs(points[:, :k].sum(axis=1)) == k
        size = len(points)
        y = character(n, (1 << k) - 1).astype(np.float64)
        return cls(points / np.sqrt(n), y, np.full(size, 1 / size), equal / equal.sum(), k)

    @property
    def n(self) -> int:
        return self.x.shape[1]

    @property
    def weight(self) -> Float64[np.ndarray, " points"]:
        """Half and half."""
        return (self.uniform + self.told) / 2


@dataclass(frozen=True)
class Net:
    """The parameters."""

    w: Float64[np.ndarray, "neurons n"]
    b: Float64[np.ndarray, " neurons"]
    u: Float64[np.ndarray, " neurons"]

    @classmethod
    def start(cls, n: int, k: int, q: int, seed: int = 0, pairs: str = "zero-output") -> Net:
        """2q neurons; the second q are (w, b, -u), or as printed (-w, -b, -u)."""
        rng = np.random.default_rng(seed)
        w, u = rng.integers(-1, 2, size=(q, n)).astype(np.float64), rng.uniform(-n / k, n / k, size=q)
        sign = -1.0 if pairs == "literal" else 1.0
        b = np.full(q, 1 / (8 * k))
        return cls(np.concatenate([w, sign * w]), np.concatenate([b, sign * b]), np.concatenate([u, -u]))

    def hidden(self, x: Float64[np.ndarray, "points n"]) -> Float64[np.ndarray, "points neurons"]:
        return np.clip(x @ self.w.T + self.b, 0, 6)

    def output(self, x: Float64[np.ndarray, "points n"]) -> Float64[np.ndarray, " points"]:
        return self.hidden(x) @ self.u

    def gradient(self, on: Population) -> Net:
        """Of the population's hinge loss."""
        hidden = self.hidden(on.x)
        slope = -on.y * on.weight * (1 - on.y * (hidden @ self.u) > 0)
        gate = (hidden > 0) & (hidden < 6)
        back = gate * slope[:, None] * self.u
        return Net(back.T @ on.x, back.sum(axis=0), hidden.T @ slope)

    def loss(self, on: Population) -> float:
        return float(on.weight @ np.maximum(0, 1 - on.y * self.output(on.x)))

    def errors(self, on: Population) -> int:
        """Inputs of the cube that are answered wrongly."""
        return int((on.y * self.output(on.x) <= 0).sum())

    def leap(self, on: Population) -> Net:
        """Step 1, of rate 1 and lambda = 1/2."""
        g = self.gradient(on)
        return Net(-g.w, self.b - g.b, -g.u)

    def step(self, on: Population, rate: float, decay: float = 0.0) -> Net:
        """A later step; `decay` is lambda."""
        g = self.gradient(on)
        keep = 1 - 2 * rate * decay
        return Net(keep * self.w - rate * g.w, self.b - rate * g.b, keep * self.u - rate * g.u)
