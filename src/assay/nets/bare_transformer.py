"""The Transformer layer of theory: attention at [CLS] and a ReLU network behind it, nothing else.

Edelman, Goel, Kakade, Zhang 2022, definition 4.4 and appendix A.2: no residual, no layer norm, no scaling of the
scores.

    y = sum_h softmax(X W_K^h W_Q^h' x_CLS)' X W_V^h W_C^h,   f = w . relu(W_2 relu(W_1 y + b_1) + b_2)

Row t of X is the embedding of its bit at its position. The explicit weights of `assay.theory.constructions` are
parameters of this net.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.config import at_least, shape
from assay.maths.streams import Key, split
from assay.nets.base import Net, Params
from assay.nets.bits import attend
from assay.nets.init import Init


class BareTransformer(Net, kind="bare-transformer"):
    """One layer of attention and an MLP with two hidden layers, for inputs of signs; one output."""

    d_embedding: int = shape(default=16, check=at_least(1))
    heads: int = shape(default=1, check=at_least(1))
    d_attention: int = shape(default=4, check=at_least(1), doc="of queries, keys and values, a head")
    selected: int = shape(default=3, check=at_least(1), doc="numbers that attention hands to the MLP")
    hidden_1: int = shape(default=64, check=at_least(1))
    hidden_2: int = shape(default=16, check=at_least(1))
    inputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")

    @property
    def matrices(self) -> dict[str, tuple[int, int]]:
        """(rows, columns) of every weight, in alphabetical order."""
        d, inner, n = self.d_embedding, self.heads * self.d_attention, self.inputs or 0
        return {
            "embed_ones": (d, n),
            "embed_start": (d, 1),
            "embed_zeros": (d, n),
            "heads_key": (inner, d),  # the matrices of all heads side by side
            "heads_out": (self.selected, inner),
            "heads_query": (inner, d),
            "heads_value": (inner, d),
            "mlp_1": (self.hidden_1, self.selected),
            "mlp_2": (self.hidden_2, self.hidden_1),
            "output": (1, self.hidden_2),
        }

    @property
    def size(self) -> int:
        return sum(rows * (columns + layer.startswith("mlp")) for layer, (rows, columns) in self.matrices.items())

    def init(self, key: Key, scheme: Init) -> Params:
        params: Params = {}
        keys = split(key, 2 * len(self.matrices))
        for i, (layer, (rows, columns)) in enumerate(self.matrices.items()):
            fan_in = self.d_embedding if layer.startswith("embed") else columns
            params[layer] = {"weight": scheme.weight(keys[2 * i], (rows, columns), fan_in, first=i == 0)}
            if layer.startswith("mlp"):
                params[layer]["bias"] = scheme.bias(keys[2 * i + 1], (rows,), fan_in)
        return params

    def apply(self, params: Params, x: Float[Array, "B n"]) -> Float[Array, " B"]:
        by_head = lambda layer, rows: (params[layer]["weight"] @ rows).reshape(self.heads, self.d_attention, -1)  # noqa: E731
        table = [params[f"embed_{name}"]["weight"] for name in ("zeros", "ones", "start")]
        query = by_head("heads_query", table[2])[..., 0]
        scores = [jnp.einsum("ha,hat->ht", query, by_head("heads_key", rows)) for rows in table]
        mixed = attend(x, scores, [by_head("heads_value", rows) for rows in table])
        hidden = params["heads_out"]["weight"] @ mixed.reshape(x.shape[0], -1).T
        for layer in ("mlp_1", "mlp_2"):
            hidden = jax.nn.relu(params[layer]["weight"] @ hidden + params[layer]["bias"][:, None])
        return (params["output"]["weight"] @ hidden)[0]
