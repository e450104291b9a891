"""Workloads of Markov chains learnt in context: an attention-only Transformer, and the minimal model.

Both implementations train on fresh sequences of chains with flat Dirichlet rows, with cross-entropy at every position;
the Transformer (two layers, one head, relative positions) with AdamW, the minimal model with SGD.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class MarkovWorkload:
    """`runs` independent runs of one shape, known by their seeds only."""

    name: str
    states: int = 3
    length: int = 100
    d: int | None = 16
    """Width of the Transformer; None: the minimal model."""
    batch: int = 64
    runs: int = 8
    horizon: int = 400

    @property
    def title(self) -> str:
        net = "minimal model" if self.d is None else f"2 layers, 1 head, d = {self.d}"
        return (
            f"{self.states} states, {self.length} symbols, {net}, batch {self.batch}, "
            f"{self.runs} run{'s' if self.runs > 1 else ''}"
        )


MARKOV = (
    MarkovWorkload(name="markov"),
    MarkovWorkload(name="markov-single", runs=1),
    MarkovWorkload(name="markov-minimal", d=None, horizon=2000),
)
