"""Without bounds on the norms, heads in three dimensions shatter log2 T inputs: proposition 4.8.

Edelman, Goel, Kakade, Zhang 2022. At position t = 0..T-1, T a power of 2, input i has the row (cos 2 pi t/T, sin 2 pi
t/T, digit i of t). The weight w_s = T^2 (cos 2 pi s/T, sin 2 pi s/T, 0) attends to position s, w_V = (0, 0, 1) reads
its digit: f > 1/2 exactly where digit i of s is 1. So for every choice of labels of the log2 T inputs some s gives
them.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from assay.errors import ConfigError
from assay.theory.capacity.lipschitz import softmax

PROVED = 1 / (1 + math.sqrt(math.pi / 8))
"""0.6148, what the proof says the weight at s is at least."""


def shattering(length: int) -> tuple[Float[np.ndarray, "{length} digits"], float]:
    """f(X_i) for every s and i, and the smallest attention weight at position s."""
    digits = length.bit_length() - 1
    if length < 2 or length != 2**digits:
        raise ConfigError("length", length, "a power of 2, at least 2")
    t = np.arange(length)
    angle = 2 * np.pi * t / length
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    attention = softmax(length**2 * circle @ circle.T)  # row s: the weights of w_s on all positions
    bits = t[:, None] >> np.arange(digits) & 1
    return attention @ bits, float(np.diagonal(attention).min())


def decisions_right(length: int) -> bool:
    """Whether all T log2 T comparisons with 1/2 give the digits of s."""
    outputs, _ = shattering(length)
    digits = outputs.shape[1]
    return bool(np.array_equal(outputs > 0.5, (np.arange(length)[:, None] >> np.arange(digits) & 1) == 1))
