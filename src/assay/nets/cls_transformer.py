"""One-layer Transformer that answers at a [CLS] position, in the style of minGPT.

Edelman, Goel, Kakade, Zhang 2022, "Inductive biases and variable creation in self-attention mechanisms", A.3.1:
trainable token and position embeddings, 16 heads of 4 numbers, dropout 0.1, GELU; what it does not say is minGPT's
default. With LN(h) = (h - mean)/sd * g + b and tokens t = 1..n (bits) and [CLS]:

    h_t = E[x_t] + P_t,  h_CLS = E[CLS] + P_CLS                                     (dropout)
    z = h_CLS + W_out (+)_head V_head softmax(q_head . K_head / sqrt(a)) + b        (dropout of weights, and of the sum)
    o = z + W_2 gelu(W_1 LN(z) + b_1) + b_2                                         (dropout)
    logits = W LN(o)                                      keys, values and the query q are affine maps of LN(h)

Only the query of [CLS] is needed, so no T x T scores are made. Without dropout there are only 2n + 1 different
embedded tokens; keys and values are worked out once for the batch, and each example takes its own (`apply`). In
training with dropout every example has its own embeddings (`forward`).
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.config import at_least, between, shape
from assay.maths.streams import Key, split
from assay.nets.base import Net, Params
from assay.nets.bits import attend
from assay.nets.dropout import dropout
from assay.nets.init import Init

EPSILON = 1e-5
"""Added to variances, as in PyTorch's LayerNorm."""


class ClsTransformer(Net, kind="cls-transformer"):
    """One-layer Transformer for inputs of signs, two logits; the defaults are the published sizes. With dropout 0 it is
    trained through the table of its 2n + 1 embedded tokens, which is many times faster."""

    d_embedding: int = shape(default=64, check=at_least(1))
    heads: int = shape(default=16, check=at_least(1))
    d_attention: int = shape(default=4, check=at_least(1), doc="of queries, keys and values, a head")
    d_mlp: int = shape(default=256, check=at_least(1), doc="hidden neurons of the MLP")
    dropout: float = shape(default=0.1, check=between(0, 0.99), doc="of embeddings, attention weights and both sums")
    inputs: int | None = shape(default=None, check=at_least(1), doc="the task's if none")
    outputs: int = shape(default=2, check=at_least(2), doc="logits")

    @property
    def matrices(self) -> dict[str, tuple[int, int]]:
        """(rows, columns) of every weight. In alphabetical order, which is how JAX keeps dictionaries, the layer that
        reads the inputs is the first."""
        d, inner = self.d_embedding, self.heads * self.d_attention
        return {
            "embed_positions": (d, self.inputs or 0),
            "embed_start": (d, 1),  # P_CLS
            "embed_tokens": (d, 3),  # E[0], E[1], E[CLS]
            "heads_key": (inner, d),  # the matrices of all heads side by side
            "heads_out": (d, inner),
            "heads_query": (inner, d),
            "heads_value": (inner, d),
            "mlp_in": (self.d_mlp, d),
            "mlp_out": (d, self.d_mlp),
            "norm_heads": (d, 1),
            "norm_mlp": (d, 1),
            "norm_output": (d, 1),
            "output": (self.outputs, d),
        }

    def has_bias(self, layer: str) -> bool:
        return not layer.startswith("embed") and layer != "output"

    @property
    def size(self) -> int:
        return sum(rows * (columns + self.has_bias(layer)) for layer, (rows, columns) in self.matrices.items())

    def init(self, key: Key, scheme: Init) -> Params:
        params: Params = {}
        keys = split(key, 2 * len(self.matrices))
        for i, (layer, (rows, columns)) in enumerate(self.matrices.items()):
            fan_in = self.d_embedding if layer.startswith("embed") else columns
            if layer.startswith("norm"):  # g - 1 is kept, and starts as biases do
                weight = scheme.bias(keys[2 * i], (rows, columns), fan_in)
            else:
                weight = scheme.weight(keys[2 * i], (rows, columns), fan_in, first=i == 0)
            params[layer] = {"weight": weight}
            if self.has_bias(layer):
                params[layer]["bias"] = scheme.bias(keys[2 * i + 1], (rows,), fan_in)
        return params

    def apply(self, params: Params, x: Float[Array, "B n"]) -> Float[Array, "B C"]:
        table = self._table(params)
        values = [_affine(params["heads_value"], rows).reshape(self.heads, self.d_attention, -1) for rows in table]
        mixed = attend(x, self._scores(params, *table), values)
        return self._answer(params, self._embedded(params)[2], mixed.reshape(x.shape[0], -1).T)

    def forward(self, params: Params, x: Float[Array, "B n"], key: Key) -> Float[Array, "B C"]:
        if self.dropout == 0:
            return self.apply(params, x)
        keys = split(key, 4)
        zero, one, start = (part.T for part in self._embedded(params))  # [n, d], [n, d], [1, d]
        h = jnp.where(x[:, :, None] > 0, one, zero)
        h = jnp.concatenate([h, jnp.broadcast_to(start, (x.shape[0], *start.shape))], axis=1)  # [B, n + 1, d]
        h = dropout(keys[0], self.dropout, h)
        rows = _normalised(h) * (1 + params["norm_heads"]["weight"][:, 0]) + params["norm_heads"]["bias"]
        query = self._query(params, rows[:, -1].T)  # [H, a, B]
        # q.(W_K r + b) = (W_K' q).r + q.b, and sum_t a_t (W_V r_t + b) = W_V sum_t a_t r_t + b sum_t a_t: the two large
        # products are with H numbers a token, not with H a
        key_weight = params["heads_key"]["weight"].reshape(self.heads, self.d_attention, -1)
        key_bias = params["heads_key"]["bias"].reshape(self.heads, self.d_attention)
        asked = jnp.einsum("hab,had->bhd", query, key_weight)
        scores = jnp.einsum("bhd,btd->bht", asked, rows) + jnp.einsum("hab,ha->bh", query, key_bias)[..., None]
        weights = dropout(keys[1], self.dropout, jax.nn.softmax(scores, axis=-1))
        averages = jnp.einsum("bht,btd->bhd", weights, rows)
        value_weight = params["heads_value"]["weight"].reshape(self.heads, self.d_attention, -1)
        value_bias = params["heads_value"]["bias"].reshape(self.heads, self.d_attention)
        mixed = jnp.einsum("bhd,had->bha", averages, value_weight) + weights.sum(axis=-1)[..., None] * value_bias
        return self._answer(params, h[:, -1].T, mixed.reshape(x.shape[0], -1).T, keys[2:])

    def readout(self, params: Params) -> dict[str, Any]:
        """The parameters, and the scores [heads, tokens] of [CLS] with every token at bit 0, at bit 1, and itself: the
        attention weights of an example are the softmax of its tokens' scores and its own."""
        scores = self._scores(params, *self._table(params))
        names = ("scores.zero", "scores.one", "scores.start")
        return super().readout(params) | dict(zip(names, scores, strict=True))

    # -- parts -------------------------------------------------------------------------------------------------------

    def _embedded(self, params: Params) -> tuple[Float[Array, "d n"], Float[Array, "d n"], Float[Array, "d 1"]]:
        """Every token at bit 0, at bit 1, and [CLS]."""
        positions, tokens = params["embed_positions"]["weight"], params["embed_tokens"]["weight"]
        return positions + tokens[:, :1], positions + tokens[:, 1:2], params["embed_start"]["weight"] + tokens[:, 2:]

    def _table(self, params: Params) -> list[Float[Array, "d _"]]:
        """The same after layer norm."""
        return [_norm(params["norm_heads"], h) for h in self._embedded(params)]

    def _query(self, params: Params, start: Float[Array, "d B"]) -> Float[Array, "H a B"]:
        query = _affine(params["heads_query"], start) / self.d_attention**0.5
        return query.reshape(self.heads, self.d_attention, -1)

    def _scores(self, params: Params, *parts: Float[Array, "d _"]) -> list[Float[Array, "H _"]]:
        """Of the query of [CLS], the last of the parts, with the keys of each part."""
        query = self._query(params, parts[-1])[..., 0]
        keys = (_affine(params["heads_key"], rows).reshape(self.heads, self.d_attention, -1) for rows in parts)
        return [jnp.einsum("ha,hat->ht", query, key) for key in keys]

    def _answer(
        self, params: Params, start: Float[Array, "d _"], mixed: Float[Array, "inner B"], keys: Array | None = None
    ) -> Float[Array, "B C"]:
        """Logits from what the heads have mixed; with keys, dropout of both sums."""
        drop = lambda i, h: h if keys is None else dropout(keys[i], self.dropout, h.T).T  # noqa: E731
        z = start + drop(0, _affine(params["heads_out"], mixed))
        hidden = jax.nn.gelu(_affine(params["mlp_in"], _norm(params["norm_mlp"], z)), approximate=False)
        o = z + drop(1, _affine(params["mlp_out"], hidden))
        return _affine(params["output"], _norm(params["norm_output"], o)).T


def _affine(layer: dict[str, Array], h: Float[Array, "d B"]) -> Float[Array, "e B"]:
    z = layer["weight"] @ h
    return z + layer["bias"][:, None] if "bias" in layer else z


def _normalised(h: Float[Array, "*B d"]) -> Float[Array, "*B d"]:
    """Mean 0 and variance 1 along the last axis."""
    centred = h - jnp.mean(h, axis=-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + EPSILON)


def _norm(layer: dict[str, Array], h: Float[Array, "d B"]) -> Float[Array, "d B"]:
    """Layer norm of columns, with gain 1 + weight."""
    return _normalised(h.T).T * (1 + layer["weight"]) + layer["bias"][:, None]
