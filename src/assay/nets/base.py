"""What a net is: a frozen config with `init(key, scheme) -> params` and `apply(params, x) -> output`.

Parameters are a dictionary of layers, each a dictionary of arrays named `weight` and `bias`; the layers' names are
what per-layer rates, measures and exports refer to. Outputs are one number an example, or one row of logits.
"""

from __future__ import annotations

import abc
import dataclasses
from typing import Any, ClassVar

from jaxtyping import Array, Float

from assay.config import Config
from assay.errors import ConfigError
from assay.maths.streams import Key
from assay.nets.init import Init
from assay.tasks.base import Task

Params = dict[str, dict[str, Array]]


class Net(Config, family="net"):
    """Base of all nets. Fields named like a property of tasks (`inputs`, `outputs`, `degree`) may be left None:
    they are then the task's."""

    frozen: ClassVar[tuple[str, ...]] = ()
    """Layers that no gradient reaches."""

    def completed(self, task: Task) -> Net:
        """The net with what the task determines filled in."""
        names = [f.name for f in dataclasses.fields(self) if getattr(self, f.name) is None]  # type: ignore[arg-type]
        found = {name: getattr(task, name, None) for name in names}
        for name, item in found.items():
            if item is None:
                raise ConfigError(f"{self.kind}.{name}", None, f"given, since task {task.kind} has no {name}")
        return self.replace(**found)

    @abc.abstractmethod
    def init(self, key: Key, scheme: Init) -> Params:
        """Fresh parameters."""

    @abc.abstractmethod
    def apply(self, params: Params, x: Array) -> Array:
        """Outputs for a batch of inputs."""

    def forward(self, params: Params, x: Any, key: Key) -> Array:
        """Outputs while training: those of `apply`, except for nets with dropout, which draw it from `key`, another one
        at every step."""
        return self.apply(params, x)

    @property
    @abc.abstractmethod
    def size(self) -> int:
        """Number of parameters."""

    @property
    def pair_values(self) -> int | None:
        """Hidden values of one pair, where `apply` takes `Rows` of a table of pairs that is never written out."""
        return None

    @property
    def homogeneity(self) -> int:
        """nu with f(s theta) = s^nu f(theta) for s > 0, biases left aside."""
        raise ConfigError("homogeneity of net", self.kind, "asked of a net of one hidden layer")

    def neurons(self, params: Params) -> Float[Array, "m d"]:
        """omega_i: all the weights into and out of each neuron, a row a neuron."""
        raise ConfigError("neurons of net", self.kind, "asked of a net of one hidden layer")

    def readout(self, params: Params) -> dict[str, Any]:
        """Named arrays that snapshots keep, by default the parameters themselves."""
        return {f"{layer}.{name}": array for layer, arrays in params.items() for name, array in arrays.items()}
