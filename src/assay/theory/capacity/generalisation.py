"""From covering numbers to generalisation: Rademacher complexity by Dudley's integral, and the samples that suffice.

Edelman, Goel, Kakade, Zhang 2022, lemmas 4.2 and A.5. With log N_inf(eps) <= C / eps^2 and |f| <= A, R <= c sqrt(C/m)
(1 + log(A sqrt(m/C))), and for a b-bounded loss that is L-Lipschitz in its first argument, with probability at least 1
- delta for all f at once,

    |risk - empirical risk| <= 4 c L sqrt(C/m) (1 + log(A sqrt(m/C))) + 2 b sqrt(log(1/delta) / (2m)).

The constant c of Dudley's inequality is not given there; 12 is a standard valid choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from assay.errors import ConfigError

DUDLEY = 12.0


def rademacher(capacity: float, samples: float, bound: float = 1.0, constant: float = DUDLEY) -> float:
    """Bound on the empirical Rademacher complexity. It needs sqrt(C/m) <= A; beyond, A itself is one."""
    ratio = math.sqrt(capacity / samples)
    return bound if ratio > bound else min(bound, constant * ratio * (1 + math.log(bound / ratio)))


def gap(
    capacity: float, samples: float, *, bound: float = 1.0, lipschitz: float = 1.0, loss: float = 1.0,
    delta: float = 0.05, constant: float = DUDLEY,
) -> float:  # fmt: skip
    """Bound on the generalisation gap, of all functions of the class at once."""
    tail = 2 * loss * math.sqrt(math.log(1 / delta) / (2 * samples))
    return 4 * lipschitz * rademacher(capacity, samples, bound, constant) + tail


def samples_needed(capacity: Callable[[float], float], target: float, most: float = 1e30) -> float:
    """The smallest m at which the gap is at most `target`, to one part in 10^9; `capacity` is C as a function of m."""
    if not target > 0:
        raise ConfigError("target", target, "> 0")
    low, high = 1.0, most
    if gap(capacity(high), high) > target:
        raise ConfigError("target", target, f"one that is reached below {most:g} examples")
    while high / low > 1 + 1e-9:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if gap(capacity(middle), middle) <= target else (middle, high)
    return high
