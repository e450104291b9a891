"""PolyNet: f(x) = prod_{i=1..k} (w_i.x + b_i), a product of k linear factors.

Setting (xv) of Barak et al. 2022: it computes chi_S where the w_i are the unit vectors of S and b = 0.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.config import at_least, shape
from assay.errors import ConfigError
from assay.maths.streams import Key, split
from assay.nets.base import Net, Params
from assay.nets.init import Init


class PolyNet(Net, kind="polynet"):
    """Product of `degree` affine factors."""

    inputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")
    degree: int | None = shape(default=None, check=at_least(1), doc="number of factors; the task's if none")

    @property
    def size(self) -> int:
        return (self.degree or 0) * ((self.inputs or 0) + 1)

    def init(self, key: Key, scheme: Init) -> Params:
        n, k = self.inputs or 0, self.degree or 0
        weight_key, bias_key = split(key, 2)
        weight = scheme.weight(weight_key, (k, n), n, first=True)
        return {"factors": {"weight": weight, "bias": scheme.bias(bias_key, (k,), n)}}

    def apply(self, params: Params, x: Float[Array, "B n"]) -> Float[Array, " B"]:
        factors = params["factors"]["weight"] @ x.T + params["factors"]["bias"][:, None]  # [k, B]
        return product(factors)


def product(factors: Float[Array, "k B"]) -> Float[Array, " B"]:
    """The product over the first axis by multiplication alone: its gradient stays exact where a factor is 0."""
    result = factors[0]
    for i in range(1, factors.shape[0]):
        result = result * factors[i]
    return result


class DisjointPolyNet(Net, kind="disjoint-polynet"):
    """f(x) = prod_{i=1..k} w_i . x_{P_i}, one factor for each block P_i of n/k coordinates, without biases.

    Barak et al. 2022, section 4.2. Trained with the correlation loss."""

    inputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")
    degree: int | None = shape(default=None, check=at_least(1), doc="number of blocks; the task's if none")

    def validate(self) -> None:
        if self.inputs and self.degree and self.inputs % self.degree:
            raise ConfigError(f"{self.kind}.inputs", self.inputs, f"a multiple of degree = {self.degree}")

    @property
    def size(self) -> int:
        return self.inputs or 0

    def init(self, key: Key, scheme: Init) -> Params:
        k = self.degree or 1
        block = (self.inputs or 0) // k
        return {"factors": {"weight": scheme.weight(key, (k, block), block, first=True)}}

    def apply(self, params: Params, x: Float[Array, "B n"]) -> Float[Array, " B"]:
        weight = params["factors"]["weight"]
        blocks = x.reshape(x.shape[0], *weight.shape)  # [B, k, n/k]
        return product(jnp.einsum("bki,ki->kb", blocks, weight))
