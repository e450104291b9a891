"""The gradient of the minimal model over all chains, while every hinge of the margin loss is active.

Then the loss is linear in f, and with n = t - d, S_n = sum_{u < n} (n - u) P^u (Edelman et al. 2024, appendix E; for
any number of states k)

    X_d[m, l] = 1/t E_P[ pi_l sum_i (P_mi - 1/k) (P^d)_li (S_n)_im ]
    -dL/dW[m, l] = sum_d v_d X_d[m, l],   -dL/dv_d = sum_{m, l} W[m, l] X_d[m, l]

for the matrix W and the lags v_0, ..., v_{t-1} (the text's v_1 is v_0). Means over chains of two states are integrals.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from jaxtyping import Float

from assay.maths.markov import stationary

NODES = 60

Chains = Float[np.ndarray, "N k k"]


@dataclasses.dataclass(frozen=True)
class Prior:
    """Chains with weights that sum to 1."""

    chains: Chains
    weights: Float[np.ndarray, " N"]

    def mean(self, values: Float[np.ndarray, "N ..."]) -> np.ndarray:
        return np.tensordot(self.weights, values, axes=1)


def full(nodes: int = NODES) -> Prior:
    """P = [[a, 1-a], [1-b, b]] with a, b ~ U(0, 1) by quadrature, denser towards the ends."""
    a, weights = _crowded(nodes)
    left, right = (grid.ravel() for grid in np.meshgrid(a, a, indexing="ij"))
    return Prior(_two_states(left, right), np.outer(weights, weights).ravel())


def balanced(eps: float = 0.5, nodes: int = NODES) -> Prior:
    """a = b ~ U[1/2 - eps, 1/2 + eps]."""
    a, weights = _crowded(nodes)
    stay = 0.5 + eps * (2 * a - 1)
    return Prior(_two_states(stay, stay), weights)


def sampled(chains: Chains) -> Prior:
    """Chains that were drawn."""
    return Prior(chains, np.full(len(chains), 1 / len(chains)))


def correlations(prior: Prior, length: int) -> Float[np.ndarray, "t k k"]:
    """X_d for every lag d."""
    chains = prior.chains
    k = chains.shape[-1]
    weighted = prior.weights[:, None] * stationary(chains) / length
    centred = chains - 1 / k
    powers = np.empty((length, *chains.shape))
    powers[0] = np.eye(k)
    for d in range(1, length):
        powers[d] = powers[d - 1] @ chains
    found = np.empty((length, k, k))
    sums, total = np.zeros_like(chains), np.zeros_like(chains)  # sum_{u < n} P^u, and S_n
    for n in range(1, length + 1):
        sums = sums + powers[n - 1]
        total = total + sums
        # sum_i centred[m, i] total[i, m] (P^d)[l, i]
        found[length - n] = np.einsum("nl,nmi,nim,nli->ml", weighted, centred, total, powers[length - n], optimize=True)
    return found


@dataclasses.dataclass(frozen=True)
class Weights:
    """W and v."""

    match: Float[np.ndarray, "k k"]
    lags: Float[np.ndarray, " t"]

    @classmethod
    def constant(cls, match: float, lags: float, length: int, k: int = 2) -> Weights:
        return cls(np.full((k, k), match), np.full(length, lags))

    def ascent(self, x: Float[np.ndarray, "t k k"]) -> Weights:
        """Minus the gradient of the loss."""
        return Weights(np.tensordot(self.lags, x, axes=1), np.tensordot(x, self.match, axes=2))

    def stepped(self, x: Float[np.ndarray, "t k k"], rate: float, decay: float = 0.0) -> Weights:
        """One step of gradient descent; what the decay leaves of the weights, and rate times the ascent."""
        up = self.ascent(x)
        return Weights((1 - decay) * self.match + rate * up.match, (1 - decay) * self.lags + rate * up.lags)


def _two_states(a: Float[np.ndarray, " N"], b: Float[np.ndarray, " N"]) -> Chains:
    return np.stack([a, 1 - a, 1 - b, b], axis=-1).reshape(-1, 2, 2)


def _crowded(nodes: int) -> tuple[Float[np.ndarray, " N"], Float[np.ndarray, " N"]]:
    """Gauss-Legendre nodes and weights for a mean over (0, 1), after a change of variables that is flat at the ends."""
    u, w = np.polynomial.legendre.leggauss(nodes)
    u, w = (u + 1) / 2, w / 2
    return u**3 * (10 - 15 * u + 6 * u**2), w * 30 * (u * (1 - u)) ** 2
