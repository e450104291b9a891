"""Gradient flow of a disjoint-PolyNet on the population: a plateau, and an end in finite time.

Under the correlation loss only the relevant weights v_1, ..., v_k move (Barak et al. 2022, section 4.2 and B.3.1):

    dv_i/dt = prod_{j != i} v_j,    so    q(t) = v_i(t)^2 - v_i(0)^2    is the same for every i, and, where
    prod_i v_i(0) > 0,    dq/dt = 2 prod_l sqrt(q + v_l(0)^2),    t(q) = int_0^q 1/2 prod_l (x + v_l(0)^2)^(-1/2) dx.

The integral converges at infinity for k >= 3: the weights blow up at t(inf). Starting weights are arrays whose last
axis is the k blocks. Integrals are trapezoidal sums in a variable in which the integrand is analytic in a strip of
half-width pi and falls exponentially on both sides, so that a step of 1/2 leaves an error of e^-39.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Real

from assay.errors import ConfigError

Array = np.ndarray

STEP = 0.5
"""Of the trapezoidal sums."""

CUT = 40.0
"""Exponent at which a tail is left out: e^-40 of the integral."""


def time_to(
    start: Real[Array, "*draws k"], growth: Real[Array, "*draws"] | float
) -> Float64[Array, "*draws"] | np.float64:
    """t(q), when the squares of the relevant weights have grown by q; x = q / (1 + e^-u)."""
    squares = _squares(start)
    q = np.maximum(_over_draws(growth, squares), np.finfo(float).tiny)[..., None]
    smallest = np.minimum(squares.min(axis=-1, keepdims=True), q)
    low = float(np.log(smallest / q).min())
    u = np.arange(low - CUT, CUT + STEP, STEP)
    sigmoid = 1 / (1 + np.exp(-u))
    return STEP * np.sum(q * sigmoid * (1 - sigmoid) * _speed(squares, q * sigmoid), axis=-1)


def time_left(
    start: Real[Array, "*draws k"], growth: Real[Array, "*draws"] | float
) -> Float64[Array, "*draws"] | np.float64:
    """t(inf) - t(q), as an integral of its own so that it is exact where little is left; x = q + e^u."""
    squares = _squares(start)
    k = squares.shape[-1]
    if k < 3:
        raise ConfigError("k", k, ">= 3", "with one or two blocks the weights never blow up")
    q = _over_draws(growth, squares)[..., None]
    scale = np.log(squares + q)
    u = np.arange(float(scale.min()) - CUT, float(scale.max()) + CUT / (k / 2 - 1) + STEP, STEP)
    rise = np.exp(u)
    return STEP * np.sum(rise * _speed(squares, q + rise), axis=-1)


def blow_up_time(start: Real[Array, "*draws k"]) -> Float64[Array, "*draws"] | np.float64:
    """t(inf), at which every relevant weight is infinite."""
    return time_left(start, 0.0)


def weights_at(start: Real[Array, "*draws k"], growth: Real[Array, "*draws"] | float) -> Float64[Array, "*draws k"]:
    """The relevant weights when their squares have grown by q: they keep their signs."""
    return np.sign(start) * np.sqrt(_squares(start) + _over_draws(growth, _squares(start))[..., None])


def unit_weight(time: Real[Array, "*times"] | float, k: int) -> Float64[Array, "*times"] | np.float64:
    """|v_i(t)| where every |v_i(0)| = 1: (1 - (k-2) t)^(-1/(k-2)), which is e^t for k = 2."""
    t = np.asarray(time, dtype=np.float64)
    return np.exp(t) if k == 2 else (1 - (k - 2) * t) ** (-1 / (k - 2))


def unit_time(weight: Real[Array, "*weights"] | float, k: int) -> Float64[Array, "*weights"] | np.float64:
    """The inverse of `unit_weight`: (1 - |v|^-(k-2)) / (k-2)."""
    v = np.asarray(weight, dtype=np.float64)
    return np.log(v) if k == 2 else (1 - v ** -(k - 2.0)) / (k - 2)


def integrate(start: Real[Array, " k"], times: Real[Array, " T"]) -> Float64[Array, "T k"]:
    """The relevant weights at the times by an eighth-order Runge-Kutta method on dv_i/dt itself, which knows nothing of
    q: what the closed forms are checked against."""
    from scipy.integrate import solve_ivp

    span = (0.0, float(times[-1]))
    path = solve_ivp(
        lambda _, v: _others(v), span, np.asarray(start, float), "DOP853", t_eval=times, rtol=1e-12, atol=1e-12
    )
    return path.y.T


def descend(
    start: Real[Array, "draws k"], rate: float, steps: int, every: int = 1, bound: float = 1e3
) -> Float64[Array, "records draws k"]:
    """Gradient descent on the population: v_i + rate prod_{j != i} v_j at each step, recorded every so many steps.

    A draw of which a weight has passed the bound has blown up and stays where it is.
    """
    v = np.array(start, dtype=np.float64)
    path = [v.copy()]
    for step in range(1, steps + 1):
        inside = np.abs(v).max(axis=-1, keepdims=True) < bound
        v += rate * np.where(inside, _others(v), 0.0)
        if step % every == 0:
            path.append(v.copy())
    return np.stack(path)


# -- Lemma 6 ---------------------------------------------------------------------------------------------------------


def earliest_time(start: Real[Array, "*draws k"], weight: float) -> Float64[Array, "*draws k"]:
    """Lower bound of T_i(b) = sup{t: |v_i(t)| <= b}: (va^(1-k/2) - (va + b^2 - v_i(0)^2)^(1-k/2)) / (k-2), with va the
    mean of the v_i(0)^2; for b >= |v_i(0)|, else NaN."""
    squares, k = _squares(start), np.shape(start)[-1]
    mean = squares.mean(axis=-1, keepdims=True)
    growth = _growth(squares, weight)
    return (mean ** (1 - k / 2) - (mean + growth) ** (1 - k / 2)) / (k - 2)


def most_time_left(start: Real[Array, "*draws k"], weight: float) -> Float64[Array, "*draws k"]:
    """Upper bound of T_i(inf) - T_i(b): (vg + b^2 - v_i(0)^2)^(1-k/2) / (k-2), with vg the geometric mean of the
    v_i(0)^2; for b >= |v_i(0)|, else NaN."""
    squares, k = _squares(start), np.shape(start)[-1]
    return (_geometric_mean(squares) + _growth(squares, weight)) ** (1 - k / 2) / (k - 2)


def envelopes(
    start: Real[Array, "*draws k"], time: Real[Array, "*draws"] | float
) -> tuple[Float64[Array, "*draws"] | np.float64, Float64[Array, "*draws"] | np.float64]:
    """Bounds of q(t), from prod_l (x + v_l^2) between (x + vg)^k and (x + va)^k: for k >= 3

    (vg^-(k/2-1) - (k-2) t)^(-1/(k/2-1)) - vg <= q <= the same with va; vg (e^2t - 1) and va (e^2t - 1) for k = 2.
    The upper one is infinite from its own blow-up on.
    """
    squares, k = _squares(start), np.shape(start)[-1]
    t = _over_draws(time, squares)[..., None]
    power = k / 2 - 1

    def at(mean: Array) -> Array:
        if k == 2:
            return mean * np.expm1(2 * t)
        left = mean**-power - (k - 2) * t
        return np.where(left > 0, np.where(left > 0, left, 1.0) ** (-1 / power) - mean, np.inf)

    return at(_geometric_mean(squares))[..., 0], at(squares.mean(axis=-1, keepdims=True))[..., 0]


def latest_blow_up(start: Real[Array, "*draws k"]) -> Float64[Array, "*draws"] | np.float64:
    """Upper bound 1 / ((k-2) (prod_i v_i(0))^(1-2/k)) of the blow-up."""
    k = np.shape(start)[-1]
    return _geometric_mean(_squares(start))[..., 0] ** (1 - k / 2) / (k - 2)


# -- pieces ----------------------------------------------------------------------------------------------------------


def _squares(start: Array) -> Array:
    v = np.asarray(start, dtype=np.float64)
    product = np.prod(np.sign(v), axis=-1)
    if not np.all(product > 0):
        raise ConfigError("start", v.tolist(), "weights of positive product", "change the sign of one")
    return v**2


def _over_draws(number: Array | float, squares: Array) -> Array:
    return np.broadcast_to(np.asarray(number, dtype=np.float64), squares.shape[:-1])


def _speed(squares: Array, growth: Array) -> Array:
    """1/2 prod_l (x + v_l^2)^(-1/2) at each x of the last axis."""
    logs = np.log(growth[..., None, :] + squares[..., :, None]).sum(axis=-2)
    return 0.5 * np.exp(-0.5 * logs)


def _others(v: Array) -> Array:
    """prod_{j != i} v_j for each i, without dividing."""
    k = v.shape[-1]
    return np.stack([np.prod(np.delete(v, i, axis=-1), axis=-1) for i in range(k)], axis=-1)


def _growth(squares: Array, weight: float) -> Array:
    growth = weight**2 - squares
    return np.where(growth >= 0, growth, np.nan)


def _geometric_mean(squares: Array) -> Array:
    return np.exp(np.log(squares).mean(axis=-1, keepdims=True))
