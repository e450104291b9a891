"""The multi-resource lower bound of statistical queries: r T m / delta must exceed about C(n,k) / 2.

Edelman et al. 2023, Proposition 3 (section 3.1). A net of r parameters with |d h / d theta_i| <= 1, trained for T steps
on
gradients that are right up to tau in every entry, does not depend on the hidden subset of some (n,k)-parity with
probability 1 - delta, if r T / (tau^2 delta) <= C(n,k) / 2; m examples give tau^2 of about 1/m.

The proof: E_S[(E chi_S d h)^2] <= 1 / C(n,k) (Parseval, Lemma 6), so by Markov some of r T entries exceeds tau / 2 with
probability at most 4 r T / (tau^2 C(n,k)). That is 2 delta at the printed constant: 1/2 should be 1/4 (`PROVED`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from jaxtyping import Float64

from assay.errors import ConfigError
from assay.maths.cube import cube
from assay.maths.fourier import character, coefficients_of_degree, fourier_coefficients
from assay.theory.commands import theory_command

PRINTED, PROVED = 1 / 2, 1 / 4


def parameters(n: int, width: int) -> int:
    """Of a net with one hidden layer and all biases."""
    return width * (n + 2) + 1


def slack(n: int, k: int, width: int, steps: float, samples: float, luck: float, constant: float = PRINTED) -> float:
    """log10 of r T m / delta over constant C(n,k): below 0 the bound forbids learning."""
    if not 0 < luck <= 1:
        raise ConfigError("luck", luck, "above 0 and at most 1", "it is the probability of success")
    product = parameters(n, width) * steps * samples / luck
    return math.log10(product) - math.log10(constant * math.comb(n, k))


def examples_needed(n: int, k: int, width: int, steps: float, luck: float = 1.0, constant: float = PRINTED) -> float:
    """The m at which a net of some width meets the bound in so many steps: the frontier of hardness."""
    return constant * math.comb(n, k) * luck / (parameters(n, width) * steps)


def mean_squared_correlations(values: Float64[np.ndarray, " points"]) -> list[float]:
    """E_S[(E chi_S g)^2] over subsets S of each size k = 0..n, of a function given on the whole cube (Lemma 6)."""
    spectrum, n = fourier_coefficients(values) ** 2, len(values).bit_length() - 1
    return [float(coefficients_of_degree(spectrum, k).mean()) for k in range(n + 1)]


def adversarial_descent(
    n: int, subset: int, tolerance: float, steps: int, rng: np.random.Generator, width: int = 8, rate: float = 0.1
) -> tuple[float, float]:
    """Gradient descent on the whole cube against an adversary who may shift each entry of the gradient by `tolerance`,
    and takes off as much of the label's part as that allows. Square loss, f = mean_i u_i tanh(w_i.x), u fixed signs.

    The largest distance from the weights that the label 0 would give, and the largest correlation of a gradient with
    the label: where that is at most the tolerance, the distance is 0. `subset` is the mask of the parity."""
    if n > 14:
        raise ConfigError("n", n, "<= 14", "the cube is enumerated")
    x, label = cube(n).astype(np.float64), character(n, subset).astype(np.float64)
    start = rng.uniform(-1, 1, size=(width, n)) / n**0.5
    signs = rng.choice([-1.0, 1.0], size=width) / width

    def step(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The target-free part of the gradient, and the label's."""
        hidden = np.tanh(x @ weights.T)
        slopes = (1 - hidden**2) * signs  # [points, width]
        free = (slopes * (hidden @ signs)[:, None]).T @ x / len(x)
        return free, -(slopes * label[:, None]).T @ x / len(x)

    learnt, blind, worst = start.copy(), start.copy(), 0.0
    distance = 0.0
    for _ in range(steps):
        free, told = step(learnt)
        worst = max(worst, float(np.abs(told).max()))
        learnt = learnt - rate * (free + told - np.clip(told, -tolerance, tolerance))
        blind = blind - rate * step(blind)[0]
        distance = max(distance, float(np.abs(learnt - blind).max()))
    return distance, worst


@theory_command("resource-bound")
def resource_bound(*, n: int, k: int, width: int, steps: int, samples: int, luck: float = 1.0) -> dict[str, Any]:
    """Whether statistical queries allow a net to learn a parity with these resources (Edelman et al. 2023, Prop. 3).

    Args:
        n: Number of coordinates.
        k: Size of the hidden subset.
        width: Hidden neurons.
        steps: Steps of gradient descent.
        samples: Examples, which give gradients their precision.
        luck: Probability of success that is asked for.
    """
    found = slack(n, k, width, steps, samples, luck)
    return {
        "value": found,
        "n": n,
        "k": k,
        "parameters": parameters(n, width),
        "product": parameters(n, width) * steps * samples / luck,
        "subsets": math.comb(n, k),
        "allowed": found >= 0,
        "slack_proved": slack(n, k, width, steps, samples, luck, PROVED),
        "samples_needed": examples_needed(n, k, width, steps, luck),
        "source": "Edelman et al. 2023, Proposition 3: log10 of r T m / delta over C(n,k) / 2; its proof gives 1/4",
    }
