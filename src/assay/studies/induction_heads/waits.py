"""How long nets wait for pairs: the fall of the loss on doubly stochastic chains, as survival times.

Counting symbols cannot lower that loss, whatever a net is trained on, so its fall is the forming of an induction head.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

import assay as ay
from assay.analysis import stages
from assay.studies.induction_heads.settings import labels

FALLEN = {2: 0.1, 3: 0.11, 4: 0.125}
"""By number of states: loss on doubly stochastic chains that is half of guessing."""


def events(runs: ay.Runs, chosen: Mapping[str, ay.Sweep]) -> pl.DataFrame:
    """When each run's loss on doubly stochastic chains falls for good: solved then, else censored at its last step.
    Columns: trial, name, seed, outcome, step, budget."""
    states = runs.frame.select("trial", "budget", fallen=pl.col("task.states").replace_strict(FALLEN))
    rows = runs.curves.join(labels(chosen, "name"), on="trial", maintain_order="left").drop_nulls("name")
    fall = stages.falls(rows.join(states, on="trial", maintain_order="left"), "markov/truth_balanced", "fallen")
    ends = rows.group_by("trial", "name", "seed", maintain_order=True).agg(pl.col("step").max().alias("last"))
    found = ends.join(fall, on="trial").join(states.select("trial", "budget"), on="trial")
    outcome = pl.when(pl.col("step").is_null()).then(pl.lit("censored")).otherwise(pl.lit("solved"))
    return found.with_columns(outcome=outcome, step=pl.col("step").fill_null(pl.col("last"))).drop("last")
