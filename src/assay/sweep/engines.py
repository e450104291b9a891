"""Which engine trains which trial."""

from __future__ import annotations

import functools
from collections.abc import Callable

from assay.engine.base import Engine
from assay.engine.native.engine import Native
from assay.engine.xla.engine import Xla
from assay.errors import PlanError, UnknownName
from assay.trial import Trial

ENGINES: dict[str, Callable[[int | None], Engine]] = {"native": Native, "xla": Xla}
"""From the fastest to the one that trains everything: the order in which `auto` asks them."""
AUTO = "auto"


@functools.cache
def find_engine(name: str, threads: int | None) -> Engine:
    """An engine by name; one a process, for the programs that it has compiled."""
    return ENGINES[name](threads)


def choose_engine(name: str, trial: Trial) -> str:
    """The engine that a name, or `auto`, means for trials like this one; PlanError where it refuses them."""
    if name != AUTO and name not in ENGINES:
        raise UnknownName("engine", name, [AUTO, *ENGINES])
    refusals = []
    for each in ENGINES if name == AUTO else [name]:
        refusal = find_engine(each, None).refusal(trial)
        if refusal is None:
            return each
        refusals.append(f"{each}: {refusal}")
    raise PlanError(f"no engine trains {trial.net.kind} on {trial.task.kind}: {'; '.join(refusals)}")
