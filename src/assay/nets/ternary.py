"""The initialisation of Daniely and Malach 2020, section 3: weights in {-1, 0, 1}, neurons in pairs."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array

from assay.config import at_least, one_of, shape, value
from assay.maths.streams import Key
from assay.nets.init import Init, Uniform


class Ternary(Init, kind="ternary"):
    """w uniform on {-1, 0, 1}^n, b = 1/(8k), output weights u uniform on [-n/k, n/k]; the second half of the neurons
    are partners of the first.

    As printed (`literal`) a partner has -w, -b, -u, and f is not 0 at the start, as the proof has it: the partners'
    outputs add up. With w, b, -u (`zero-output`) they cancel. For nets of one hidden layer without output bias; of an
    odd number of neurons one has no partner."""

    coordinates: int = value(check=at_least(1), doc="n, for the size of the output weights")
    degree: int = value(check=at_least(1), doc="k, for the sizes of biases and output weights")
    pairs: str = shape(default="zero-output", check=one_of("literal", "zero-output"))

    def weight(self, key: Key, size: tuple[int, ...], fan_in: int, first: bool = False) -> Array:
        if not first:
            return self.coordinates / self.degree * self._paired(Uniform().weight(key, size, 1), len(size) - 1, -1)
        trits = jnp.floor(1.5 * (Uniform().weight(key, size, 1) + 1)) - 1
        return self._paired(trits, 0, self._partner)

    def bias(self, key: Key, size: tuple[int, ...], fan_in: int) -> Array:
        return self._paired(jnp.full(size, 1 / (8 * self.degree), jnp.float32), 0, self._partner)

    @property
    def _partner(self) -> int:
        return -1 if self.pairs == "literal" else 1

    def _paired(self, drawn: Array, axis: int, sign: int) -> Array:
        """The first half along an axis, and behind it the same times `sign`."""
        if not drawn.ndim:
            return drawn
        count = drawn.shape[axis]
        half = lax.slice_in_dim(drawn, 0, -(-count // 2), axis=axis)
        return lax.slice_in_dim(jnp.concatenate([half, sign * half], axis=axis), 0, count, axis=axis)
