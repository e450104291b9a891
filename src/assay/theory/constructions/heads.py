"""Attention heads with explicit weights of bounded norm that compute what a sparse function needs: lemmas A.19 to A.21.

Edelman, Goel, Kakade, Zhang 2022, appendix A.2 (T is the length, s the sparsity, I the relevant set). An input is a
row for each token and one for [CLS], which asks: f_head(X) = softmax(v_CLS' W_Q W_K' X') X W_V W_C, summed over heads.

- *positions* (deterministic): X_t = E_{b_t} + v_t with given unit vectors v_t, |v_t.v_u| <= Delta;
- *trainable*: X_t = E_{b_t} + P_t, P chosen by the construction;
- *bag* of vectors: X_t = b_t v_t.

A *single* head gives a number that tells the count r of ones among the relevant bits; s heads (one in a bag) give a
vector that tells the bits themselves. Both are exact up to gamma/4, and consecutive values are gamma apart.

Where Delta > 0 the printed weights are not enough: scores of relevant tokens differ, and the softmax is not uniform
over them. With the Gram matrix G of the relevant v and u = V' G^-1 1 for their sum, all relevant scores are equal, and
any other is at most kappa = s Delta / (1 - (s-1) Delta) times theirs; R is divided by 1 - kappa, (2s-1) Delta < 1. In
a bag the values are read through the dual vectors V' G^-1. Without Delta both agree.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from assay.errors import ConfigError, UnknownName

MAPPINGS = ("positions", "trainable", "bag")


@dataclasses.dataclass(frozen=True)
class Head:
    """W_Q and W_K, W_V, W_C."""

    q: Float[np.ndarray, "d asked"]
    k: Float[np.ndarray, "d asked"]
    v: Float[np.ndarray, "d k"]
    c: Float[np.ndarray, "k d"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Attention:
    """A layer of heads, the embedding of each token by its symbol and position, and what it is to compute."""

    mapping: str
    subset: tuple[int, ...]
    symbols: Float[np.ndarray, "M T d"]
    start: Float[np.ndarray, " d"]
    heads: tuple[Head, ...]
    gamma: float
    bound: float  # largest |value| of the target
    outputs: int  # coordinates of the output that count
    target: Callable[[Int[np.ndarray, "N s"]], Float[np.ndarray, "N outputs"]]

    @property
    def length(self) -> int:
        return self.symbols.shape[1]

    def __call__(self, tokens: Int[np.ndarray, "N T"]) -> Float[np.ndarray, "N outputs"]:
        """The output on every input, through the scores and values of each symbol at each position."""
        place = np.arange(self.length)
        total = np.zeros((len(tokens), self.outputs))
        for head in self.heads:
            asked = head.k @ (head.q.T @ self.start)
            scores = (self.symbols @ asked)[tokens, place]
            scores = np.append(scores, np.full((len(tokens), 1), self.start @ asked), axis=1)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            values = (self.symbols @ head.v)[tokens, place]  # [N, T, k]
            mixed = np.einsum("nt,ntk->nk", weights[:, :-1], values) + weights[:, -1:] * (self.start @ head.v)
            total += (mixed @ head.c)[:, : self.outputs]
        return total

    def on_rows(self, rows: Float[np.ndarray, "N tokens d"]) -> Float[np.ndarray, "N outputs"]:
        """The output on embedded tokens, the last one [CLS]."""
        total = np.zeros((len(rows), self.outputs))
        for head in self.heads:
            scores = rows @ (head.k @ (head.q.T @ self.start))
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            total += (np.einsum("nt,ntd->nd", weights, rows) @ head.v @ head.c)[:, : self.outputs]
        return total

    def error(self, tokens: Int[np.ndarray, "N T"]) -> float:
        """Largest difference from the target."""
        return float(np.abs(self(tokens) - self.target(tokens[:, list(self.subset)])).max())

    @property
    def norms(self) -> dict[str, float]:
        """Largest Frobenius norm over the heads."""
        return {name: max(float(np.linalg.norm(getattr(h, name))) for h in self.heads) for name in ("q", "k", "v", "c")}


def separation(mapping: str, s: int, vector: bool) -> float:
    """gamma, by which the values of the target are apart (a bag wants it below 1)."""
    if mapping == "bag":
        return 1 / s if s > 1 else 0.99
    return 1.0 if vector or s == 1 else 2 / s


def error_formula(mapping: str, length: int, s: int, vector: bool) -> float:
    """The largest error at Delta = 0, exactly."""
    gamma = separation(mapping, s, vector)
    if mapping == "bag":
        e = 8 * length * s / gamma
        return (1 if vector else s) * length / (e + length)
    e = 8 * length / gamma
    if vector:
        return (2 * length - 1) / (e + length)
    return (2 * (length - s) + 1) / (s * e + length + 1 - s)


def attention(
    mapping: str,
    length: int,
    subset: tuple[int, ...],
    *,
    vector: bool = False,
    basis: Float[np.ndarray, "T d_v"] | None = None,
    variant: str = "gram",
) -> Attention:
    """The construction of a mapping; `basis` has the vectors v_t as rows, orthonormal if none. Variants: gram
    (correct), printed; they differ where Delta > 0, and in the values of several heads with positions, which as
    printed are read into another coordinate than the one that goes on."""
    if mapping not in MAPPINGS:
        raise UnknownName("input mapping", mapping, MAPPINGS)
    s = len(subset)
    if not (1 <= s <= length and len(set(subset)) == s and all(0 <= i < length for i in subset)):
        raise ConfigError("subset", subset, f"different positions between 0 and {length - 1}")
    v = np.eye(length) if basis is None else basis
    gamma = separation(mapping, s, vector)
    if mapping == "trainable":
        # v of irrelevant tokens is 0: one direction for all relevant ones, or one each
        v = np.zeros((length, max(s, 1) if vector else 1))
        v[list(subset), np.arange(s) if vector else 0] = 1.0
        return _with_bits(mapping, v, subset, gamma, vector, variant, delta=0.0)
    delta = coherence(v)
    if mapping == "positions":
        return _with_bits(mapping, v, subset, gamma, vector, variant, delta)
    return _bag(v, subset, gamma, vector, variant, delta)


def coherence(v: Float[np.ndarray, "T d_v"]) -> float:
    """Delta, the largest |v_t.v_u| of different rows."""
    gram = np.abs(v @ v.T)
    np.fill_diagonal(gram, 0.0)
    return float(gram.max())


def _layout(v: Float[np.ndarray, "T d_v"], wide: int) -> tuple[Float[np.ndarray, "T d"], list[Float[np.ndarray, " d"]]]:
    """The basis in the first coordinates, and E_0, E_1, v_CLS as the last three unit vectors."""
    d = max(v.shape[1], wide) + 3
    padded = np.zeros((len(v), d))
    padded[:, : v.shape[1]] = v
    return padded, [np.eye(d)[d - 3 + i] for i in range(3)]


def _scale(gamma: float, length: int, s: int, delta: float, variant: str, vector: bool) -> float:
    """R. Heads that select one token each are sound as printed, for Delta < 1/s."""
    as_printed = vector or variant == "printed"
    most = 1 / s if as_printed else 1 / (2 * s - 1)
    if not delta < most:
        raise ConfigError("Delta", delta, f"below {most:.3f}", "take more dimensions")
    kappa = s * delta if as_printed else s * delta / (1 - (s - 1) * delta)
    return math.log(8 * length / gamma) / (1 - kappa)


def _with_bits(
    mapping: str, v: np.ndarray, subset: tuple[int, ...], gamma: float, vector: bool, variant: str, delta: float
) -> Attention:
    """Lemmas A.19 and A.20."""
    s, length = len(subset), len(v)
    v, (zero, one, start) = _layout(v, s if vector else 1)
    d = v.shape[1]
    k = 2 if variant == "printed" and vector and mapping == "positions" else 1
    first, unit = np.eye(k)[0], np.eye(d)
    scale = _scale(gamma, length, s, delta, variant, vector)
    query = scale * np.outer(start, first)
    if vector:
        read = np.eye(k)[k - 1]  # as printed it is e_2, and what goes on is e_1
        heads = tuple(
            Head(query, np.outer(v[i], first), np.outer(zero - one, read), np.outer(first, unit[h]))
            for h, i in enumerate(subset)
        )
    else:
        key = v[subset[0]] if mapping == "trainable" else _sum(v[list(subset)], variant)
        heads = (Head(query, np.outer(key, first), np.outer(zero - one, first), np.outer(first, unit[0])),)
    signs = lambda bits: 1.0 - 2.0 * bits  # noqa: E731
    return Attention(
        mapping=mapping, subset=subset, symbols=np.stack([zero + v, one + v]), start=start, heads=heads, gamma=gamma,
        bound=1.0, outputs=s if vector else 1,
        target=signs if vector else lambda bits: signs(bits).mean(axis=1, keepdims=True),
    )  # fmt: skip


def _bag(v: np.ndarray, subset: tuple[int, ...], gamma: float, vector: bool, variant: str, delta: float) -> Attention:
    """Lemma A.21."""
    s, length = len(subset), len(v)
    v, (_, _, start) = _layout(v, s)
    d = v.shape[1]
    relevant = v[list(subset)]
    if variant == "printed":
        if not s * delta < gamma:
            raise ConfigError("Delta", delta, f"below gamma / s = {gamma / s:.3f}", "take more dimensions")
        scale = math.log(8 * length * s * (1 + delta) / (gamma - s * delta)) / (1 - s * delta)
        dual = relevant
    else:
        scale = _scale(gamma / s, length, s, delta, variant, vector=False)
        dual = np.linalg.solve(relevant @ relevant.T, relevant)
    ones = np.ones(s)
    query = scale * np.outer(start, np.eye(s)[0])
    key = np.outer(_sum(relevant, variant) + start, np.eye(s)[0])
    value = dual.T - np.outer(start, ones)
    out = np.zeros((s, d))
    if vector:
        out[:, :s] = np.eye(s)
    else:
        out[:, 0] = 1.0

    def target(bits: Int[np.ndarray, "N s"]) -> Float[np.ndarray, "N outputs"]:
        count = bits.sum(axis=1, keepdims=True)
        each = (bits - 1.0) / (count + 1)
        return each if vector else each.sum(axis=1, keepdims=True)

    return Attention(
        mapping="bag", subset=subset, symbols=np.stack([np.zeros_like(v), v]), start=start,
        heads=(Head(query, key, value, out),), gamma=gamma, bound=1.0 if vector else float(s),
        outputs=s if vector else 1, target=target,
    )  # fmt: skip


def _sum(relevant: Float[np.ndarray, "s d"], variant: str) -> Float[np.ndarray, " d"]:
    """v_I, or the vector of the same span with product 1 with every relevant one."""
    if variant == "printed":
        return relevant.sum(axis=0)
    return relevant.T @ np.linalg.solve(relevant @ relevant.T, np.ones(len(relevant)))
