"""Multi-layer perceptron: f(x) = u . sigma(W_d ... sigma(W_1 x + b_1) ... + b_d) + c.

Settings (i) to (x), (*i) and (*ii) of Barak et al. 2022 are depth 1. The output bias c is not in the paper's formula,
but its experiments need one: without it k ReLUs cannot represent a k-parity, yet the paper's table has them learn it.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.config import above, at_least, one_of, shape, value
from assay.errors import ConfigError
from assay.maths.streams import Key, split
from assay.nets.activations import ACTIVATIONS, PLAIN
from assay.nets.base import Net, Params
from assay.nets.init import Init
from assay.tasks.base import Task


class MLP(Net, kind="mlp"):
    """Fully connected net with `depth` hidden layers."""

    width: int = shape(check=at_least(1), doc="neurons of each hidden layer")
    depth: int = shape(default=1, check=at_least(1), doc="number of hidden layers")
    activation: str = shape(default="relu", check=one_of(*ACTIVATIONS))
    scale: float = value(default=1.0, check=above(0), doc="s in sigma(s z)")
    hidden_bias: bool = shape(default=True)
    output_bias: bool = shape(default=True)
    inputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")
    outputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")
    degree: int | None = shape(default=None, check=at_least(1), doc="k of the activation; the task's if none")

    def completed(self, task: Task) -> Net:
        return super(MLP, self if self.activation not in PLAIN else self.replace(degree=1)).completed(task)

    @property
    def layers(self) -> list[tuple[str, int, int]]:
        """(name, fan-in, fan-out) from input to output."""
        sizes = [self.inputs or 0] + [self.width] * self.depth
        hidden = [(f"hidden_{i + 1}", sizes[i], sizes[i + 1]) for i in range(self.depth)]
        return [*hidden, ("output", self.width, self.outputs or 1)]

    def has_bias(self, layer: str) -> bool:
        return self.output_bias if layer == "output" else self.hidden_bias

    @property
    def size(self) -> int:
        return sum(fan_out * (fan_in + self.has_bias(name)) for name, fan_in, fan_out in self.layers)

    def init(self, key: Key, scheme: Init) -> Params:
        params: Params = {}
        keys = split(key, 2 * len(self.layers))
        for i, (name, fan_in, fan_out) in enumerate(self.layers):
            params[name] = {"weight": scheme.weight(keys[2 * i], (fan_out, fan_in), fan_in, first=i == 0)}
            if self.has_bias(name):
                params[name]["bias"] = scheme.bias(keys[2 * i + 1], (fan_out,), fan_in)
        return params

    def apply(self, params: Params, x: Float[Array, "B n"]) -> Float[Array, "..."]:
        sigma = ACTIVATIONS[self.activation]
        h = x.T  # [n, B]: neurons as rows throughout, which is what small matrix products on a CPU want
        for name, _, _ in self.layers:
            h = params[name]["weight"] @ h
            if self.has_bias(name):
                h = h + params[name]["bias"][:, None]
            if name != "output":
                h = sigma(h * self.scale, self.degree or 1)
        return h[0] if self.outputs == 1 else h.T

    @property
    def homogeneity(self) -> int:
        if self.activation not in ("relu", "power"):
            raise ConfigError("homogeneity of activation", self.activation, "relu or power")
        degree = 1 if self.activation == "relu" else self.degree or 1
        return sum(degree**layer for layer in range(self.depth + 1))

    def neurons(self, params: Params) -> Float[Array, "m d"]:
        if self.depth != 1:
            raise ConfigError("neurons of mlp with depth", self.depth, "1")
        hidden, output = params["hidden_1"], params["output"]
        incoming = [hidden["weight"]] + ([hidden["bias"][:, None]] if self.hidden_bias else [])
        return jnp.concatenate([*incoming, output["weight"].T], axis=1)
