"""Beside and beyond bits: what attention can also do, and how sensitive it is to a single token.

Edelman, Goel, Kakade, Zhang 2022, section 4.3 and appendix A.2.4; Hahn 2020 for the bound that a logarithmic scale gets
around.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from assay.theory.constructions.heads import Attention, Head, attention
from assay.theory.constructions.lookup import lookup


def sensitivity(length: int, s: int, scale: float) -> float:
    """How much the output of the single head with orthonormal positions changes with one relevant bit:
    2 e^R / (s e^R + T + 1 - s). At fixed R it vanishes like 1/T (Hahn 2020); at R = log(8T/gamma) it stays near 2/s."""
    e = math.exp(scale)
    return 2 * e / (s * e + length + 1 - s)


def measured_sensitivity(length: int, s: int, scale: float | None = None) -> float:
    """The same from the weights, with R as given or that of the construction. Tokens are summed up by kind: all
    irrelevant ones have the same score."""
    small = attention("positions", s + 2, tuple(range(s)))
    head = small.heads[0]
    own = math.log(8 * length / small.gamma) if scale is None else scale
    query = head.q / np.linalg.norm(head.q) * own

    def output(bits: np.ndarray) -> float:
        rows = np.concatenate([small.symbols[bits, np.arange(s + 2)], small.start[None]])
        many = np.array(
            [1.0] * s + [(length - s) / 2] * 2 + [1.0]
        )  # the two irrelevant tokens stand for half of the rest each
        weights = many * np.exp(rows @ head.k @ (query.T @ small.start))
        return float((weights @ rows / weights.sum() @ head.v @ head.c)[0])

    ones = np.array([1] * s + [0, 1])
    flipped = ones.copy()
    flipped[0] = 0
    return abs(output(flipped) - output(ones))


def uniform_average_error(length: int, d: int, rng: np.random.Generator) -> float:
    """With W_Q = W_K = 0 the output is the average of all T + 1 rows: largest difference."""
    rows = rng.normal(size=(1, length + 1, d))
    head = Head(np.zeros((d, 1)), np.zeros((d, 1)), np.eye(d), np.eye(d))
    layer = Attention(
        mapping="positions", subset=(0,), symbols=np.zeros((2, length, d)), start=rows[0, -1], heads=(head,), gamma=1.0,
        bound=1.0, outputs=d, target=lambda bits: bits,
    )  # fmt: skip
    return float(np.abs(layer.on_rows(rows)[0] - rows[0].mean(axis=0)).max())


def subspace_average_error(length: int, inside: int, s: int, rng: np.random.Generator) -> float:
    """Tokens whose keys are in a subspace of s dimensions can be averaged with equal weights, however many they are:
    positions share s directions, and a query that has product R with each of them averages them all. Largest difference
    from the average of the chosen tokens' values, at e^R = 10^12."""
    d = s + 2
    rows = np.zeros((1, length + 1, d))
    rows[0, :inside, :s] = np.eye(s)[rng.integers(0, s, inside)]
    rows[0, :length, s] = rng.normal(size=length)
    rows[0, -1, -1] = 1.0
    key = np.append(np.ones(s), [0.0, 0.0])[:, None]
    start = rows[0, -1]
    head = Head(math.log(1e12) * start[:, None], key, np.eye(d)[:, s : s + 1], np.eye(1, d))
    layer = Attention(
        mapping="positions", subset=(0,), symbols=np.zeros((2, length, d)), start=start, heads=(head,), gamma=1.0,
        bound=1.0, outputs=1, target=lambda bits: bits,
    )  # fmt: skip
    return abs(float(layer.on_rows(rows)[0, 0]) - float(rows[0, :inside, s].mean()))


def categorical_error(alphabet: int, length: int, subset: tuple[int, ...], values: np.ndarray) -> float:
    """Any function of s tokens out of an alphabet of M, with s heads and a lookup of M^s values, on all M^T inputs:
    largest error. Head h reads token j as 2 j / (M - 1) - 1."""
    s = len(subset)
    d = length + alphabet + 1
    unit = np.eye(d)
    symbols = unit[None, :length] + unit[length : length + alphabet][:, None]
    start, gap = unit[-1], 2 / (alphabet - 1)
    code = 2 * np.arange(alphabet) / (alphabet - 1) - 1
    scale = math.log(8 * length / gap)
    heads = tuple(
        Head(
            scale * start[:, None], unit[i][:, None], (code @ unit[length : length + alphabet])[:, None], unit[h][None]
        )
        for h, i in enumerate(subset)
    )
    layer = Attention(
        mapping="positions", subset=subset, symbols=symbols, start=start, heads=heads, gamma=gap, bound=1.0, outputs=s,
        target=lambda tokens: code[tokens],
    )  # fmt: skip
    choices = np.array(list(itertools.product(range(alphabet), repeat=s)))
    net = lookup(code[choices], values, gap / 4)
    tokens = np.array(list(itertools.product(range(alphabet), repeat=length)))
    wanted = values[tokens[:, list(subset)] @ alphabet ** np.arange(s - 1, -1, -1)]
    return float(np.abs(net(layer(tokens)) - wanted).max())


def continuous_error(length: int, scale: float, many: int, rng: np.random.Generator) -> float:
    """Selecting one number b_i out of [0, 1]^T with X_t = v_t + b_t E_1: largest error over random inputs and those
    with all others opposite; at most 2 T / e^R."""
    b = np.concatenate([rng.random((many, length)), np.eye(1, length), 1 - np.eye(1, length)])
    weights = np.full(length + 1, 1.0)
    weights[0] = math.exp(scale)  # e_1 is asked for; all others and [CLS] have score 0
    out = np.append(b, np.zeros((len(b), 1)), axis=1) @ weights / weights.sum()
    return float(np.abs(out - b[:, 0]).max())
