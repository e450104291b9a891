"""Theorem 4: initial weights with s > k ones a row; one step finds the subset, an output layer reads it off.

f(x) = sum_i u_i relu(w_i.x + b_i) with w_i uniform among vectors of s ones, s odd, k even; biases on a grid in (-1/2,
0);
u_i signs; each neuron once more with -u_i, so that f = 0 and the hinge loss has the gradient of the correlation loss. A
neuron is good if its support holds S. Population gradient of its weights, E[y x_i 1(w.x + b > 0)] (Lemma 8, any |b| <
1):

    C = Maj_s(k-1) / 2  on S,    c = Maj_s(k+1) / 2  on the rest of its support,    0 elsewhere,    |c| / |C| =
    (k-1)/(s-k);

if one coordinate i of S is missing it is C e_i, if more are missing 0 (Lemma 9). The step has rate 1 / (2k|C|) and
decay
1:
good neurons get +-1/(2k) on S. Printed constants that do not hold stand beside those that do (`PRINTED`, `printed_*`).
Edelman et al. 2023, appendix B.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

from assay.errors import ConfigError
from assay.maths.cube import linear_form
from assay.maths.fourier import character, fourier_coefficients
from assay.maths.subsets import mask_of
from assay.theory.parity.majority import majority_coefficient_float

CAPACITY = 1e5
"""C of the support vector machine: hardly any penalty on the read-out, whose norm is large."""
OFFSET = 1 / 16
"""Of the printed biases; with larger ones, below 1, bad neurons stay dead too and the read-out is smaller."""


def coefficients(k: int, s: int) -> tuple[float, float]:
    """(C, c): the gradient of a good neuron on S and on the rest of its support."""
    _check(k, s)
    return majority_coefficient_float(s, k - 1) / 2, majority_coefficient_float(s, k + 1) / 2


def gradient_by_enumeration(n: int, support: Sequence[int], subset: Sequence[int], bias: float = 0.0) -> np.ndarray:
    """E[chi_S(x) x_i 1(sum_support x + b > 0)] for every i, over the whole cube."""
    weights = np.zeros(n)
    weights[list(support)] = 1.0
    active = (linear_form(weights, bias) > 0).astype(np.float64)
    label = character(n, mask_of(subset, n))
    spectrum = fourier_coefficients(active * label)
    return spectrum[1 << np.arange(n)]


def good_probability(n: int, k: int, s: int) -> float:
    """That s random coordinates contain S: C(n-k, s-k) / C(n, s)."""
    return math.prod((s - i) / (n - i) for i in range(k))


def printed_good_probability(n: int, k: int, s: int) -> float:
    """The lower bound (s / 2n)^k of Lemma 7."""
    return (s / (2 * n)) ** k


def weight_constant(v: int) -> float:
    """Limit of the weight W^v of majority, from above: 4 / (pi v 2^v) C(v-1, (v-1)/2) (O'Donnell 2014, 5.22)."""
    return 4 / (math.pi * v * 2**v) * math.comb(v - 1, (v - 1) // 2)


def printed_weight_constant(v: int) -> float:
    """rho(v) as printed: half of it. Lower bounds that use it are true; the upper bound 2 rho(v) is not."""
    return weight_constant(v) / 2


def fourier_weight(v: int, s: int) -> float:
    """W^v of majority on s bits."""
    return math.comb(s, v) * majority_coefficient_float(s, v) ** 2


def biases(k: int, first: int = 0, offset: float = OFFSET) -> list[float]:
    """(1/2k)(-k + 2i + offset), i = first .. k/2 - 1; printed with first = 1, which leaves out one that is needed."""
    return [(-k + 2 * i + offset) / (2 * k) for i in range(first, k // 2)]


def feature_matrix(k: int, own: Sequence[float]) -> Float64[np.ndarray, "sums features"]:
    """1 and relu(+-sum/(2k) + b) at each of the k+1 values of the sum over S: what perfect good neurons compute."""
    sums = np.arange(-k, k + 1, 2)[:, None]
    shifted = [np.maximum(sign * sums / (2 * k) + np.array(own), 0) for sign in (1, -1)]
    return np.concatenate([np.ones_like(sums, dtype=np.float64), *shifted], axis=1)


def parity_values(k: int) -> Float64[np.ndarray, " sums"]:
    """The parity as a function of the sum: (-1)^((k - sum) / 2)."""
    return (-1.0) ** np.arange(k, -1, -1)


def readout_norm(k: int, offset: float = OFFSET) -> float:
    """|nu| of the only read-out of perfect features that computes the parity: B_k up to the number of neurons."""
    return float(np.linalg.norm(np.linalg.solve(feature_matrix(k, biases(k, 0, offset)), parity_values(k))))


def least_hinge(features: np.ndarray, labels: np.ndarray, mass: np.ndarray, bound: float | None = None) -> float:
    """min over u of sum_i mass_i max(0, 1 - y_i phi_i.u), by linear programming; |u_j| <= bound where one is given."""
    from scipy.optimize import linprog

    points, size = features.shape
    cost = np.concatenate([np.zeros(size), mass])
    rows = np.concatenate([-labels[:, None] * features, -np.eye(points)], axis=1)
    ends: list[tuple[float | None, float | None]] = [(None if bound is None else -bound, bound)] * size
    found = linprog(cost, A_ub=rows, b_ub=-np.ones(points), bounds=ends + [(0.0, None)] * points)
    return float(found.fun)


def expected_hinge(k: int, first: int) -> float:
    """The least hinge loss of perfect features with biases from index `first`, under the binomial law of the sum."""
    mass = np.array([math.comb(k, i) for i in range(k + 1)]) / 2**k
    return least_hinge(feature_matrix(k, biases(k, first)), parity_values(k), mass)


def sample_gradient(n: int, k: int, s: int, samples: int, rng: np.random.Generator) -> Float64[np.ndarray, " n"]:
    """The gradient of a good neuron on m examples: S is the first k coordinates, its support the first s."""
    words = rng.integers(0, 256, size=(n, -(-samples // 8)), dtype=np.uint8)  # bit 1: x = -1
    minus = np.unpackbits(words[:s], axis=1, count=samples).sum(axis=0, dtype=np.int32)
    active = 2 * minus < s
    label = np.bitwise_xor.reduce(words[:k], axis=0)
    opposed = np.bitwise_count((words ^ label) & np.packbits(active)).sum(axis=1, dtype=np.int64)
    return (int(active.sum()) - 2 * opposed) / samples


def finds_subset(gradient: Float64[np.ndarray, " n"], k: int) -> bool:
    """Whether its k largest entries are the first k."""
    return set(np.argsort(-np.abs(gradient))[:k].tolist()) == set(range(k))


def precision_samples(n: int, width: int, tolerance: float, failure: float) -> int:
    """m >= 4 log(4 n r / delta) / tau^2: all gradients right up to tau with probability 1 - delta (Lemma 10)."""
    return math.ceil(4 * math.log(4 * n * width / failure) / tolerance**2)


def mechanism_error(
    k: int,
    s: int,
    copies: int,
    rng: np.random.Generator,
    offset: float = 1 / 2,
    truncate: bool = False,
    train: int = 4000,
) -> float:
    """Test error of a linear SVM on the good neurons after a step on the population: `copies` for each bias and sign,
    on n = 2s coordinates. All others are dead. Zeroing what is below |C|/2 leaves S alone; without that the rest of the
    supports is noise of deviation (k-1) / (2k sqrt(s-k)) on every feature."""
    from sklearn.svm import LinearSVC

    big, small = coefficients(k, s)
    n, rows = 2 * s, []
    for bias in biases(k, 0, offset):
        for sign in (1.0, -1.0):
            for _ in range(copies):
                weights = np.zeros(n + 1)
                weights[rng.choice(np.arange(k, n), s - k, replace=False)] = 0.0 if truncate else small
                weights[:k], weights[n] = big, 2 * k * abs(big) * bias * sign
                rows.append(sign * weights / (2 * k * abs(big)))
    layer = np.array(rows)

    def draw(count: int) -> tuple[np.ndarray, np.ndarray]:
        x = rng.choice(np.array([-1.0, 1.0]), size=(count, n))
        return np.maximum(x @ layer[:, :n].T + layer[:, n], 0.0), np.prod(x[:, :k], axis=1)

    seen, labels = draw(train)
    machine = LinearSVC(C=CAPACITY, random_state=0, max_iter=10_000, dual=False).fit(seen, labels)
    fresh, truth = draw(8000)
    return float((machine.predict(fresh) != truth).mean())


def _check(k: int, s: int) -> None:
    if k < 2 or k % 2:
        raise ConfigError("k", k, "even and >= 2", "Theorem 4 is about even k")
    if s % 2 == 0 or s <= k:
        raise ConfigError("s", s, f"odd and above k = {k}", "an even number of votes can tie")
