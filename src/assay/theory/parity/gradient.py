"""The population gradient of a neuron on a parity, and what it reveals of the hidden subset.

For a neuron sigma(w.x + b), label y = chi_S(x) and correlation loss -y f(x), with h(x) = sigma'(w.x + b),

    d/dw_i E[-y f] = -E[y x_i h(x)] = -hhat(S ^ {i}),        d/db E[-y f] = -hhat(S),

where S ^ {i} is S without i for relevant i (degree k-1) and S with i for irrelevant i (degree k+1): Barak et
al. 2022, section 4 and Proposition 9 (whose proof drops the minus sign). The hinge loss has the same gradient
where f = 0. Subsets are collections of coordinates; enumeration needs n <= 24, the closed forms do not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
from jaxtyping import Float64, Real

from assay.errors import ConfigError
from assay.maths.cube import linear_form
from assay.maths.fourier import character, fourier_coefficients
from assay.maths.subsets import mask_of
from assay.theory.parity.majority import majority_coefficient_float

Derivative = Callable[[np.ndarray], np.ndarray]
"""sigma' on an array of preactivations."""


def population_gradient(
    weights: Real[np.ndarray, " n"], bias: float, subset: Collection[int], derivative: Derivative
) -> tuple[Float64[np.ndarray, " n"], float]:
    """(-hhat(S ^ {i}))_i and -hhat(S): the gradient in w and in b from one Walsh-Hadamard transform."""
    target = mask_of(subset, len(weights))
    spectrum = fourier_coefficients(_response(weights, bias, derivative))
    return -spectrum[target ^ (1 << np.arange(len(weights)))], -float(spectrum[target])


def population_gradient_by_enumeration(
    weights: Real[np.ndarray, " n"], bias: float, subset: Collection[int], derivative: Derivative
) -> tuple[Float64[np.ndarray, " n"], float]:
    """(-E[y x_i h])_i and -E[y h] as averages over all 2^n inputs: the left side of the identity."""
    n = len(weights)
    correlated = character(n, mask_of(subset, n)) * _response(weights, bias, derivative)
    by_weight = np.array([-np.mean(correlated * character(n, 1 << i)) for i in range(n)])
    return by_weight, -float(np.mean(correlated))


def ltf_coefficient(signs: Real[np.ndarray, " n"], subset: Collection[int]) -> float:
    """Coefficient of 1[w.x + b > 0] at T for w in {-1,+1}^n, n odd, |b| < 1: xi_|T| chi_T(w) / 2, and 1/2 at T = {}.

    For such w and b the threshold is 1/2 + Maj(w * x)/2 whatever b is (Barak et al. 2022, appendix B.1).
    """
    n = _check_signs(signs)
    mask_of(subset, n)
    return _threshold_size(n, len(subset)) * float(np.prod(signs[list(subset)]))


def sign_neuron_gradient(
    signs: Real[np.ndarray, " n"], subset: Collection[int]
) -> tuple[Float64[np.ndarray, " n"], float]:
    """Gradient in w and b of E[-y relu(w.x + b)] for w in {-1,+1}^n, n odd, |b| < 1, in closed form for any n.

    Entry i is -xi_{k-1} chi_{S - i}(w) / 2 for i in S and -xi_{k+1} chi_{S + i}(w) / 2 for the others; in b it is
    -xi_k chi_S(w) / 2, which is 0 for even k (Lemma 3 at output weight 1, which multiplies all).
    """
    n, k = _check_signs(signs), len(subset)
    if k == 0:
        raise ConfigError("subset", tuple(subset), f"of 1 to {n} coordinates")
    mask_of(subset, n)
    size = np.full(n, _threshold_size(n, k + 1) if k < n else 0.0)
    size[list(subset)] = _threshold_size(n, k - 1)
    parity = float(np.prod(signs[list(subset)]))
    return -size * parity * signs, -_threshold_size(n, k) * parity  # chi_{S ^ i}(w) = chi_S(w) w_i


def fourier_gap(spectrum: Float64[np.ndarray, " subsets"], subset: Collection[int]) -> float:
    """Largest gamma with |fhat(S-)| >= |fhat(S+)| + gamma for all S- = S without one, S+ = S with one more member
    (Barak et al. 2022, Definition 1); negative where there is no gap."""
    n = len(spectrum).bit_length() - 1
    if not 0 < len(subset) < n:
        raise ConfigError("subset", tuple(subset), f"of 1 to {n - 1} coordinates")
    target = mask_of(subset, n)
    below = [abs(spectrum[target ^ (1 << i)]) for i in range(n) if i in subset]
    above = [abs(spectrum[target ^ (1 << i)]) for i in range(n) if i not in subset]
    return float(min(below) - max(above))


def _response(weights: np.ndarray, bias: float, derivative: Derivative) -> np.ndarray:
    return np.asarray(derivative(linear_form(weights, bias)), dtype=np.float64)


def _threshold_size(n: int, degree: int) -> float:
    """Coefficient of 1/2 + Maj/2 at a set of that size."""
    return 0.5 * majority_coefficient_float(n, degree) if degree else 0.5


def _check_signs(signs: np.ndarray) -> int:
    wrong = signs[np.abs(signs) != 1]
    if wrong.size:
        raise ConfigError("signs", wrong[0].item(), "-1 or +1 in every entry")
    return len(signs)
