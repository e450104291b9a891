"""Does an implementation train what it says it trains? Exact answers on a task small enough to enumerate."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from bench.peers.base import Trainer, Weights
from bench.workloads import Workload

SMALL = Workload(name="check", n=10, k=2, width=32, batch=32, runs=3, learning_rate=0.5, horizon=600)
SMALL_OFFLINE = Workload(
    name="check-offline", n=10, k=2, width=32, batch=32, runs=3, learning_rate=0.5, offline=512, horizon=600
)


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Hinge loss and error over all 2^n inputs, the mean over the runs, at the start and at the horizon."""

    loss_before: float
    loss_after: float
    error_before: float
    error_after: float


def progress(trainer: Trainer, workload: Workload, seed: int = 0) -> Progress:
    trainer.start(seed)
    loss_before, error_before = exact(trainer.weights(), workload)
    trainer.train(workload.horizon)
    loss_after, error_after = exact(trainer.weights(), workload)
    return Progress(loss_before=loss_before, loss_after=loss_after, error_before=error_before, error_after=error_after)


def exact(weights: Weights, workload: Workload) -> tuple[float, float]:
    """Population loss and error; an output of 0 is an error."""
    x = np.array(list(itertools.product((-1.0, 1.0), repeat=workload.n)))
    y = x[:, : workload.k].prod(axis=1)
    z = np.einsum("rhn,xn->rxh", weights.hidden, x) + weights.bias[:, None]
    f = np.einsum("rxh,rh->rx", np.maximum(z, 0), weights.output) + weights.offset[:, None]
    return float(np.maximum(0, 1 - y * f).mean()), float((y * f <= 0).mean())
