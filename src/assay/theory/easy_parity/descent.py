"""Online gradient descent (Daniely and Malach 2020, theorem 13), and what the second stage may move (lemmas 14 to 16).

Theorem 13: theta_{t+1} = theta_t - eta grad f_t(theta_t) for convex f_t, t = 1, ..., T, has for every theta*

    mean f_t(theta_t) <= mean f_t(theta*) + ||theta*||^2/(2 eta T) + ||theta_1|| mean ||grad_t|| + eta mean
    ||grad_t||^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from jaxtyping import Float64

from assay.theory.easy_parity.population import Net, Population


def regret_slack(
    rows: Float64[np.ndarray, "steps size"], shifts: Float64[np.ndarray, " steps"],
    start: Float64[np.ndarray, " size"], other: Float64[np.ndarray, " size"], rate: float,
) -> float:  # fmt: skip
    """Right side minus left side of theorem 13 for f_t(theta) = max(0, shift_t - row_t.theta)."""
    theta, losses, lengths = start.copy(), [], []
    for row, shift in zip(rows, shifts, strict=True):
        inside = shift - row @ theta
        losses.append(max(0.0, inside))
        gradient = -row if inside > 0 else np.zeros_like(row)
        lengths.append(float(np.linalg.norm(gradient)))
        theta = theta - rate * gradient
    steps, size = len(rows), np.array(lengths)
    best = np.maximum(0, shifts - rows @ other).mean()
    allowed = other @ other / (2 * rate * steps) + np.linalg.norm(start) * size.mean() + rate * (size**2).mean()
    return float(best + allowed - np.mean(losses))


def movements(on: Population, net: Net, rate: float, decay: float, steps: int) -> Iterator[dict[str, float]]:
    """For t = 2, ..., steps + 1: the largest |u|, ||w - w^(1)|| and |b - b^(1)| over neurons beside what lemma 15
    allows.

    |u| <= 6 eta t + k/sqrt n; |b - b^(1)| <= 6 eta^2 t^2 + eta t k/sqrt n; the weights that and eta t lambda n/k, here
    with the 2 of the gradient of lambda ||w||^2."""
    first = net.leap(on)
    now, k, root = first, on.k, math.sqrt(on.n)
    for t in range(2, steps + 2):
        now = now.step(on, rate, decay)
        common = 6 * rate**2 * t**2 + rate * t * k / root
        yield {
            "step": t,
            "u": float(np.abs(now.u).max()),
            "u_allowed": 6 * rate * t + k / root,
            "w": float(np.linalg.norm(now.w - first.w, axis=1).max()),
            "w_allowed": common + 2 * rate * t * decay * on.n / k,
            "b": float(np.abs(now.b - first.b).max()),
            "b_allowed": common,
        }


def drift_slack(on: Population, first: Net, now: Net, u: Float64[np.ndarray, " neurons"], t: int, rate: float) -> float:
    """Lemma 16 without regulariser: 2 ||u*||_2 sqrt(||u*||_0) (6 eta^2 t^2 + eta t k/sqrt n) minus the largest change
    of the hinge loss of an input, output weights u* kept."""
    losses = [np.maximum(0, 1 - on.y * (net.hidden(on.x) @ u)) for net in (first, now)]
    allowed = 6 * rate**2 * t**2 + rate * t * on.k / math.sqrt(on.n)
    return float(2 * np.linalg.norm(u) * math.sqrt(np.count_nonzero(u)) * allowed - np.abs(losses[0] - losses[1]).max())
