"""One neuron: sigma(w.x + b), or u sigma(w.x + b) + c with a second layer.

Settings (xi) to (xiv) and (vii) to (x) of Barak et al. 2022.
"""

from __future__ import annotations

from jaxtyping import Array, Float

from assay.config import above, at_least, one_of, shape, value
from assay.maths.streams import Key, split
from assay.nets.activations import ACTIVATIONS
from assay.nets.base import Net, Params
from assay.nets.init import Init


class Neuron(Net, kind="neuron"):
    """A single neuron; without a second layer its output is the activation itself."""

    activation: str = shape(default="sinusoid", check=one_of(*ACTIVATIONS))
    scale: float = value(default=1.0, check=above(0), doc="s in sigma(s z)")
    second_layer: bool = shape(default=False, doc="trainable u and c")
    inputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")
    degree: int | None = shape(default=None, check=at_least(1), doc="k of the activation; the task's if none")

    @property
    def size(self) -> int:
        return (self.inputs or 0) + 1 + 2 * self.second_layer

    def init(self, key: Key, scheme: Init) -> Params:
        n = self.inputs or 0
        keys = split(key, 4)
        params: Params = {
            "neuron": {"weight": scheme.weight(keys[0], (n,), n, first=True), "bias": scheme.bias(keys[1], (), n)}
        }
        if self.second_layer:
            params["output"] = {"weight": scheme.weight(keys[2], (), 1), "bias": scheme.bias(keys[3], (), 1)}
        return params

    def apply(self, params: Params, x: Float[Array, "B n"]) -> Float[Array, " B"]:
        z = x @ params["neuron"]["weight"] + params["neuron"]["bias"]
        f = ACTIVATIONS[self.activation](z * self.scale, self.degree or 1)
        return f * params["output"]["weight"] + params["output"]["bias"] if self.second_layer else f
