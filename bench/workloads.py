"""What is timed: two-layer ReLU nets that learn sparse parities with plain SGD, from small and many to large and few.

Every workload has hinge loss, the mean over the batch, no momentum and no weight decay, the net
f(x) = u . relu(Wx + b) + c with all of W, b, u, c trained, and the default initialisation of `torch.nn.Linear`:
U(+-1/sqrt(n)) for W and b, U(+-1/sqrt(width)) for u and c. Fresh uniform +-1 inputs at every step, or, offline,
a sample of m inputs drawn once a run and minibatches drawn from it with replacement.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import UnknownName
from bench.markov import MARKOV, MarkovWorkload
from bench.pairs import PAIRS, Pairs


@dataclass(frozen=True, kw_only=True)
class Workload:
    """`runs` independent runs of one shape, known by their seeds only."""

    name: str
    n: int
    """Number of input bits."""
    k: int
    """Size of the parity; the hidden subset is the first k bits."""
    width: int
    batch: int
    runs: int
    learning_rate: float
    offline: int | None = None
    """Size of the training sample drawn once a run; None for fresh inputs at every step."""
    horizon: int
    """Steps after which a timed run starts afresh: about the time it takes to solve the task, so that no
    implementation is timed for long on nets that have nothing left to learn."""

    @property
    def title(self) -> str:
        source = f"m={self.offline}" if self.offline else "online"
        return (
            f"({self.n},{self.k}) {source}, width {self.width}, batch {self.batch}, "
            f"{self.runs} run{'s' if self.runs > 1 else ''}"
        )


AnyWorkload = Workload | MarkovWorkload | Pairs

PARITIES: dict[str, Workload] = {
    each.name: each
    for each in (
        Workload(name="W1", n=50, k=3, width=100, batch=32, runs=1, learning_rate=0.1, horizon=2_000),
        Workload(name="W2a", n=50, k=3, width=100, batch=32, runs=64, learning_rate=0.1, horizon=2_000),
        Workload(name="W2b", n=50, k=3, width=100, batch=32, runs=1_000, learning_rate=0.1, horizon=2_000),
        Workload(name="W3", n=30, k=3, width=1_000, batch=1_024, runs=8, learning_rate=0.1, horizon=1_000),
        Workload(name="W4", n=50, k=3, width=10, batch=1, runs=1_000, learning_rate=0.05, horizon=20_000),
        Workload(
            name="W5", n=50, k=4, width=10_000, batch=32, runs=4, learning_rate=0.1, offline=10_000, horizon=2_000
        ),
    )
}

WORKLOADS: dict[str, AnyWorkload] = {**PARITIES, **{each.name: each for each in (*MARKOV, *PAIRS)}}
"""All by name; by default the parities are timed."""


def choose(names: tuple[str, ...]) -> list[AnyWorkload]:
    """The workloads of these names, all parities for none."""
    for name in names:
        if name not in WORKLOADS:
            raise UnknownName("workload", name, WORKLOADS)
    return [WORKLOADS[name] for name in names or PARITIES]
