"""What a sweep gave."""

from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl

from assay.store import Store


@dataclasses.dataclass(frozen=True)
class Runs:
    """The finished trials of a sweep, in the order of its plan."""

    store: Store
    identities: tuple[str, ...]
    interrupted: bool = False

    @property
    def frame(self) -> pl.DataFrame:
        """One row a trial."""
        raise NotImplementedError

    @property
    def curves(self) -> pl.DataFrame:
        """One row per trial and recorded step."""
        raise NotImplementedError

    def arrays(self, name: str) -> dict[str, np.ndarray]:
        """What an array measure recorded, by trial; the first axis is the records."""
        raise NotImplementedError
