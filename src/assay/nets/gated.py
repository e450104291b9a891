"""A ReLU net whose gates never move: linear in what it trains in its first layer, the tangent kernel's regime.

ReLU(z) = z 1[z > 0] with the two factors apart (Fiat, Malach, Shalev-Shwartz 2019), as in Daniely and Malach 2020,
section 6.1: f(x) = sum_j u_j (v_j.x + c_j) 1[w_j.x + b_j > 0] + d with w, b as initialised, and v = w, c = b at first.
"""

from __future__ import annotations

from typing import ClassVar

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from assay.config import at_least, shape
from assay.maths.streams import Key
from assay.nets.base import Net, Params
from assay.nets.init import Init
from assay.nets.mlp import MLP


class GatedMLP(Net, kind="gated-mlp"):
    """One hidden layer of ReLUs that open and close as they did at the start."""

    width: int = shape(check=at_least(1), doc="neurons of the hidden layer")
    inputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")

    frozen: ClassVar[tuple[str, ...]] = ("hidden_1_gates",)

    @property
    def size(self) -> int:
        return 2 * self.width * ((self.inputs or 0) + 1) + self.width + 1

    def init(self, key: Key, scheme: Init) -> Params:
        params = MLP(width=self.width, inputs=self.inputs, outputs=1, degree=1).init(key, scheme)
        return params | {"hidden_1_gates": params["hidden_1"]}

    def apply(self, params: Params, x: Float[Array, "B n"]) -> Float[Array, " B"]:
        gates, linear, output = (params[layer] for layer in ("hidden_1_gates", "hidden_1", "output"))
        still = lax.stop_gradient(gates["weight"]) @ x.T + lax.stop_gradient(gates["bias"])[:, None]
        h = (linear["weight"] @ x.T + linear["bias"][:, None]) * (still > 0).astype(jnp.float32)
        return (output["weight"] @ h + output["bias"][:, None])[0]
