"""Compiling for tests: half the time of a usual compilation, for code that runs once.

Without the compiler's optimisations whole numbers and signs come out the same; sums of float32 may differ in the last
bits, as they may between any two programs.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy as np

jit = functools.partial(
    jax.jit, compiler_options={"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
)


def filled(shapes: Any, seed: int = 0, scale: float = 1.0) -> Any:
    """Normal numbers in the form of what a function would return (`jax.eval_shape`), without compiling it."""
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda leaf: (scale * rng.normal(size=leaf.shape)).astype(leaf.dtype), shapes)
