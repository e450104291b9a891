"""How many ReLUs say a parity: k with an output bias, and for k = 2 not without it.

With m of the k hidden bits at +1 (chi_S = (-1)^k (-1)^m),

    (-1)^m = 1 - 2m + 4 sum_{j=1}^{k-1} (-1)^(j+1) (m-j)_+,

which takes k ReLUs of x and a constant. The paper's formula f = u.relu(W x + b) has no constant (Barak et al. 2022,
section 3 and appendix D.1.1); its nets of width k need one. For k = 2 that is a finite question: each ReLU is active on
one of 14 sets of the four points, its sign counts only, and whether two linear forms fit is a linear program.
"""

from __future__ import annotations

import itertools

import numpy as np
from jaxtyping import Bool, Float64

from assay.errors import ConfigError
from assay.maths.cube import cube


def relu_parity(
    k: int,
) -> tuple[Float64[np.ndarray, "k k"], Float64[np.ndarray, " k"], Float64[np.ndarray, " k"], float]:
    """W, b, u and c with u.relu(W x + b) + c = chi(x) on all k bits."""
    if k < 1:
        raise ConfigError("k", k, ">= 1")
    sign = (-1.0) ** k
    kinks = np.arange(k)
    output = np.where(kinks == 0, -2.0, 4.0 * (-1.0) ** (kinks + 1)) * sign
    return np.full((k, k), 0.5), k / 2 - kinks, output, sign  # m = (k + sum x)/2


def two_relu_margin(constant: bool) -> float:
    """max over all f = u.relu(W x + b) (+ c) of two ReLUs of min over the four points of min(1, y f), y = x_1 x_2: 1
    where a net is right on all four, 0 where none is.

    Output weights of one sign need not be tried: without a constant f would be of that sign everywhere, and with one
    weights of opposite signs are enough.
    """
    margins = (_margin(plus, minus, constant) for plus, minus in itertools.product(half_planes(), repeat=2))
    best = 0.0
    while best < 1 - 1e-9 and (margin := next(margins, None)) is not None:
        best = max(best, margin)
    return best


def half_planes() -> list[Bool[np.ndarray, " 4"]]:
    """The sets of the four points on which w.x + b > 0 for some w and b: all but the parity and its complement."""
    sets = [np.array([mask >> i & 1 for i in range(4)], dtype=bool) for mask in range(16)]
    odd = np.prod(cube(2), axis=1) < 0
    return [each for each in sets if (each == odd).any() and (each != odd).any()]


def _margin(plus: Bool[np.ndarray, " 4"], minus: Bool[np.ndarray, " 4"], constant: bool) -> float:
    """max t <= 1 with y f >= t for f = g [in `plus`] - h [in `minus`] + c, where the linear forms g and h are >= 0 on
    their sets and <= 0 off them."""
    from scipy.optimize import linprog

    points = np.column_stack([cube(2), np.ones(4)]).astype(np.float64)
    label = np.prod(cube(2), axis=1, dtype=np.float64)[:, None]
    none, active, opposed = np.zeros((4, 3)), plus[:, None] * points, minus[:, None] * points
    rows = [  # of the coefficients of g and h, c and t; each at most 0
        np.hstack([np.where(plus, -1, 1)[:, None] * points, none, np.zeros((4, 2))]),
        np.hstack([none, np.where(minus, -1, 1)[:, None] * points, np.zeros((4, 2))]),
        np.hstack([-label * active, label * opposed, -label * constant, np.ones((4, 1))]),
    ]
    found = linprog([0] * 7 + [-1], np.vstack(rows), np.zeros(12), bounds=[(None, None)] * 7 + [(None, 1)])
    return -float(found.fun)
