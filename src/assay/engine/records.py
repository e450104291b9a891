"""What is recorded of a trial on its way: when, and as which columns. The same for every engine."""

from __future__ import annotations

import bisect
import dataclasses
from typing import Any

import numpy as np

from assay.engine.base import Arrays
from assay.trial import Trial


@dataclasses.dataclass
class Records:
    """The records of one trial."""

    trial: Trial
    steps: list[int] = dataclasses.field(default_factory=list)
    taken: list[dict[str, Any]] = dataclasses.field(default_factory=list)  # measure -> number, array, or dict of arrays

    def __post_init__(self) -> None:
        self.moments = self.trial.record.moments(self.trial.budget)

    def next_event(self, step: int) -> int:
        """The next step after `step` at which the host must look: a record or the end of the budget."""
        place = bisect.bisect_right(self.moments, step)
        return min(self.moments[place] if place < len(self.moments) else self.trial.budget, self.trial.budget)

    def due(self, step: int) -> bool:
        """Whether `step` is one to record at, and not yet recorded."""
        place = bisect.bisect_left(self.moments, step)
        return place < len(self.moments) and self.moments[place] == step and step not in self.steps[-1:]

    def missing(self, step: int) -> bool:
        """Whether the last step of a trial is still to be recorded."""
        return bool(self.trial.record.measures) and step not in self.steps[-1:]

    def add(self, step: int, record: dict[str, Any]) -> None:
        if len(self.taken) > 1:  # what is kept at the ends only leaves the middle
            gone = [name for name in self.taken[-1] if self._at_ends(name)]
            for name in gone:
                del self.taken[-1][name]
        self.steps.append(step)
        self.taken.append(record)

    def state(self) -> Arrays:
        """All that going on later needs."""
        return {"steps": np.array(self.steps, np.int64)} | self._stacked("record:")

    def restore(self, state: Arrays) -> None:
        self.steps = [int(step) for step in state["steps"]]
        stacked = {name.removeprefix("record:"): array for name, array in state.items() if name.startswith("record:")}
        last = len(self.steps) - 1
        self.taken = [{} for _ in self.steps]
        for name, array in stacked.items():
            for i in (0, last)[: len(array)] if self._at_ends(name) else range(len(self.steps)):
                self.taken[i][name] = array[-1 if i else 0] if self._at_ends(name) else array[i]

    def columns(self) -> tuple[Arrays, Arrays]:
        """Measures that are numbers for the curves, beside their steps, and all others for the arrays."""
        stacked = self._stacked()
        numbers = {name for name, array in stacked.items() if self._is_number(name, array)}
        curves = {"step": np.array(self.steps, np.int64)} if self.steps else {}
        curves |= {name: array for name, array in stacked.items() if name in numbers}
        return curves, {name: array for name, array in stacked.items() if name not in numbers}

    def _is_number(self, name: str, array: np.ndarray) -> bool:
        """Whether it has one number for each record: what is kept at the ends has not."""
        return name in self.trial.record.measures and array.ndim == 1 and not self._at_ends(name)

    def _stacked(self, prefix: str = "") -> Arrays:
        flats = [_flat(record) for record in self.taken]
        names = flats[0] if flats else {}
        return {prefix + name: np.stack([flat[name] for flat in flats if name in flat]) for name in names}

    def _at_ends(self, name: str) -> bool:
        """Whether a measure, or a part of one, is kept at the first and the last record only."""
        return any(name == end or name.startswith(f"{end}.") for end in self.trial.record.ends)


def _flat(record: dict[str, Any]) -> Arrays:
    """Measure names to arrays; a measure that returned a dictionary becomes `measure.name`."""
    flat: Arrays = {}
    for name, item in record.items():
        if isinstance(item, dict):
            flat |= {f"{name}.{part}": np.asarray(array) for part, array in item.items()}
        else:
            flat[name] = np.asarray(item)
    return flat
