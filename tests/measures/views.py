"""A trial at a step, for tests of measures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import assay as ay
from assay.measures import View
from tests import light

TASK = ay.Parity(n=6, k=2)
NET = ay.MLP(width=3)


def trial(**changes: Any) -> ay.Trial:
    usual: dict[str, Any] = {"task": TASK, "net": NET, "batch": 8, "solve": ay.Solve(sample=100), "seed": 3}
    return ay.Trial(**usual | changes)


def params_of(trial: ay.Trial, seed: int = 0) -> Any:
    """Parameters at random, the same for the same net."""
    return light.normal_params(trial.learner, seed)


def view(trial: ay.Trial, params: Any, start: Any, step: Any = 5) -> View:
    assert trial.solve is not None
    return View(
        task=trial.task, net=trial.learner, loss=trial.loss, data=trial.data,
        batch=0 if trial.batch == "all" else trial.batch, sample=trial.solve.sample,
        secret=trial.task.secret(trial.seed), keys=light.keys(trial.seed), step=step, start=start, params=params,
    )  # fmt: skip


def measured(
    function: Callable[[View], Any], trial: ay.Trial, params: Any = None, start: Any = None, step: int = 5
) -> Any:
    """What a measure gives, compiled as in a program; arrays of numpy."""
    params = params_of(trial) if params is None else params
    start = params_of(trial, seed=1) if start is None else start
    light.keys(trial.seed)  # before the program
    compiled = light.jit(lambda now, then, t: function(view(trial, now, then, t)))
    return jax.tree.map(np.asarray, compiled(params, start, jnp.int32(step)))
