"""What label noise costs: labels flipped with probability p scale every correlation by rho = 1 - 2p, so that the same
accuracy takes 1/rho^2 times the samples (Barak et al. 2022, appendix C.6)."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from jaxtyping import Real

from assay.errors import ConfigError
from assay.maths.fourier import character
from assay.maths.subsets import log_binomial, mask_of


def noise_factor(flip: float) -> float:
    """rho = 1 - 2p: labels flipped with probability p scale every correlation E[y f], gradient and gap by it.

    The paper writes p = 1/2 - eps and prints the factor eps in place of 2 eps (appendix C.6).
    """
    if not 0 <= flip <= 0.5:
        raise ConfigError("flip", flip, "between 0 and 0.5, the probability that a label is flipped")
    return 1 - 2 * flip


def noisy_correlation(values: Real[np.ndarray, " points"], subset: Collection[int], flip: float) -> float:
    """E[y f(x)] for y = chi_S(x) flipped with probability p, over all inputs and both outcomes of the flip."""
    noise_factor(flip)  # refuses a probability out of range
    n = len(values).bit_length() - 1
    label = character(n, mask_of(subset, n))
    return float(np.mean((1 - flip) * label * values + flip * -label * values))


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
