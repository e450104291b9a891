"""Workload of a table of pairs: a quadratic net on the whole table of addition modulo p.

f(a, b) = sum_i (u_i(a) + v_i(b))^2 w_i: gradient descent on the mean cross-entropy plus penalty sum_i ||omega_i||^3,
from the initial weights of `torch.nn.Linear` (Morwani et al. 2023, appendix D.2).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """One run, known by its seed only."""

    name: str
    p: int
    width: int
    learning_rate: float
    penalty: float
    horizon: int
    runs: int = 1

    @property
    def title(self) -> str:
        return f"addition modulo {self.p}, all {self.p**2:,} pairs a step, width {self.width}, 1 run"


PAIRS = (Pairs(name="modular", p=71, width=500, learning_rate=0.05, penalty=1e-4, horizon=1_000),)
