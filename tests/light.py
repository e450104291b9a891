"""Compiling for tests: half the time of a usual compilation, for code that runs once.

Without the compiler's optimisations whole numbers and signs come out the same; sums of float32 may differ in the last
bits, as they may between any two programs.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np

from assay.maths import streams
from assay.nets import Net, Uniform

jit = functools.partial(
    jax.jit, compiler_options={"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
)


@functools.cache
def keys(seed: int = 0) -> dict[str, jax.Array]:
    """The streams of a trial, made outside of the programs that read them."""
    return streams.streams(seed)


@functools.cache
def shapes(net: Net) -> Any:
    """The form of a net's parameters; nothing is compiled."""
    return jax.eval_shape(functools.partial(net.init, streams.root(0), Uniform()))


def normal_params(net: Net, seed: int = 0, scale: float = 1.0) -> Any:
    """Parameters of a net filled with normal numbers."""
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda leaf: (scale * rng.normal(size=leaf.shape)).astype(leaf.dtype), shapes(net))
