"""SGD on a disjoint-PolyNet: Theorem 7 of Barak et al. 2022 (appendix B.4), its constants as printed and corrected.

Every weight starts at +-1, the loss is -y f, and block i of n' = n/k coordinates has its own rate at each step,

    eta_i = 1 / (a sqrt(2 T ln(2nT/delta)) prod_{l != i} ||w_l||_1),    T >= c ln(2nT/delta) ln(2k/eps) (3n'-2)^(2k-1).

Where the relevant product is positive, the error after T steps is at most eps with probability 1 - delta. Printed are
a = 2 and c = 6, of which two steps of the proof need more. (1) Each weight must drift by at most 1/2 with probability
1 - delta/(nT); the martingale's changes are at most 2 / (a sqrt(2 T ln)), for which Azuma and Hoeffding give a failure
of 2 (2nT/delta)^(-a^2/16). (2) By the corrected Lemma 7 (`block_error.upper_bound`) the relevant weights must end at
3/2 sqrt(2 (n'-1) ln(2k/eps)); certain is only 1/2 + T / (a sqrt(2 T ln) (3n'-2)^(k-1)). Both hold for a = 4, c = 48.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float64, Int8

from assay.errors import ConfigError
from assay.theory.parity import block_error

Array = np.ndarray

DRIFT = 0.5
"""Most that an irrelevant weight may move."""

CHUNK = 2000
"""Most steps whose inputs are drawn at once."""


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """The numbers of Theorem 7 for k blocks of `block` coordinates."""

    block: int
    k: int
    eps: float = 0.05
    delta: float = 0.1
    corrected: bool = False

    def __post_init__(self) -> None:
        for name, number, least in (("block", self.block, 2), ("k", self.k, 2)):
            if number < least:
                raise ConfigError(name, number, f">= {least}")
        for name, level, most in (("eps", self.eps, 0.5), ("delta", self.delta, 1.0)):
            if not 0 < level < most:
                raise ConfigError(name, level, f"strictly between 0 and {most}")

    @property
    def n(self) -> int:
        return self.block * self.k

    @property
    def steps(self) -> int:
        """The smallest T from which on the requirement is met; its logarithm makes it implicit."""
        scale = (48 if self.corrected else 6) * math.log(2 * self.k / self.eps)
        scale *= (3 * self.block - 2) ** (2 * self.k - 1)
        bound, before = scale, 0.0
        while abs(bound - before) > 1e-9 * bound:  # a contraction: the derivative is scale / bound < 1
            bound, before = scale * self._log(bound), bound
        return math.ceil(bound)

    @property
    def rate(self) -> float:
        """eta_i times prod_{l != i} ||w_l||_1."""
        return 1 / ((4 if self.corrected else 2) * math.sqrt(2 * self.steps * self._log(self.steps)))

    @property
    def azuma(self) -> float:
        """Bound 2 exp(-(1/2)^2 / (2 T (2 rate)^2)) of P[one weight drifts by more than 1/2]."""
        return 2 * math.exp(-(DRIFT**2) / (8 * self.steps * self.rate**2))

    @property
    def azuma_wanted(self) -> float:
        """delta / (nT), which the union over weights and steps needs."""
        return self.delta / (self.n * self.steps)

    def relevant_at(self, step: int) -> float:
        """What the proof guarantees of |w_i1| after so many steps, given no drift beyond 1/2 (Claim 12)."""
        return DRIFT + step * self.rate / (3 * self.block - 2) ** (self.k - 1)

    @property
    def relevant_wanted(self) -> float:
        """|v| at which 2k exp(-v^2 / (2 ||u||^2)) = eps for irrelevant weights of size 3/2."""
        return 1.5 * math.sqrt(2 * (self.block - 1) * math.log(2 * self.k / self.eps))

    def _log(self, steps: float) -> float:
        return math.log(2 * self.n * steps / self.delta)


@dataclass(frozen=True)
class Descent:
    """Runs of SGD by the rule of Theorem 7, from starts with a positive relevant product."""

    weights: Float64[Array, "runs k block"]
    drift: Float64[Array, " runs"]  # largest |w_ij(t) - w_ij(0)| of an irrelevant weight at any recorded step
    zero_error: Float64[Array, " runs"]  # first recorded step at which no input is answered wrongly; inf if none
    steps: tuple[int, ...]  # recorded
    relevant: Float64[Array, "records runs"]  # smallest |w_i1| over the blocks

    @property
    def errors(self) -> list[float]:
        """The exact error of each run at its end."""
        return [block_error.polynet_error(each) for each in self.weights]


def simulate(requirement: Requirement, runs: int, seed: int, records: int = 200) -> Descent:
    """Trains so many runs side by side, one fresh example a step each, for `requirement.steps` steps."""
    rng = np.random.default_rng(seed)
    size = (runs, requirement.k, requirement.block)
    start = rng.choice([-1.0, 1.0], size)
    start[:, -1, 0] *= np.prod(start[:, :, 0], axis=1)  # as if conditioned on a positive product
    weights, done = start.copy(), 0
    drift, zero_error = np.zeros(runs), np.full(runs, math.inf)
    steps, relevant = [0], [np.ones(runs)]
    for count in _chunks(requirement.steps, records):
        examples = 2 * rng.integers(2, size=(count, *size), dtype=np.int8) - 1
        advance(weights, examples, requirement.rate)
        done += count
        drift = np.maximum(drift, np.abs(weights - start)[:, :, 1:].max(axis=(1, 2)))
        zero_error = np.where(np.isinf(zero_error) & certain(weights), done, zero_error)
        steps.append(done)
        relevant.append(np.abs(weights[:, :, 0]).min(axis=1))
    return Descent(weights, drift, zero_error, tuple(steps), np.stack(relevant))


def advance(
    weights: Float64[Array, "runs k block"], examples: Int8[Array, "steps runs k block"], rate: float
) -> Float64[Array, "runs k block"]:
    """One step of SGD for each example, in place: w_i + eta_i y (prod_{l != i} w_l . x_l) x_i, and

    eta_i prod_{l != i} w_l . x_l = rate prod_{l != i} w_l . x_l / ||w_l||_1. The label is the product of the first
    coordinates of the blocks.
    """
    k = weights.shape[1]
    others = np.array([[j for j in range(k) if j != i] for i in range(k)])
    signed = rate * examples[..., 0].prod(axis=-1, dtype=np.float64)[..., None]
    inputs = examples.astype(np.float64)
    for x, y in zip(inputs, signed, strict=True):
        shares = (weights * x).sum(axis=-1) / np.abs(weights).sum(axis=-1)  # [runs, k]
        pull = y * (shares[:, others].prod(axis=-1) if k > 2 else shares[:, ::-1])
        weights += pull[..., None] * x
    return weights


def certain(weights: Float64[Array, "runs k block"]) -> Bool[Array, " runs"]:
    """Whether no input is answered wrongly: each relevant weight outweighs all others of its block together, and
    their product is positive."""
    relevant = weights[:, :, 0]
    outweighs = 2 * np.abs(relevant) > np.abs(weights).sum(axis=-1)
    return outweighs.all(axis=1) & (np.prod(np.sign(relevant), axis=1) > 0)


def requirement_table(
    settings: Iterable[tuple[int, int]], eps: float = 0.05, delta: float = 0.1
) -> list[dict[str, Any]]:
    """One row for each (block, k) and version of the constants: what the theorem asks for, and what its proof needs."""
    rows: list[dict[str, Any]] = []
    for block, k in settings:
        for corrected in (False, True):
            each = Requirement(block=block, k=k, eps=eps, delta=delta, corrected=corrected)
            rows.append(
                {
                    "block": block,
                    "k": k,
                    "constants": "corrected" if corrected else "printed",
                    "steps": each.steps,
                    "rate": each.rate,
                    "azuma": each.azuma,
                    "azuma_wanted": each.azuma_wanted,
                    "relevant": each.relevant_at(each.steps),
                    "relevant_wanted": each.relevant_wanted,
                }
            )
    return rows


def _chunks(steps: int, records: int) -> Iterable[int]:
    """Numbers of steps between moments of recording, about `records` of them, none above CHUNK."""
    size = min(CHUNK, max(1, steps // records))
    return [size] * (steps // size) + ([steps % size] if steps % size else [])
