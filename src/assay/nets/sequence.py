"""Causal Transformer for sequences of symbols, attention-only by default, with relative positions.

Edelman, Edelman, Goel, Malach and Tsilivis 2024, equations 8.4 and 8.5. With z_i the stream at position i, a layer adds

    sum_{j <= i} softmax_j(A_i) z_j W_V,   A_ij = (z_i W_Q) (z_j W_K + v_{i-j})^T / sqrt(d)

where v_lag is a learned table (Shaw et al. 2018). `preset="thesis"` is that and no more; "mingpt" has a layer norm
before each attention and before the output, and a projection behind each attention, as the code behind the paper's
figures (no dropout here). Several heads split W_Q, W_K, W_V and v. Variants: positions added to the embeddings instead
("absolute"), and a GPT block of layer norm, 4d GELU neurons and a residual behind each attention (`mlp`).

Named activations, by layer (from 0): `layers.0.scores` (A), `layers.0.attention` (its softmax), `layers.0.stream` (the
stream behind the layer); besides `embedding` and `logits`.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from assay.config import at_least, one_of, shape
from assay.errors import ConfigError
from assay.maths.markov import one_hot
from assay.maths.streams import Key, split
from assay.nets.base import Net, Params
from assay.nets.init import Init
from assay.nets.shifts import by_lag, toeplitz

Stream = Float[Array, "B t d"]

LEAST = -60.0
"""Scores of lags in the first layer that lie further below the largest count as so far below it: e^-60 times the
largest weight is nothing, and no weight underflows to 0 / 0 at the positions that see no other lag."""


class SequenceTransformer(Net, kind="sequence-transformer"):
    """Causal attention over symbols; logits of the next symbol at every position."""

    d: int = shape(default=16, check=at_least(1), doc="width of the stream, and of all heads together")
    layers: int = shape(default=2, check=at_least(1))
    heads: int = shape(default=1, check=at_least(1), doc="in each layer")
    positions: str = shape(default="relative", check=one_of("relative", "absolute"))
    mlp: bool = shape(default=False, doc="an MLP behind each attention")
    preset: str = shape(default="thesis", check=one_of("thesis", "mingpt"))
    states: int | None = shape(default=None, check=at_least(2), doc="number of symbols; the task's if none")
    length: int | None = shape(default=None, check=at_least(1), doc="most positions; the task's if none")

    def validate(self) -> None:
        if self.d % self.heads:
            raise ConfigError(f"{self.kind}.heads", self.heads, f"a divisor of d = {self.d}")

    @property
    def inputs(self) -> int | None:
        return self.length

    @property
    def outputs(self) -> int | None:
        return self.states

    @property
    def normed(self) -> bool:
        return self.preset == "mingpt"

    @property
    def matrices(self) -> dict[str, tuple[int, int]]:
        """(rows, columns) of every weight matrix, in PyTorch's orientation: columns are what it reads."""
        d, k, t = self.d, self.states or 0, self.length or 0
        found = {"embed_tokens": (d, k)} | ({"embed_positions": (d, t)} if self.positions == "absolute" else {})
        for i in range(self.layers):
            found |= {f"layer_{i}_{name}": (d, d) for name in ("query", "key", "value")}
            found |= {f"layer_{i}_positions": (t, d)} if self.positions == "relative" else {}
            found |= {f"layer_{i}_project": (d, d)} if self.normed else {}
            found |= {f"layer_{i}_mlp_in": (4 * d, d), f"layer_{i}_mlp_out": (d, 4 * d)} if self.mlp else {}
        return found | {"output": (k, d)}

    @property
    def norms(self) -> list[str]:
        """The layer norms, each with a gain and a bias."""
        per_layer = ["norm"] * self.normed + ["mlp_norm"] * self.mlp
        return [f"layer_{i}_{name}" for i in range(self.layers) for name in per_layer] + ["norm"] * self.normed

    @property
    def size(self) -> int:
        return sum(rows * columns for rows, columns in self.matrices.values()) + 2 * self.d * len(self.norms)

    def init(self, key: Key, scheme: Init) -> Params:
        keys = split(key, len(self.matrices))
        params: Params = {}
        for i, (name, form) in enumerate(self.matrices.items()):
            weight = scheme.weight(keys[i], form, form[1], first=name.startswith("embed"))
            # what is added to the stream starts smaller the more of it there is (Radford et al. 2019)
            params[name] = {"weight": weight / (2 * self.layers) ** 0.5 if name.endswith("project") else weight}
        ones = jnp.ones(self.d, jnp.float32)
        return params | {name: {"weight": ones, "bias": jnp.zeros_like(ones)} for name in self.norms}

    def apply(self, params: Params, x: Int[Array, "B t"]) -> Float[Array, "B t k"]:
        z = self._embedding(params, x)
        for i in range(self.layers):
            z = z + (self._first(params, x) if self._by_tables(i) else self._attend(params, i, z)[0])
            z = self._widened(params, i, z)
        return self._logits(params, z)

    def last(self, params: Params, x: Int[Array, "B t"]) -> tuple[Float[Array, "B k"], Float[Array, "B heads t"]]:
        """Logits at the last position, and the weights with which the last layer gets there: what evaluation asks for,
        at the cost of one query in the last layer."""
        z = self._embedding(params, x)
        for i in range(self.layers - 1):
            z = z + (self._first(params, x) if self._by_tables(i) else self._attend(params, i, z)[0])
            z = self._widened(params, i, z)
        final = self.layers - 1
        added, weights = self._attend(params, final, z, queries=1)
        z = self._widened(params, final, z[:, -1:] + added)
        return self._logits(params, z)[:, 0], weights[:, :, 0]

    def activations(self, params: Params, x: Int[Array, "B t"]) -> dict[str, Array]:
        """Everything on the way, by name."""
        z = self._embedding(params, x)
        found = {"embedding": z}
        for i in range(self.layers):
            found[f"layers.{i}.scores"] = self._scores(params, i, self._normed(params, f"layer_{i}_norm", z))
            added, found[f"layers.{i}.attention"] = self._attend(params, i, z)
            z = found[f"layers.{i}.stream"] = self._widened(params, i, z + added)
        return found | {"logits": self._logits(params, z)}

    # -- what the weights say without an input -----------------------------------------------------------------------

    def lag_scores(self, params: Params) -> Float[Array, "heads k t"]:
        """(e_x W_Q) v_lag^T / sqrt(d) of the first layer, for every symbol x."""
        query, _, _ = self._rows(params)
        return jnp.einsum("xha,rha->hxr", query, self._lags(params, 0, self.length or 0))

    def match_scores(self, params: Params) -> Float[Array, "heads k k"]:
        """Score of the second layer between the symbol x at the query and what the first layer adds of symbol y."""
        if self.layers < 2:
            raise ConfigError(f"{self.kind}.layers", self.layers, "at least 2 for a match between layers")
        rows = params["embed_tokens"]["weight"].T[None]
        _, _, value = self._rows(params)
        added = self._projected(params, 0, value.reshape(1, -1, self.d))
        query = self._split(params, 1, "query", self._normed(params, "layer_1_norm", rows))[0]
        key = self._split(params, 1, "key", added)[0]
        return jnp.einsum("xha,yha->hxy", query, key) / (self.d / self.heads) ** 0.5

    def first_weights(self, params: Params, x: Int[Array, "B t"]) -> Float[Array, "B heads t t"]:
        """Weights of the first layer."""
        return self._attend(params, 0, self._embedding(params, x))[1]

    # -- parts -------------------------------------------------------------------------------------------------------

    def _embedding(self, params: Params, x: Int[Array, "B t"]) -> Stream:
        table = params["embed_tokens"]["weight"]
        z = one_hot(x, self.states or 0, table.dtype) @ table.T
        return z + params["embed_positions"]["weight"].T[: x.shape[1]] if self.positions == "absolute" else z

    def _attend(self, params: Params, i: int, z: Stream, queries: int = 0) -> tuple[Array, Array]:
        """What layer i adds to the stream [B, q, d], and its weights [B, heads, q, t]; of the last `queries` positions,
        or of all if 0."""
        z = self._normed(params, f"layer_{i}_norm", z)
        scores = jnp.where(_causal(z.shape[1])[-queries:], self._scores(params, i, z, queries), -jnp.inf)
        weights = jax.nn.softmax(scores, axis=-1)
        mixed = jnp.einsum("bhij,bjha->biha", weights, self._split(params, i, "value", z))
        return self._projected(params, i, mixed.reshape(*mixed.shape[:2], self.d)), weights

    def _scores(self, params: Params, i: int, z: Stream, queries: int = 0) -> Float[Array, "B heads q t"]:
        """A of equation 8.5 from the normed stream, before the mask: what lies above the diagonal means nothing."""
        query = self._split(params, i, "query", z[:, -queries:]) / (self.d / self.heads) ** 0.5
        scores = jnp.einsum("biha,bjha->bhij", query, self._split(params, i, "key", z))
        if self.positions == "absolute":
            return scores
        lags = jnp.einsum("biha,rha->bhir", query, self._lags(params, i, z.shape[1]))
        return scores + (lags[..., ::-1] if queries == 1 else by_lag(lags))

    def _by_tables(self, i: int) -> bool:
        return i == 0 and self.positions == "relative"

    def _first(self, params: Params, x: Int[Array, "B t"]) -> Stream:
        """What the first layer adds where positions are relative: `_attend`, several times as fast. Its stream is made
        of k different rows, so scores are tables: exp A_ij = S[x_i, x_j] R[x_i, i-j]. With N[i, b], the sum of
        R[x_i, i-j] over the j <= i that hold symbol b, position i gives the symbol b the weight S[x_i, b] N[i, b]."""
        query, key, value = self._rows(params)
        hot = one_hot(x, self.states or 0, value.dtype)
        tokens = jnp.einsum("xha,yha->hxy", query, key)
        lags = jnp.einsum("xha,rha->hxr", query, self._lags(params, 0, x.shape[1]))
        tokens, lags = (jnp.exp(jnp.maximum(s - _top(s), LEAST)) for s in (tokens, lags))
        counts = jnp.einsum("hxji,bjy->bhixy", toeplitz(lags), hot)  # for every symbol x that position i could hold
        counts = jnp.einsum("bhixy,bix->bhiy", counts, hot) * jnp.einsum("bix,hxy->bhiy", hot, tokens)
        weights = counts / jnp.sum(counts, axis=-1, keepdims=True)
        mixed = jnp.einsum("bhiy,yha->biha", weights, value)
        return self._projected(params, 0, mixed.reshape(*x.shape, self.d))

    def _rows(self, params: Params) -> tuple[Array, Array, Array]:
        """Query (over sqrt d), key and value [k, heads, a] of each symbol in the first layer."""
        rows = self._normed(params, "layer_0_norm", params["embed_tokens"]["weight"].T)[None]
        query, key, value = (self._split(params, 0, name, rows)[0] for name in ("query", "key", "value"))
        return query / (self.d / self.heads) ** 0.5, key, value

    def _split(self, params: Params, i: int, name: str, z: Any) -> Any:
        return (z @ params[f"layer_{i}_{name}"]["weight"].T).reshape(*z.shape[:2], self.heads, -1)

    def _lags(self, params: Params, i: int, length: int) -> Float[Array, "t heads a"]:
        return params[f"layer_{i}_positions"]["weight"][:length].reshape(length, self.heads, -1)

    def _projected(self, params: Params, i: int, mixed: Any) -> Any:
        return mixed @ params[f"layer_{i}_project"]["weight"].T if self.normed else mixed

    def _widened(self, params: Params, i: int, z: Any) -> Any:
        if not self.mlp:
            return z
        hidden = _norm(params[f"layer_{i}_mlp_norm"], z) @ params[f"layer_{i}_mlp_in"]["weight"].T
        return z + jax.nn.gelu(hidden, approximate=False) @ params[f"layer_{i}_mlp_out"]["weight"].T

    def _normed(self, params: Params, name: str, z: Any) -> Any:
        return _norm(params[name], z) if self.normed else z

    def _logits(self, params: Params, z: Any) -> Any:
        return self._normed(params, "norm", z) @ params["output"]["weight"].T


def _norm(layer: dict[str, Array], z: Any) -> Any:
    """Layer norm: mean 0, variance 1, then gain and bias (Ba et al. 2016)."""
    centred = z - jnp.mean(z, axis=-1, keepdims=True)
    scaled = centred * jax.lax.rsqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-5)
    return scaled * layer["weight"] + layer["bias"]


def _causal(length: int) -> Bool[np.ndarray, "t t"]:
    return np.tril(np.ones((length, length), bool))


def _top(scores: Array) -> Array:
    return jax.lax.stop_gradient(jnp.max(scores, axis=-1, keepdims=True))
