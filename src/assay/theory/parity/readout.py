"""Reading a parity off k+1 threshold features: the construction behind Theorem 4, as printed and as it works.

After one gradient step, a neuron whose sign weights agree on S has weight 1/(2k) at the relevant inputs and nearly 0 at
the others (Barak et al. 2022, Lemma 4). With m of the k relevant inputs at +1 it computes

    relu(o (m/k - 1/2) + b),    o = +1 or -1,

and a second layer u has to make 2 chi_S = 2 (-1)^m of these (k even). Claim 5 takes k such neurons. Its weights belong
to k+1 of them, with kinks one step apart (`corrected_readout`); as printed they do not give a parity
(`printed_readout`). All in exact rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from assay.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Readout:
    """A second layer on features relu(o_i (m/k - 1/2) + b_i)."""

    k: int
    orientations: Sequence[int]
    biases: Sequence[Fraction]
    weights: Sequence[Fraction]

    def __call__(self, positive: int) -> Fraction:
        """Its value where that many of the k relevant inputs are +1."""
        form = Fraction(positive, self.k) - Fraction(1, 2)
        neurons = zip(self.orientations, self.biases, self.weights, strict=True)
        return sum((u * max(o * form + b, Fraction(0)) for o, b, u in neurons), Fraction(0))

    @property
    def error(self) -> Fraction:
        """max over m of |f(m) - 2 (-1)^m|: 0 where it is twice the parity."""
        return max(abs(self(m) - 2 * (-1) ** m) for m in range(self.k + 1))

    @property
    def norm(self) -> float:
        """Euclidean norm of the weights."""
        return float(sum(u * u for u in self.weights)) ** 0.5

    @property
    def largest(self) -> Fraction:
        """Largest |u_i|."""
        return max(abs(u) for u in self.weights)


def printed_readout(k: int, shift: int = 1) -> Readout:
    """Claim 5 as printed: b_i = -1/2 + (i + shift)/k and u = 8k (-1)^{i+1} for i <= k-2, 6k, -2k, for i = 1..k.

    The proof of Lemma 5 draws b_i = -1/2 + i/k, which is `shift` 0; neither is a parity.
    """
    _check(k)
    biases = [Fraction(i + shift, k) - Fraction(1, 2) for i in range(1, k + 1)]
    weights = [Fraction(8 * k * (-1) ** (i + 1)) for i in range(1, k - 1)] + [Fraction(6 * k), Fraction(-2 * k)]
    return Readout(k=k, orientations=[1] * k, biases=biases, weights=weights)


def corrected_readout(k: int) -> Readout:
    """Kinks at m = -1, 0, ..., k-1 with weights 2k, -6k, 8k, -8k, ...: exactly 2 chi_S, |u_i| <= 8k, |u|_1 = 8 k^2.

    Their largest bias, 1/2 + 1/k, is one of those drawn (k >= 4). For k = 2 it is not, and neurons of both orientations
    do: 8 (relu(m/2 - 1/2) + relu(1/2 - m/2)) - 2 (relu(m/2) + relu(1 - m/2)).
    """
    _check(k)
    half = Fraction(1, 2)
    if k == 2:
        weights = [Fraction(u) for u in (8, 8, -2, -2)]
        return Readout(k=2, orientations=[1, -1, 1, -1], biases=[Fraction(0), Fraction(0), half, half], weights=weights)
    biases = [Fraction(i, k) - half for i in range(k + 1, 0, -1)]
    weights = [Fraction(2 * k), Fraction(-6 * k)] + [Fraction(8 * k * (-1) ** j) for j in range(2, k + 1)]
    return Readout(k=k, orientations=[1] * (k + 1), biases=biases, weights=weights)


def bias_grid(k: int) -> list[Fraction]:
    """The 2k - 1 biases that the unbiased initialisation draws from: -1 + 1/k, -1 + 2/k, ..., 1 - 1/k."""
    _check(k)
    return [Fraction(i, k) - 1 for i in range(1, 2 * k)]


def _check(k: int) -> None:
    if k < 2 or k % 2:
        raise ConfigError("k", k, "even and >= 2", "Theorem 4 is about even parities")
