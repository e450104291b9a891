"""Reading a store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl


class Store:
    """A folder (or any address fsspec knows) of runs, curves and arrays."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = str(folder)
        self.problems: list[str] = []

    def runs(self) -> pl.DataFrame:
        """One row a trial, each trial once, in the order of the plan."""
        raise NotImplementedError

    def curves(self) -> pl.DataFrame:
        """One row per trial and recorded step."""
        raise NotImplementedError

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """What an array measure recorded, by trial; the first axis is the records."""
        raise NotImplementedError

    def compact(self) -> None:
        """Merges the fragments into few."""
        raise NotImplementedError
