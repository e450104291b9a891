"""A lottery ticket: some neurons of a wider net of one hidden layer, at the weights that the whole net starts from.

Frankle and Carbin 2019; Edelman, Goel, Kakade, Malach, Zhang 2023, figure 5: prune to a few neurons, rewind incoming
weights, biases and outgoing weights to their initial values, do not rescale, train again. With `init.seed` the ticket
is
cut from the net of that seed, whatever examples it then sees.
"""

from __future__ import annotations

from jaxtyping import Array, Float

from assay.config import Check, at_least, shape
from assay.errors import ConfigError
from assay.maths.streams import Key
from assay.nets.base import Net, Params
from assay.nets.init import Init
from assay.nets.mlp import MLP

SEVERAL = Check("different neurons, numbered from 0", lambda v: len(v) > 0 and len(set(v)) == len(v) and min(v) >= 0)


class Ticket(Net, kind="ticket"):
    """ReLU net of the neurons `kept` of one that has `width` of them."""

    width: int = shape(check=at_least(1), doc="neurons of the net that it is cut from")
    kept: tuple[int, ...] = shape(check=SEVERAL, doc="those that are kept")
    inputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")
    outputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")

    def validate(self) -> None:
        if max(self.kept) >= self.width:
            raise ConfigError("ticket.kept", max(self.kept), f"below the width {self.width}")

    @property
    def whole(self) -> MLP:
        """The net that it is cut from."""
        return MLP(width=self.width, inputs=self.inputs, outputs=self.outputs, degree=1)

    @property
    def small(self) -> MLP:
        """What is left of it, as a net."""
        return self.whole.replace(width=len(self.kept))

    @property
    def size(self) -> int:
        return self.small.size

    def init(self, key: Key, scheme: Init) -> Params:
        params = self.whole.init(key, scheme)
        rows = list(self.kept)
        hidden = {name: array[rows, ...] for name, array in params["hidden_1"].items()}
        return {"hidden_1": hidden, "output": params["output"] | {"weight": params["output"]["weight"][:, rows]}}

    def apply(self, params: Params, x: Float[Array, "B n"]) -> Float[Array, "..."]:
        return self.small.apply(params, x)
