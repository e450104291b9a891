"""One small trial for each way in which training can differ, and what it means for two results to be the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import assay as ay
from assay.engine.base import Control, Engine, Result, Suspended
from assay.losses import Correlation, CrossEntropy, Logistic, Square
from assay.nets import Sparse

RECORD = ay.Record(
    measures=("train/loss", "eval/error", "weights/movement_linf", "weights/snapshot"), points=6, steps=(3,)
)
SMALL = ay.Solve(sample=256)
PARITY = ay.Parity(n=12, k=2)


def trial(net: ay.Net, rate: float = 0.1, **changes: Any) -> ay.Trial:
    made: dict[str, Any] = {
        "task": PARITY,
        "net": net,
        "optimiser": ay.SGD(learning_rate=rate),
        "solve": SMALL,
        "record": RECORD,
        "budget": 120,
    }
    return ay.Trial(**(made | changes))


WAYS = {
    "neuron": trial(ay.Neuron()),
    "neuron with second layer": trial(ay.Neuron(activation="zigzag", second_layer=True)),
    "relu, batch 1": trial(ay.MLP(width=8), batch=1),
    "relu, wide": trial(ay.MLP(width=80)),
    "power, noise, decay, random subset": trial(
        ay.MLP(width=16, activation="power"),
        task=ay.Parity(n=12, k=2, subset="random", noise=0.1),
        optimiser=ay.SGD(learning_rate=0.05, weight_decay=0.01, momentum=0.5),
    ),
    "two hidden layers, logistic": trial(ay.MLP(width=12, depth=2), loss=Logistic(), init=ay.Sign()),
    "polynet, epochs, adam, streak": trial(
        ay.PolyNet(),
        data=ay.Offline(samples=100),
        optimiser=ay.Adam(learning_rate=0.02),
        solve=ay.Solve(accuracy=0.55, sample=64, fresh=True, streak=3),
    ),
    "disjoint polynet, population": trial(
        ay.DisjointPolyNet(),
        task=ay.DisjointParity(n=12, k=2),
        data=ay.Population(order="replacement"),
        loss=Correlation(),
        init=ay.Gaussian(),
    ),
    "full batch, logits, sparse": trial(
        ay.MLP(width=10, outputs=2),
        loss=CrossEntropy(),
        data=ay.Offline(samples=90),
        batch="all",
        init=Sparse(nonzeros=2),
    ),
    "no solve test, square": trial(ay.MLP(width=8, activation="sinusoid"), loss=Square(), solve=None),
    "sequences, mixture of chains, adamw": trial(
        ay.SequenceTransformer(d=4),
        task=ay.MarkovChains(states=3, length=12, prior=ay.Mixture(share=0.3)),
        loss=ay.SequenceCrossEntropy(),
        init=ay.Normal(std=0.2),
        optimiser=ay.AdamW(learning_rate=0.01, weight_decay=0.1),
        batch=8,
        solve=None,
        record=ay.Record(measures=("markov/truth", "attention/lags", "weights/snapshot"), points=6, sample=40),
    ),
    "sequences, minimal model": trial(
        ay.MinimalInduction(match=0.01),
        task=ay.MarkovChains(states=2, length=12),
        loss=ay.SequenceCrossEntropy(),
        batch=8,
        solve=None,
        record=ay.Record(measures=("markov/truth", "weights/snapshot"), points=6, sample=40),
    ),
}


def results(
    engine: Engine, trials: Sequence[ay.Trial], suspended: dict[str, Suspended] | None = None, may_fail: bool = False
) -> dict[str, Result]:
    """All results by identity; nothing may be left over, come twice, or have failed."""
    found = list(engine.run(trials, Control(), suspended))
    assert all(isinstance(item, Result) for item in found)
    by_identity = {item.trial.identity: item for item in found if isinstance(item, Result)}
    failures = [result.message for result in by_identity.values() if result.outcome is ay.Outcome.FAILED]
    assert may_fail or not failures, failures[0]
    assert len(by_identity) == len(found) == len({t.identity for t in trials})
    return by_identity


def assert_same(one: Result, other: Result) -> None:
    """Bit for bit, all but the time it took."""
    assert (one.trial, one.outcome, one.step, one.quantity, one.message) == (
        other.trial, other.outcome, other.step, other.quantity, other.message,
    )  # fmt: skip
    np.testing.assert_equal(dict(one.final), dict(other.final))
    for mine, theirs in ((one.curves, other.curves), (one.arrays, other.arrays)):
        assert mine.keys() == theirs.keys()
        for name, array in mine.items():
            np.testing.assert_array_equal(array, theirs[name], err_msg=name)
