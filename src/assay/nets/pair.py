"""One hidden layer on two symbols: f(a, b) = W^T sigma(u(a) + v(b)), without biases.

The same as an MLP on the concatenation of two unit vectors, with the products by them left out: each hidden layer is a
row of one table plus a row of another. With sigma(z) = z^2 or relu it is homogeneous of degree 3 or 2 in all its
weights (Morwani et al. 2023, section 7.1.1; Gromov 2023).
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.config import at_least, between, one_of, shape
from assay.maths.streams import Key, split
from assay.nets.activations import ACTIVATIONS
from assay.nets.base import Net, Params
from assay.nets.init import Init
from assay.tasks.base import Rows


class PairNet(Net, kind="pair"):
    """`width` neurons that read a pair of symbols; each of the two, and the answer, is one of `outputs`."""

    width: int = shape(check=at_least(1), doc="neurons")
    activation: str = shape(default="power", check=one_of("power", "relu"))
    degree: int = shape(default=2, check=at_least(1), doc="k of z^k; nothing to a ReLU")
    inputs: int | None = shape(default=None, check=between(2, 2), doc="the task's if none")
    outputs: int | None = shape(default=None, check=at_least(2), doc="number of symbols; the task's if none")

    @property
    def size(self) -> int:
        return 3 * self.width * (self.outputs or 0)

    @property
    def pair_values(self) -> int:
        return self.width

    @property
    def homogeneity(self) -> int:
        return self.degree + 1 if self.activation == "power" else 2

    def init(self, key: Key, scheme: Init) -> Params:
        n, m = self.outputs or 0, self.width
        left, right, out = split(key, 3)
        return {
            "left": {"weight": scheme.weight(left, (n, m), 2 * n, first=True)},
            "right": {"weight": scheme.weight(right, (n, m), 2 * n, first=True)},
            "output": {"weight": scheme.weight(out, (m, n), m)},
        }

    def apply(self, params: Params, x: Any) -> Float[Array, "B n"]:
        u, v = params["left"]["weight"], params["right"]["weight"]
        if isinstance(x, Rows):
            z = (u[x.first][:, None] + v[None]).reshape(-1, self.width)
        else:
            z = u[x[:, 0]] + v[x[:, 1]]
        return ACTIVATIONS[self.activation](z, self.degree) @ params["output"]["weight"]

    def neurons(self, params: Params) -> Float[Array, "m d"]:
        u, v, w = (params[layer]["weight"] for layer in ("left", "right", "output"))
        return jnp.concatenate([u.T, v.T, w], axis=1)
