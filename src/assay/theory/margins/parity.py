"""(n, k)-sparse parity with activation x^k (Morwani et al. 2023, Theorem 7.8).

f(x) = sum_i (u_i.x)^k w_i with w_i in R^2, norm L_{2,k+1}: gamma* = k! sqrt(2 (k + 1)^{-(k+1)}), whatever n is.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from jaxtyping import Float

from assay.errors import ConfigError
from assay.maths.cube import MAX_BITS

Array = np.ndarray


def parity_margin(k: int) -> float:
    """gamma*: the largest correlation with the label that one neuron of norm 1 can have."""
    if k < 1:
        raise ConfigError("k", k, ">= 1")
    return math.factorial(k) * math.sqrt(2 * (k + 1) ** -(k + 1))


def parity_network(n: int, k: int) -> tuple[Float[Array, "m n"], Float[Array, "m 2"]]:
    """The 2^{k-1} neurons of appendix D.7, of mass sum ||omega||^{k+1} = 1, for the parity of the first k bits.

    One for each pattern of signs s with s_1 = 1, the weights s on the hidden bits and prod(s) (1, -1) / sqrt(2) on the
    outputs: of prod_j (s.x)^k prod(s), summed over s, only the monomial x_1 ... x_k is left."""
    if not 1 <= k <= n <= MAX_BITS:
        raise ConfigError("(n, k)", (n, k), f"1 <= k <= n <= {MAX_BITS}")
    signs = np.array([(1, *rest) for rest in itertools.product((1, -1), repeat=k - 1)], float)
    size = len(signs) ** (-1 / (k + 1)) / math.sqrt(k + 1)
    u = np.zeros((len(signs), n))
    u[:, :k] = size * signs
    w = size * signs.prod(axis=1)[:, None] * np.array([1.0, -1.0]) / math.sqrt(2)
    return u, w
