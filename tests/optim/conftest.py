"""Optax multiplies counts and floats, which strict types in JAX do not allow."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(autouse=True)
def usual_types() -> Iterator[None]:
    with jax.numpy_dtype_promotion("standard"):
        yield
