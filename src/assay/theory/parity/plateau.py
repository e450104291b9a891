"""How much of the time that gradient flow needs is spent at chance: T(1/2 - gamma) / T(0) of a disjoint-PolyNet.

T(alpha) = sup{t: err >= alpha}, and T(0) is the blow-up, the end of the flow. For blocks of m coordinates the ratio is
1 - O(m^(1-k/2) gamma^(2/k-1)) with +-1 weights (Barak et al. 2022, Corollary 10) and, up to logarithms and with high
probability, with standard normal ones (Theorem 6), where the relevant product is positive. Along the flow the error
only falls: every relevant weight grows, the irrelevant ones stand still (`flow`, `block_error`). The single moments at
which a factor of +-1 irrelevant weights can be zero, and ties add to the error, are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from assay.errors import ConfigError
from assay.theory.parity import block_error, flow

Array = np.ndarray


@dataclass(frozen=True, kw_only=True)
class Plateau:
    """Times of one flow. `left` is 1 - ratio, from an integral over what is left and not from a difference."""

    threshold: float  # T(1/2 - gamma)
    zero_error: float  # first time at which no input is answered wrongly
    blow_up: float  # T(0)
    left: float

    @property
    def ratio(self) -> float:
        """T(1/2 - gamma) / T(0)."""
        return 1 - self.left

    @property
    def ratio_to_zero_error(self) -> float:
        """T(1/2 - gamma) over the first time of zero error."""
        return self.threshold / self.zero_error


def sign_plateau(block: int, k: int, gamma: float = 0.01) -> Plateau:
    """Every weight +-1, in blocks of so many coordinates: all |v_i| are equal, and the error is a step function that
    changes where they pass a value of the sum of the irrelevant signs."""
    _check(block, k, gamma)
    law = block_error.SignSum(block - 1)
    levels = [1.0, *(float(level) for level in range(2, block) if (block - 1 - level) % 2 == 0)]
    low, high = 0, len(levels) - 1  # just above the last level the error is zero
    while low < high:
        middle = (low + high) // 2
        above = block_error.error([levels[middle] + 0.5] * k, [law] * k)
        low, high = (low, middle) if above < 0.5 - gamma else (middle + 1, high)
    started = block_error.error([1.0] * k, [law] * k) >= 0.5 - gamma
    weight = levels[low] if started else 1.0
    return Plateau(
        threshold=float(flow.unit_time(weight, k)),
        zero_error=float(flow.unit_time(max(block - 1, 1), k)),
        blow_up=1 / (k - 2),
        left=weight ** -(k - 2.0),
    )


def sign_plateau_limit(k: int, gamma: float) -> float:
    """Limit of (1 - ratio) m^(k/2-1) for +-1 weights, where the irrelevant sum is normal: the error is 1/2 - gamma at
    |v| = sqrt(pi m / 2) (2 gamma)^(1/k), when |v|^-(k-2) of the time is left."""
    return (math.sqrt(math.pi / 2) * (2 * gamma) ** (1 / k)) ** (2 - k)


def plateau(start: Float64[Array, "k block"], gamma: float = 0.01) -> Plateau:
    """Any starting weights with prod_i v_i(0) > 0; the first of each block is relevant."""
    k, block = start.shape
    _check(block, k, gamma)
    relevant, irrelevant = start[:, 0], start[:, 1:]
    laws = [block_error.sum_law(row) for row in irrelevant]
    certain = float(np.max(np.abs(irrelevant).sum(axis=1) ** 2 - relevant**2))
    blow_up = float(flow.blow_up_time(relevant))
    if block_error.error(relevant, laws) < 0.5 - gamma:
        growth = 0.0
    else:
        growth = _last_growth(relevant, laws, certain, 0.5 - gamma)
    left = float(flow.time_left(relevant, growth)) / blow_up if growth else 1.0
    return Plateau(
        threshold=(1 - left) * blow_up,
        zero_error=blow_up - float(flow.time_left(relevant, certain)) if certain > 0 else 0.0,
        blow_up=blow_up,
        left=left,
    )


def gaussian_plateaus(block: int, k: int, draws: int, seed: int, gamma: float = 0.01) -> list[Plateau]:
    """Plateaus of independent standard normal starts, conditioned on a positive product of the relevant weights."""
    return [plateau(start, gamma) for start in gaussian_starts(block, k, draws, seed)]


def gaussian_starts(block: int, k: int, draws: int, seed: int) -> Float64[Array, "draws k block"]:
    """Standard normal weights; the sign of the last relevant one makes the product positive, which is what
    conditioning on it comes to. The relevant weights of a seed are the same for every size of the blocks."""
    rng = np.random.default_rng(seed)
    relevant = rng.standard_normal((draws, k, 1))
    relevant[:, -1] *= np.prod(np.sign(relevant), axis=1)
    return np.concatenate([relevant, rng.standard_normal((draws, k, block - 1))], axis=2)


def flow_curve(start: Float64[Array, "k block"], growths: Sequence[float]) -> tuple[list[float], list[float]]:
    """Times of the flow, as fractions of the blow-up, and the exact errors at which the squares of the relevant weights
    have grown by `growths`."""
    relevant = start[:, 0]
    laws = [block_error.sum_law(row) for row in start[:, 1:]]
    left = flow.time_left(np.broadcast_to(relevant, (len(growths), len(relevant))), np.asarray(growths, float))
    times = np.atleast_1d(1 - left / float(flow.blow_up_time(relevant)))
    return times.tolist(), [block_error.error(flow.weights_at(relevant, q), laws) for q in growths]


def _last_growth(relevant: Array, laws: Sequence[block_error.SumLaw], certain: float, level: float) -> float:
    """sup{q: err >= level}, by bisection of log q: the error falls with q and is zero beyond `certain`."""
    low, high = math.log(1e-9), math.log(certain * (1 + 1e-9))
    while high - low > 1e-7:
        middle = (low + high) / 2
        above = block_error.error(flow.weights_at(relevant, math.exp(middle)), laws) >= level
        low, high = (middle, high) if above else (low, middle)
    return math.exp(low)


def _check(block: int, k: int, gamma: float) -> None:
    if k < 3:
        raise ConfigError("k", k, ">= 3", "with two blocks the flow never ends")
    if block < 2:
        raise ConfigError("block", block, ">= 2", "without irrelevant weights the error is zero from the start")
    if not 0 < gamma < 0.5:
        raise ConfigError("gamma", gamma, "strictly between 0 and 0.5")
