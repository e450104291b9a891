"""Parity Transformer: one block of attention with a single query at [CLS], an MLP, and a linear head.

Setting (*iii) of Barak et al. 2022, appendix D.1.3; no dropout, no layer norm, no position embedding on [CLS].

    X_i = E[x_i] + P_i for i = 1..n,  X_CLS = E[CLS]
    z = X_CLS + sum_h softmax((X_CLS W_Q^h) (X W_K^h)^T / sqrt(d_attention)) X W_V^h W_out^h
    f = u . (z + W_2 gelu(W_1 z + b_1) + b_2)

The printed formula leaves out the X before W_V^h, has x for z in the MLP, and gives W_2 the shape of W_1.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.config import at_least, one_of, shape
from assay.maths.streams import Key, split
from assay.nets.base import Net, Params
from assay.nets.init import Gaussian, Init

DEVIATIONS = {"normal": 0.02, "standard": 1.0}
"""Standard deviations of embeddings that are drawn by these laws. With PyTorch's own, 1, nets learn several times
sooner than with the scheme of the matrices, under which the inputs hardly move the output at the start."""


class ParityTransformer(Net, kind="parity-transformer"):
    """One-block Transformer for inputs of signs; the defaults are the published sizes."""

    d_embedding: int = shape(default=1024, check=at_least(1))
    heads: int = shape(default=128, check=at_least(1))
    d_attention: int = shape(default=8, check=at_least(1), doc="of queries, keys and values, a head")
    d_mlp: int = shape(default=4096, check=at_least(1), doc="hidden neurons of the MLP")
    embeddings: str = shape(
        default="scheme",
        check=one_of("scheme", *DEVIATIONS),
        doc="scheme (fan-in d_embedding), normal, N(0, 0.02^2), or standard, N(0, 1)",
    )
    output_bias: bool = shape(default=False)
    inputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")

    @property
    def matrices(self) -> dict[str, tuple[int, int]]:
        """(rows, columns) of every weight, in PyTorch's orientation. In alphabetical order, which is how JAX keeps
        dictionaries, the layer that reads the inputs is the first."""
        d, inner = self.d_embedding, self.heads * self.d_attention
        return {
            "embed_positions": (d, self.inputs or 0),
            "embed_tokens": (d, 3),  # E[-1], E[+1], E[CLS]
            "heads_key": (inner, d),  # the matrices of all heads side by side
            "heads_out": (d, inner),
            "heads_query": (inner, d),
            "heads_value": (inner, d),
            "mlp_in": (self.d_mlp, d),
            "mlp_out": (d, self.d_mlp),
            "output": (1, d),
        }

    def has_bias(self, layer: str) -> bool:
        return self.output_bias if layer == "output" else layer.startswith("mlp")

    @property
    def size(self) -> int:
        return sum(rows * (columns + self.has_bias(layer)) for layer, (rows, columns) in self.matrices.items())

    def init(self, key: Key, scheme: Init) -> Params:
        params: Params = {}
        keys = split(key, 2 * len(self.matrices))
        for i, (layer, (rows, columns)) in enumerate(self.matrices.items()):
            embedding = layer.startswith("embed")
            fan_in = self.d_embedding if embedding else columns  # a table's rows are vectors of d_embedding numbers
            if embedding and self.embeddings in DEVIATIONS:
                law = Gaussian(scale=DEVIATIONS[self.embeddings] * 0.5**0.5)
                params[layer] = {"weight": law.weight(keys[2 * i], (rows, columns), 1)}
            else:
                params[layer] = {"weight": scheme.weight(keys[2 * i], (rows, columns), fan_in, first=i == 0)}
            if self.has_bias(layer):
                params[layer]["bias"] = scheme.bias(keys[2 * i + 1], (rows,), fan_in)
        return params

    def apply(self, params: Params, x: Float[Array, "B n"]) -> Float[Array, " B"]:
        """By linearity in the tokens: X_i = P_i + mean + x_i change, with mean and change of E[+1] and E[-1]. What does
        not depend on x is worked out once for the batch, and no [B, n, d] array is ever made."""
        minus, plus, start = params["embed_tokens"]["weight"].T  # [d] each
        mean, change = (plus + minus) / 2, (plus - minus) / 2
        tokens = jnp.stack([start, change], axis=1)
        rows = jnp.concatenate([params["embed_positions"]["weight"] + mean[:, None], tokens], axis=1)  # [d, n + 2]
        by_head = lambda layer: (params[layer]["weight"] @ rows).reshape(self.heads, self.d_attention, -1)  # noqa: E731
        query = (params["heads_query"]["weight"] @ start).reshape(self.heads, self.d_attention) / self.d_attention**0.5
        scores = jnp.einsum("ha,hai->hi", query, by_head("heads_key"))  # [H, n + 2]
        signs = jnp.concatenate([x, jnp.zeros_like(x[:, :1])], axis=1)  # [B, n + 1]; [CLS] has no sign
        weights = jax.nn.softmax(scores[:, :-1] + signs[:, None, :] * scores[:, -1:], axis=-1)  # [B, H, n + 1]
        value = by_head("heads_value")
        mixed = jnp.einsum("bhi,hai->bha", weights, value[..., :-1])
        mixed = mixed + jnp.einsum("bhi,bi->bh", weights, signs)[..., None] * value[..., -1]
        z = start[:, None] + params["heads_out"]["weight"] @ mixed.reshape(x.shape[0], -1).T  # [d, B]
        hidden = jax.nn.gelu(_affine(params["mlp_in"], z), approximate=False)
        o = z + _affine(params["mlp_out"], hidden)
        return _affine(params["output"], o)[0]


def _affine(layer: dict[str, Array], h: Float[Array, "d B"]) -> Float[Array, "e B"]:
    z = layer["weight"] @ h
    return z + layer["bias"][:, None] if "bias" in layer else z
