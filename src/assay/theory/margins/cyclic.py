"""Addition modulo an odd p (Morwani et al. 2023, Theorem 7.7): closed form and explicit networks.

gamma* = sqrt(2/27) / (sqrt(p) (p - 1)). A max-margin neuron is u = L cos(th_u + 2 pi z a / p), v and w likewise with
the same L and frequency z, and th_u + th_v = th_w; all (p - 1) / 2 frequencies are used. The proof needs p odd, not
prime.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from assay.errors import ConfigError
from assay.theory.margins.network import PairNetwork

HALF = math.pi / 2
PHASES = (
    (0, 0, 0), (0, 2, 2),
    (1, -1, 0), (1, 1, 2),
    (-1, 0, -1), (-1, 2, 1),
    (0, -1, -1), (0, 1, 1),
)  # fmt: skip
"""(th_u, th_v, th_w) in quarter turns of the eight neurons of a frequency: each pair makes 4 times one of the four
products that cos(a + b - c) is a sum of, and their squares cancel (appendix D.6.2)."""


def cyclic_margin(p: int) -> float:
    """gamma* of addition modulo p."""
    _check(p)
    return math.sqrt(2 / 27) / (math.sqrt(p) * (p - 1))


def cyclic_network(p: int) -> PairNetwork:
    """The network of Theorem 7.7: 4(p - 1) neurons, eight a frequency, of mass 1."""
    _check(p)
    return _of_phases(p, np.array(PHASES) * HALF)


def narrow_network(p: int) -> PairNetwork:
    """Six neurons a frequency do as well: phases (k pi/3, k pi/3 + s, 2 k pi/3 + s), k = 0, 1, 2, s = 0, pi."""
    _check(p)
    third = math.pi / 3
    return _of_phases(
        p, np.array([(k * third, k * third + s, 2 * k * third + s) for k in range(3) for s in (0, math.pi)])
    )


def _of_phases(p: int, phases: Float[np.ndarray, "K 3"]) -> PairNetwork:
    """Neurons with these phases at every frequency, all of one size."""
    turns = 2 * math.pi * np.outer(np.arange(1, (p + 1) // 2), np.arange(p)) / p
    waves = np.cos(phases.T[:, None, :, None] + turns[None, :, None, :]).reshape(3, -1, p)
    return PairNetwork(*waves).unit()


def _check(p: int) -> None:
    if p < 3 or p % 2 == 0:
        raise ConfigError("p", p, "odd and >= 3", "for any other group use its certificate")
