"""What label noise costs: labels flipped with probability p scale every correlation by rho = 1 - 2p, so that the same
accuracy takes 1/rho^2 times the samples (Barak et al. 2022, appendix C.6; `gradient.noise_factor`)."""

from __future__ import annotations

import math

from assay.errors import ConfigError
from assay.maths.subsets import log_binomial
from assay.theory.parity.gradient import noise_factor


def printed_noise_factor(flip: float) -> float:
    """eps = 1/2 - p, by which the paper scales correlations: half of what it is."""
    return noise_factor(flip) / 2


def noise_cost(flip: float) -> float:
    """1 / (1 - 2p)^2: how many times the samples an estimate takes to see a gap as well as without noise."""
    factor = noise_factor(flip)
    if factor == 0:
        raise ConfigError("flip", flip, "below 0.5", "labels that are pure noise say nothing")
    return 1 / factor**2


def least_samples(n: int, k: int, flip: float = 0.0) -> float:
    """log2 C(n, k) / (1 - H(p)): examples below which no learner, however slow, can tell all subsets apart.

    A label says at most the capacity of a binary symmetric channel, 1 - H(p) bits, which is about 2 (1/2 - p)^2 / ln 2
    near p = 1/2: the statistical limit of order k ln n / eps^2.
    """
    if not 1 <= k <= n:
        raise ConfigError("k", k, f"between 1 and n = {n}")
    noise_cost(flip)  # refuses a probability out of range
    entropy = -sum(p * math.log2(p) for p in (flip, 1 - flip) if p > 0)
    return log_binomial(n, k) / math.log(2) / (1 - entropy)
