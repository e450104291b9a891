"""What a sweep gave: frames and arrays of its trials, read from the store."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import numpy as np
import polars as pl
from safetensors.numpy import save_file

from assay.errors import StoreError
from assay.store import Store
from assay.trial import Outcome

SNAPSHOT = "weights/snapshot."


@dataclasses.dataclass(frozen=True)
class Runs:
    """The trials of a sweep that have ended, in the order of the sweep."""

    store: Store
    identities: tuple[str, ...]  # of all trials of the sweep
    interrupted: bool = False  # stopped on request before all had ended

    @functools.cached_property
    def frame(self) -> pl.DataFrame:
        """One row a trial."""
        runs = self.store.runs()
        order = pl.DataFrame({"trial": self.identities}, schema={"trial": pl.String})
        return order.join(runs, on="trial", maintain_order="left")

    @functools.cached_property
    def curves(self) -> pl.DataFrame:
        """One row per trial and recorded step."""
        order = pl.DataFrame({"trial": self.identities}, schema={"trial": pl.String})
        return order.join(self.store.curves(), on="trial", maintain_order="left_right")

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """What an array measure recorded, by trial; the first axis is the records."""
        found = self.store.arrays(name)
        return {trial: found[trial] for trial in self.identities if trial in found}

    def weights(self) -> dict[str, dict[str, dict[str, np.ndarray]]]:
        """By trial, layer and array the weights of all trials that recorded `weights/snapshot`; the first axis is the
        records. At one record they are what `net.apply` and `net.activations` take."""
        found: dict[str, dict[str, dict[str, np.ndarray]]] = {}
        for name in self.store.array_names():
            if name.startswith(SNAPSHOT):
                layer, _, part = name.removeprefix(SNAPSHOT).rpartition(".")
                for trial, array in self.arrays(name).items():
                    found.setdefault(trial, {}).setdefault(layer, {})[part] = array
        return found

    def save_weights(self, trial: str, path: str | Path, record: int = -1) -> Path:
        """Writes the weights of a trial, which recorded `weights/snapshot`, at one of its records (by default the last)
        to a safetensors file that other tools load; the names are those of layer and array."""
        layers = self.weights().get(trial)
        if not layers:
            advice = "record the measure weights/snapshot"
            raise StoreError(f"trial {trial} has no weights in {self.store.folder}; {advice}")
        named = {
            f"{layer}.{part}": np.ascontiguousarray(array[record])
            for layer, parts in layers.items()
            for part, array in parts.items()
        }
        steps = self.curves.filter(trial=trial)["step"]
        save_file(named, path, {"trial": trial, "step": str(steps[record]) if len(steps) else ""})
        return Path(path)

    @property
    def failures(self) -> list[str]:
        """Of each trial that failed the last line of its message, which names the error."""
        messages = self.frame.filter(outcome=Outcome.FAILED)["message"]
        return [message.strip().rpartition("\n")[2] for message in messages.fill_null("")]

    @property
    def missing(self) -> int:
        """Trials of the sweep without a row: stopped, or lost with their worker."""
        return len(self.identities) - self.frame.height

    @property
    def problems(self) -> list[str]:
        """What was wrong with files or workers, in words."""
        return self.store.problems

    def __repr__(self) -> str:
        counts = self.frame.group_by("outcome").len().sort("len", descending=True).iter_rows()
        ended = ", ".join(f"{count:,} {outcome}" for outcome, count in counts)
        rest = f", {self.missing:,} missing" if self.missing else ""
        return f"<Runs of {len(self.identities):,} trials: {ended or 'none ended'}{rest}>"

    def _repr_html_(self) -> str:
        return f"<p>{repr(self).strip('<>')}</p>{self.frame._repr_html_()}"
