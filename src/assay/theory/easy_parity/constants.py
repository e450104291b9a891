"""What the constants of theorem 3 and corollary 4 come to: Daniely and Malach 2020.

The theorem's bound on the hinge loss has four terms, without their constants k^10/q, k^8/sqrt q, q k/sqrt n and
k^2 sqrt q / T. A hinge loss of 1 is that of g = 0: above it the bound says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

TERMS = ("k^10/q", "k^8/sqrt(q)", "qk/sqrt(n)", "k^2 sqrt(q)/T")


def loss_terms(n: float, k: int, q: float, steps: float) -> Mapping[str, float]:
    """The four terms by name."""
    values = (k**10 / q, k**8 / math.sqrt(q), q * k / math.sqrt(n), k**2 * math.sqrt(q) / steps)
    return dict(zip(TERMS, values, strict=True))


def proof_terms(n: float, k: int, q: float, steps: float, rate: float, b: float = 1, b2: float = 1) -> float:
    """The last line but one of the proof, for any rate eta: B^2 k^10/(2q) + B' k^4 (6 eta^2 T^2 + eta T)
    + B^2 k^10/(2 eta T q) + 6 sqrt2 q k/sqrt n + 36 eta q."""
    return (
        b**2 * k**10 / (2 * q) + b2 * k**4 * (6 * rate**2 * steps**2 + rate * steps)
        + b**2 * k**10 / (2 * rate * steps * q) + 6 * math.sqrt(2) * q * k / math.sqrt(n) + 36 * rate * q
    )  # fmt: skip


def final_terms(n: float, k: int, q: float, steps: float, b: float = 1, b2: float = 1) -> float:
    """Its last line, at eta = k^2/(T sqrt q): B^2 k^10/(2q) + 6B' k^8/q + B' k^6/sqrt q + B^2 k^8/(2 sqrt q)
    + 6 sqrt2 q k/sqrt n + 36 k^2 sqrt q/T."""
    root = math.sqrt(q)
    return (
        b**2 * k**10 / (2 * q) + 6 * b2 * k**8 / q + b2 * k**6 / root + b**2 * k**8 / (2 * root)
        + 6 * math.sqrt(2) * q * k / math.sqrt(n) + 36 * k**2 * root / steps
    )  # fmt: skip


def sizes(k: int, epsilon: float, delta: float = 0.1, corrected: bool = True) -> tuple[float, float, float]:
    """(n, q, T) of corollary 4, without constants, L = log(k/delta). As printed q = k^16 L / eps, T = k^10 L / eps^2
    and n = k^34 L / eps^4; then k^8/sqrt q is sqrt(eps / L). Corrected q = k^16 L / eps^2 and n = k^34 L^2 / eps^6."""
    log = math.log(k / delta)
    if corrected:
        return k**34 * log**2 / epsilon**6, k**16 * log / epsilon**2, k**10 * log / epsilon**2
    return k**34 * log / epsilon**4, k**16 * log / epsilon, k**10 * log / epsilon**2
