"""Sparse functions as Transformers with explicit weights: attention that selects, and a lookup that computes.

Edelman, Goel, Kakade, Zhang 2022, proposition 4.12 = A.18, lemmas A.22 and A.23: any symmetric function of s bits with
one head and a lookup of s + 1 values, any function with s heads (one in a bag) and a lookup of 2^s. The lookup's
radius is delta = gamma/4, where an error up to gamma/4 just fits and values gamma apart are just told apart; the
printed gamma/8 does not cover the error.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from jaxtyping import Float, Int, UInt8

from assay.maths import juntas
from assay.theory.constructions.heads import Attention, attention
from assay.theory.constructions.lookup import Lookup, lookup


@dataclasses.dataclass(frozen=True)
class Transformer:
    """A layer of attention and the lookup behind it."""

    attention: Attention
    lookup: Lookup
    table: Float[np.ndarray, " entries"]

    def __call__(self, tokens: Int[np.ndarray, "N T"]) -> Float[np.ndarray, " N"]:
        return self.lookup(self.attention(tokens))

    def wanted(self, tokens: Int[np.ndarray, "N T"]) -> Float[np.ndarray, " N"]:
        """f of the relevant bits."""
        bits = tokens[:, list(self.attention.subset)]
        return self.table[bits @ (1 << np.arange(bits.shape[1]))]

    def error(self, tokens: Int[np.ndarray, "N T"]) -> float:
        return float(np.abs(self(tokens) - self.wanted(tokens)).max())

    def arrays(self) -> dict[str, dict[str, np.ndarray]]:
        """The weights as parameters of the net `bare-transformer`: layers of weight and bias."""
        a, look = self.attention, self.lookup
        side = lambda name: np.concatenate([getattr(h, name).T for h in a.heads])  # noqa: E731
        return {
            "embed_ones": {"weight": a.symbols[1].T},
            "embed_start": {"weight": a.start[:, None]},
            "embed_zeros": {"weight": a.symbols[0].T},
            "heads_key": {"weight": side("k")},
            "heads_out": {"weight": np.concatenate([h.c[:, : a.outputs] for h in a.heads]).T},
            "heads_query": {"weight": side("q")},
            "heads_value": {"weight": side("v")},
            "mlp_1": {"weight": look.first[:-1].T, "bias": look.first[-1]},
            "mlp_2": {"weight": look.second[:-1].T, "bias": look.second[-1]},
            "output": {"weight": look.values[None]},
        }


def transformer(
    mapping: str,
    length: int,
    subset: tuple[int, ...],
    table: Float[np.ndarray, " entries"],
    *,
    symmetric: bool = False,
    radius: float = 0.25,
    printed_bump: bool = False,
) -> Transformer:
    """The Transformer of a table of 2^s values; `symmetric` takes the small construction for functions of the count of
    ones. `radius` is delta / gamma: 1/4, or the printed 1/8."""
    layer = attention(mapping, length, subset, vector=not symmetric)
    s = len(subset)
    bits = juntas.patterns(s).astype(np.int64)
    if symmetric:
        bits = bits[[2**r - 1 for r in range(s + 1)]]  # one pattern for each count
    points = layer.target(bits)
    values = table[bits @ (1 << np.arange(s))]
    return Transformer(layer, lookup(points, values, radius * layer.gamma, printed_bump), table)


def all_inputs(length: int) -> Int[np.ndarray, "{2**length} {length}"]:
    """Every input of bits."""
    return (np.arange(2**length)[:, None] >> np.arange(length) & 1).astype(np.int64)


def hard_inputs(
    length: int, subset: tuple[int, ...], rng: np.random.Generator, many: int = 20
) -> Int[np.ndarray, "N T"]:
    """Every pattern of the relevant bits with all others 0, all 1, and at random: for lengths that cannot be
    enumerated."""
    patterns = juntas.patterns(len(subset)).astype(np.int64)
    rest = [np.zeros(length, np.int64), np.ones(length, np.int64), *rng.integers(0, 2, (many, length))]
    inputs = np.repeat(np.stack(rest), len(patterns), axis=0)
    inputs[:, list(subset)] = np.tile(patterns, (len(rest), 1))
    return inputs


def named(function: str, s: int) -> tuple[UInt8[np.ndarray, " entries"], bool]:
    """The table of and, or, xor or majority, all of them symmetric."""
    return juntas.named_table(function, s), True
