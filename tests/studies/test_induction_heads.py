"""Waiting times of induction heads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import polars as pl

import assay as ay
from assay.studies.induction_heads.settings import TWO, transformer
from assay.studies.induction_heads.waits import FALLEN, events


def test_a_fall_is_an_event_and_a_plateau_without_end_is_censored():
    trial = transformer(3e-3, TWO, budget=80, every=20, measures=("markov/truth_balanced",))
    chosen = {"any": ay.Sweep(trial, ay.seeds(3))}
    names = [each.identity for each in chosen["any"].trials()]
    low, high = FALLEN[2] - 0.01, FALLEN[2] + 0.01
    losses = {names[0]: [high, high, low, low, low], names[1]: [high, low, high, low, high], names[2]: [high] * 5}
    curves = pl.DataFrame(
        [(name, 20 * i, loss) for name, values in losses.items() for i, loss in enumerate(values)],
        schema=["trial", "step", "markov/truth_balanced"], orient="row",
    )  # fmt: skip
    runs: Any = SimpleNamespace(
        curves=curves, frame=pl.DataFrame({"trial": names, "task.states": [2] * 3, "budget": [80] * 3})
    )
    found = events(runs, chosen).sort("seed")
    assert found.select("seed", "outcome", "step", "budget").rows() == [
        (0, "solved", 40, 80),
        (1, "censored", 80, 80),
        (2, "censored", 80, 80),
    ]
