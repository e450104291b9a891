"""When neurons find the hidden coordinates, read off snapshots of their weights.

A neuron's relevant weights are *ahead* where each of them exceeds all the others in size. Barak et al. 2022, appendices
C.2 and C.3: the loss moves only then, and the neurons of a layer get there one after the other.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import polars as pl
from jaxtyping import Bool, Float, Int

from assay.errors import ConfigError


def ahead(weights: Float[np.ndarray, "*axes n"], relevant: Collection[int]) -> Bool[np.ndarray, "*axes"]:
    """Whether the smallest relevant |w_i| exceeds the largest other one; `axes` are steps, and neurons if several."""
    n = weights.shape[-1]
    inside = np.isin(np.arange(n), list(relevant))
    if not 0 < inside.sum() < n or inside.sum() != len(relevant):
        raise ConfigError("relevant", tuple(relevant), f"1 to {n - 1} different coordinates between 0 and {n - 1}")
    size = np.abs(weights)
    return np.asarray(size[..., inside].min(axis=-1) > size[..., ~inside].max(axis=-1))


def first_step(steps: Int[np.ndarray, " T"], holds: Bool[np.ndarray, " T *neurons"]) -> Float[np.ndarray, "*neurons"]:
    """The first of the steps at which something holds; infinite where it never does."""
    return np.asarray(np.where(holds.any(axis=0), steps[holds.argmax(axis=0)], np.inf))


def last_step(steps: Int[np.ndarray, " T"], holds: Bool[np.ndarray, " T *neurons"]) -> Float[np.ndarray, "*neurons"]:
    """The last of the steps at which something holds; 0 where it never does."""
    return np.asarray(np.where(holds.any(axis=0), steps[::-1][holds[::-1].argmax(axis=0)], 0.0))


def solve_order(
    steps: Int[np.ndarray, " T"], weights: Float[np.ndarray, "T neurons n"], relevant: Collection[int]
) -> pl.DataFrame:
    """One row a neuron, in the order in which their relevant weights are first ahead: `place` from 1 on, `neuron`,
    `step` (infinite: never; those keep their own order at the end) and `lasting`, whether they are at the last step."""
    found = ahead(weights, relevant)
    first = first_step(steps, found)
    order = np.argsort(first, kind="stable")
    columns = {
        "place": np.arange(1, len(order) + 1),
        "neuron": order,
        "step": first[order],
        "lasting": found[-1][order],
    }
    return pl.DataFrame(columns)
