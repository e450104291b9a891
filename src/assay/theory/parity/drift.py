"""Hidden progress as drift against diffusion: how the largest movement of a weight grows without and with a signal.

Under labels that are pure noise the weights are n random walks, and the largest of them is about s sqrt(2 t ln n) away
after t steps of standard deviation s; a drift beta moves a weight by beta t, and shows once it has overtaken them all
(the heuristic behind the measure max_i |w_t - w_0|_i: Barak et al. 2022, section 5 and appendix C.3).
"""

from __future__ import annotations

import math

import numpy as np

from assay.errors import ConfigError


def largest_walk(n: int, steps: float, step_size: float = 1.0) -> float:
    """E[max_i |W_i(t)|] of n independent walks with steps of mean 0 and that standard deviation, in the normal limit.

    E[max] = integral of 1 - (2 Phi(m) - 1)^n over m > 0, times s sqrt(t).
    """
    from scipy.special import erf

    _check(n, step_size)
    at = np.linspace(0, math.sqrt(2 * math.log(n)) + 10, 20_001)
    exceeded = 1 - erf(at / math.sqrt(2)) ** n
    return float(np.trapezoid(exceeded, at)) * step_size * math.sqrt(steps)


def overtaking_step(n: int, drift: float, step_size: float = 1.0) -> float:
    """The t at which drift t is the mean of the largest of n walks: (s / drift)^2 E[max of n |normal|]^2."""
    if not drift > 0:
        raise ConfigError("drift", drift, "> 0", "without drift a weight never overtakes the walks")
    return (largest_walk(n, 1.0, step_size) / drift) ** 2


def _check(n: int, step_size: float) -> None:
    if n < 1:
        raise ConfigError("n", n, ">= 1")
    if not step_size > 0:
        raise ConfigError("step_size", step_size, "> 0")
