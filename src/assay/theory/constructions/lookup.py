"""A ReLU network of three layers that looks values up, exactly: lemma A.25, corrected.

Points x_1..x_n in R^f with |x_i|_inf <= B, at least 4 delta apart in some coordinate, and values f(x_i): the net
returns f(x_i) on the whole ball |z - x_i|_inf <= delta. With q = (x - x_0)/delta a bump is 1 for |q| <= 1 and 0 for
|q| >= 2:

    psi = (q+2)_+ - (q+1)_+ - (q-1)_+ + (q-2)_+.

The second layer fires where all f bumps do; the third has the values. As printed the third and fourth term have 2 - q
and 1 - q for q - 1 and q - 2, with signs + and -, which is 0 at the centre: no bump. The bound on the first layer is
max(1/delta, B/delta + 2); the printed max(1, B)/delta leaves out the 2.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from jaxtyping import Float

SIGNS = (1, -1, -1, 1)


@dataclasses.dataclass(frozen=True)
class Lookup:
    """((([y 1] W_1)_+ 1] W_2)_+ w, with W_1 [f+1, 4nf] and W_2 [4nf+1, 2n]; biases are the last rows."""

    first: Float[np.ndarray, "f1 d2"]
    second: Float[np.ndarray, "d21 d3"]
    values: Float[np.ndarray, " d3"]

    def __call__(self, y: Float[np.ndarray, "N f"]) -> Float[np.ndarray, " N"]:
        hidden = np.maximum(y @ self.first[:-1] + self.first[-1], 0.0)
        return np.maximum(hidden @ self.second[:-1] + self.second[-1], 0.0) @ self.values

    @property
    def dimensions(self) -> tuple[int, int]:
        """d_2 = 4 n f and d_3 = 2 n."""
        return self.first.shape[1], self.second.shape[1]

    @property
    def norms(self) -> dict[str, float]:
        """Largest entries."""
        parts = {"w1": self.first, "w2": self.second, "w": self.values}
        return {name: float(np.abs(part).max()) for name, part in parts.items()}


def lookup(
    points: Float[np.ndarray, "n f"], values: Float[np.ndarray, " n"], delta: float, printed: bool = False
) -> Lookup:
    """The network for points and values; delta is cut off at 1."""
    n, f = points.shape
    delta = min(delta, 1.0)
    offsets = (2, 1, -1, -2) if not printed else (2, 1, 2, 1)
    slopes = (1, 1, 1, 1) if not printed else (1, 1, -1, -1)
    first = np.zeros((f + 1, 4, n, f))
    for c, (offset, slope) in enumerate(zip(offsets, slopes, strict=True)):
        first[np.arange(f), c, :, np.arange(f)] = slope / delta
        first[-1, c] = offset - slope * points / delta
    second = np.zeros((4, n, f, 2, n))
    for c, sign in enumerate(SIGNS):
        second[c, np.arange(n), :, :, np.arange(n)] = sign / delta
    second = second.reshape(4 * n * f, 2 * n)
    bias = np.concatenate([np.full(n, 1 - f / delta), np.full(n, -f / delta)])
    return Lookup(first.reshape(f + 1, -1), np.vstack([second, bias]), np.concatenate([values, -values]))
