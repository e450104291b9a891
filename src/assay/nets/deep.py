"""Deep MLP with layers of their own widths: z_0 = x, z_i = (W_i z_{i-1} + b_i)^degree, f = u . z_d + c.

Barak et al. 2022, appendix C.7, with squares: of d hidden layers it has degree 2^d in x, so it can represent parities
of up to 2^d bits. The output bias c is not printed there; without it a net that ends in one squared neuron has the same
sign everywhere. Trained layer by layer it is the control: every layer has a linear head of its own and f is their sum,

    f = sum_i u_i . z_i + c_i,   and no gradient passes from z_i down to z_{i-1},

so that a layer learns from its own head alone, with `Rate`s one layer after the other. On a parity of more than 2 bits
the first layer's population gradient is then zero.
"""

from __future__ import annotations

import jax
from jaxtyping import Array, Float

from assay.config import Check, at_least, shape
from assay.maths.streams import Key, split
from assay.nets.activations import power
from assay.nets.base import Net, Params
from assay.nets.init import Init

WIDTHS = Check("one or more whole numbers >= 1", lambda widths: bool(widths) and all(width >= 1 for width in widths))


class DeepMLP(Net, kind="deep-mlp"):
    """Polynomial net of several hidden layers, trained from end to end or layer by layer."""

    widths: tuple[int, ...] = shape(check=WIDTHS, doc="neurons of each hidden layer")
    degree: int = shape(default=2, check=at_least(1), doc="of the activation z^degree")
    layerwise: bool = shape(default=False, doc="a head for every layer, no gradient between layers")
    inputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")

    @property
    def matrices(self) -> dict[str, tuple[int, int]]:
        """(fan-out, fan-in) of every layer; heads are named after the layer that they read."""
        sizes = [self.inputs or 0, *self.widths]
        depth = len(self.widths)
        hidden = {f"hidden_{i}": (sizes[i], sizes[i - 1]) for i in range(1, depth + 1)}
        return hidden | {f"output_{i}": (1, sizes[i]) for i in range(1 if self.layerwise else depth, depth + 1)}

    @property
    def size(self) -> int:
        return sum(fan_out * (fan_in + 1) for fan_out, fan_in in self.matrices.values())

    def init(self, key: Key, scheme: Init) -> Params:
        params: Params = {}
        keys = split(key, 2 * len(self.matrices))
        for i, (name, (fan_out, fan_in)) in enumerate(self.matrices.items()):
            weight = scheme.weight(keys[2 * i], (fan_out, fan_in), fan_in, first=i == 0)
            params[name] = {"weight": weight, "bias": scheme.bias(keys[2 * i + 1], (fan_out,), fan_in)}
        return params

    def apply(self, params: Params, x: Float[Array, "B n"]) -> Float[Array, " B"]:
        z, f = x.T, 0.0  # [width, B]
        for i in range(1, len(self.widths) + 1):
            z = power(_affine(params[f"hidden_{i}"], z), self.degree)
            if f"output_{i}" in params:
                f = f + _affine(params[f"output_{i}"], z)[0]
            if self.layerwise:
                z = jax.lax.stop_gradient(z)
        return f  # type: ignore[return-value]


def _affine(layer: dict[str, Array], z: Float[Array, "d B"]) -> Float[Array, "e B"]:
    return layer["weight"] @ z + layer["bias"][:, None]
