"""What the harness asks of an implementation."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from bench.workloads import AnyWorkload


class Weights(NamedTuple):
    """The nets of R runs as numpy arrays: f(x) = output . relu(hidden x + bias) + offset."""

    hidden: np.ndarray  # (R, width, n)
    bias: np.ndarray  # (R, width)
    output: np.ndarray  # (R, width)
    offset: np.ndarray  # (R,)


class Trainer(Protocol):
    """An implementation that is ready to train one workload."""

    note: str
    """What a reader of the table must know about this row; empty for most."""

    def start(self, seed: int) -> None:
        """Draw fresh nets (and, offline, fresh training samples). Not timed."""

    def train(self, steps: int) -> int:
        """Train every run for so many steps, wait for the result, and return the model-steps done. Timed."""

    def weights(self) -> Weights:
        """The nets as they are now; asked for by the checks only."""


Prepare = Callable[[AnyWorkload], Trainer]


class Unavailable(Exception):
    """This implementation cannot run this workload on this machine; the text is the note of its row."""
