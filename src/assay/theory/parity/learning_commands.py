"""Theory queries about learning parities by gradients: samples, steps, noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import ConfigError
from assay.theory.commands import theory_command
from assay.theory.parity import requirements
from assay.theory.parity.drift import largest_walk, overtaking_step
from assay.theory.parity.gradient import population_gradient_by_enumeration
from assay.theory.parity.noise import least_samples, noise_cost, noise_factor, printed_noise_factor
from assay.theory.parity.recovery import neuron_gap, recovery_probability, sufficient_samples
from assay.theory.parity.sinusoid import QUARTER, sinusoid_gradient

ENUMERATED = 16
"""Largest n at which a closed form is compared with the enumeration on the way."""


SIZES = ("n", "width", "batch", "steps", "samples")
"""What Theorem 4 asks for."""


@theory_command("recovery-samples")
def recovery_samples(*, n: int, k: int, failure: float = 0.1) -> dict[str, Any]:
    """Batch whose gradient of a sign neuron shows the hidden subset in its k largest entries (Proposition 9).

    Args:
        n: Number of coordinates, odd.
        k: Size of the hidden subset, even.
        failure: Probability with which another set may come out.
    """
    gap = neuron_gap(n, k)
    sufficient = sufficient_samples(n, gap, failure)  # checks the probability
    low, high = 0, sufficient
    while high - low > 1:
        middle = (low + high) // 2
        if recovery_probability(n, k, middle) >= 1 - failure:
            high = middle
        else:
            low = middle
    return {
        "value": float(high),
        "n": n,
        "k": k,
        "failure": failure,
        "neuron_gap": gap,
        "scaled": high * gap**2 / math.log(n),
        "sufficient": sufficient,
        "source": "Barak et al. 2022, Proposition 9; value: by the limit law of the batch gradient, "
        "scaled: times gamma^2 / ln n, sufficient: (8/gamma^2) ln(2n/failure), Hoeffding",
    }


@theory_command("sgd-requirements")
def sgd_requirements(*, k: int, eps: float = 0.1, n: int | None = None) -> dict[str, Any]:
    """Inputs, width, batch and steps that Theorem 4 asks for, corrected and as printed.

    Args:
        k: Size of the hidden subset, even.
        eps: Loss to be reached, below 0.5.
        n: Number of coordinates, odd; by default the smallest that the theorem allows.
    """
    need, printed = requirements.corrected_requirements(k, eps, n), requirements.printed_requirements(k, eps, n)
    return {
        "value": need.batch,
        "k": k,
        "eps": eps,
        **{part: getattr(need, part) for part in SIZES},
        **{f"printed_{part}": getattr(printed, part) for part in SIZES},
        "n_is_enough": requirements.feature_error(need.n, k, eps) <= 1 / (8 * k**2),
        "loss_bound": requirements.loss_bound(need),
        "printed_loss_bound": requirements.loss_bound(printed),
        "source": "Barak et al. 2022, Theorem 4 and appendix B.1; value: the batch of the first step",
    }


@theory_command("sinusoid-gradient")
def sinusoid_gradient_query(*, n: int, k: int, scale: float = 1.0, seed: int = 0) -> dict[str, Any]:
    """Population gradient of a sinusoid neuron at a random initialisation: its Fourier gap, by the closed form.

    Args:
        n: Number of coordinates.
        k: Size of the hidden subset, less than n.
        scale: Factor on the preactivation.
        seed: Seed of weights and bias, uniform on +-1/sqrt(n).
    """
    if not 1 <= k < n:
        raise ConfigError("k", k, f"between 1 and n - 1 = {n - 1}")
    *weights, bias = np.random.default_rng(seed).uniform(-(n**-0.5), n**-0.5, size=n + 1).tolist()
    by_weight, by_bias = sinusoid_gradient(np.array(weights), bias, range(k), scale)
    error = None
    if n <= ENUMERATED:
        slope = lambda z: -QUARTER * scale * np.sin(QUARTER * (scale * z - k))  # noqa: E731
        expected, expected_bias = population_gradient_by_enumeration(np.array(weights), bias, range(k), slope)
        error = float(max(np.abs(by_weight - expected).max(), abs(by_bias - expected_bias)))
    size = np.abs(by_weight)
    return {
        "value": float(size[:k].min() - size[k:].max()),
        "n": n,
        "k": k,
        "scale": scale,
        "seed": seed,
        "relaxed_gap": float(size[:k].max() - size[k:].max()),
        "smallest_relevant": float(size[:k].min()),
        "largest_irrelevant": float(size[k:].max()),
        "bias_gradient": by_bias,
        "error": error,
        "source": "E[chi_T e^{i(a.x+phi)}] = e^{i phi} i^|T| prod_T sin a prod cos a; "
        f"error: largest difference from enumeration (n <= {ENUMERATED})",
    }


@theory_command("label-noise")
def label_noise(*, flip: float, n: int = 50, k: int = 3) -> dict[str, Any]:
    """What labels flipped with a probability do to correlations, gaps and samples.

    Args:
        flip: Probability that a label is flipped, below 0.5.
        n: Number of coordinates, for the fewest examples.
        k: Size of the hidden subset, likewise.
    """
    return {
        "value": noise_factor(flip),
        "flip": flip,
        "printed": printed_noise_factor(flip),
        "samples_factor": noise_cost(flip),
        "n": n,
        "k": k,
        "least_samples": least_samples(n, k, flip),
        "source": "Barak et al. 2022, appendix C.6: E_noisy[y f] = (1 - 2p) E[y f], printed with eps = 1/2 - p; "
        "least_samples: log2 C(n, k) / (1 - H(p))",
    }


@theory_command("noise-walk")
def noise_walk(*, n: int, steps: int, step_size: float = 1.0, drift: float | None = None) -> dict[str, Any]:
    """Mean of the largest movement of n weights that walk at random, and when a drift overtakes it.

    Args:
        n: Number of weights.
        steps: Number of steps.
        step_size: Standard deviation of a step.
        drift: Mean of a step of a weight with a signal.
    """
    return {
        "value": largest_walk(n, steps, step_size),
        "n": n,
        "steps": steps,
        "step_size": step_size,
        "drift": drift,
        "overtaken_at": None if drift is None else overtaking_step(n, drift, step_size),
        "source": "Barak et al. 2022, section 5 and appendix C.3; E max of n half-normals times s sqrt(t)",
    }
