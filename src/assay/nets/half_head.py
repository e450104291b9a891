"""A sequence Transformer of which a part is that of the induction head by hand, and the rest drawn.

What is given is embedding, output and the parameters named, as in proposition 8.2 of Edelman, Edelman, Goel, Malach and
Tsilivis 2024 (`induction_head`), with scores only so far above the rest that gradients still pass. A trial that learns
the rest freezes what is given: `by_hand` names it for `optimiser.rates`.
"""

from __future__ import annotations

from assay.config import above, shape
from assay.errors import ConfigError
from assay.maths.streams import Key
from assay.nets.base import Params
from assay.nets.induction import induction_head
from assay.nets.init import Init
from assay.nets.sequence import SequenceTransformer


class HalfHead(SequenceTransformer, kind="half-head"):
    """Two layers of one head, as printed, three times as wide as there are symbols."""

    given: tuple[str, ...] = shape(default=("layer_0",), doc="beginnings of the names of parameters by hand")
    score: float = shape(default=10.0, check=above(0), doc="of what a given layer looks at, above all else")
    scale: float = shape(default=2.5, check=above(0), doc="of the logits, of frequencies")

    def validate(self) -> None:
        wanted = {"layers": 2, "heads": 1, "positions": "relative", "mlp": False, "preset": "thesis"}
        for name, only in wanted.items():
            if getattr(self, name) != only:
                raise ConfigError(f"{self.kind}.{name}", getattr(self, name), f"{only}, as the head by hand has it")
        for beginning in self.given:
            if not any(name.startswith(beginning) for name in self.matrices):
                raise ConfigError(
                    f"{self.kind}.given", beginning, f"the beginning of one of {', '.join(self.matrices)}"
                )
        if self.states is not None and self.d != 3 * self.states:
            raise ConfigError(f"{self.kind}.d", self.d, f"3 states = {3 * self.states}")

    @property
    def by_hand(self) -> list[str]:
        """The parameters that are given."""
        return [name for name in self.matrices if name.startswith(("embed", "output", *self.given))]

    def init(self, key: Key, scheme: Init) -> Params:
        drawn = super().init(key, scheme)
        k, t = self.states or 2, self.length or 2
        # scores are c / sqrt(3k) in the first layer and c^2 / sqrt(3k) in the second
        sharpness = self.score * (3 * k) ** 0.5
        _, first = induction_head(k, t, sharpness, self.scale)
        _, second = induction_head(k, t, sharpness**0.5)
        head = first | {name: layer for name, layer in second.items() if name.startswith("layer_1")}
        return drawn | {name: head[name] for name in self.by_hand}
