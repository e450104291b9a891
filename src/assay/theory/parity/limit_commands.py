"""Theory queries about what cannot learn parities: statistical queries and fixed features."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.maths.subsets import count_subsets, log_binomial, members
from assay.theory.commands import theory_command
from assay.theory.parity.kernel import (
    hardest_subset,
    kernel_bound,
    least_hinge_loss,
    squared_correlations,
    tangent_features,
)
from assay.theory.parity.queries import least_queries, most_visible

ENUMERATED = 14
"""Largest n at which features are enumerated: 2^14 points of a width-32 net take some seconds to fit."""


@theory_command("sq-frontier")
def sq_frontier(*, n: int, k: int, tolerance: float = 0.1) -> dict[str, Any]:
    """Number of k-subsets, C(n, k), and the statistical queries that any learner needs to tell them apart.

    Args:
        n: Number of coordinates.
        k: Size of the hidden subset.
        tolerance: Error that the answers may have, in (0, 1].
    """
    return {
        "value": float(count_subsets(n, k)),
        "n": n,
        "k": k,
        "subsets": count_subsets(n, k),
        "log10_subsets": log_binomial(n, k) / math.log(10),
        "tolerance": tolerance,
        "queries": least_queries(n, k, tolerance),
        "visible_per_query": most_visible(tolerance),
        "log10_inputs": n * math.log10(2),
        "source": "Barak et al. 2022, appendix A.1: T / tau^2 >= C(n, k) - 1; queries: tau^2 (C(n, k) - 1), "
        "log10_inputs: of 2^n, brute force",
    }


@theory_command("ntk-bound")
def ntk_bound(*, n: int, k: int, radius: float = 1.0, width: int = 8, seed: int = 0) -> dict[str, Any]:
    """Least hinge loss of features of norm 1 within a radius on the worst k-parity (Theorem 5, without its factor D).

    Up to n = 14 the features are those of the tangent kernel of a ReLU net, and the least loss is solved for.

    Args:
        n: Number of coordinates.
        k: Size of the hidden subset.
        radius: Largest norm of the weights on the features.
        width: Width of the ReLU net.
        seed: Seed of its weights, uniform on +-1/sqrt(fan in).
    """
    told: dict[str, Any] = {
        "value": kernel_bound(n, k, radius),
        "n": n,
        "k": k,
        "radius": radius,
        "width": width,
        "seed": seed,
        "dimension": width * (n + 2),
        "largest_correlation": math.exp(-log_binomial(n, k) / 2),
        "hardest_subset": None, "hardest_correlation": None, "hardest_bound": None,
        "total_correlation": None, "loss_low": None, "loss_high": None,
    }  # fmt: skip
    if n <= ENUMERATED:
        features = tangent_features(n, width, np.random.default_rng(seed))
        squared = squared_correlations(features)
        mask, correlation = hardest_subset(squared, k)
        loss = least_hinge_loss(features, members(mask), radius)
        told |= {
            "hardest_subset": ",".join(map(str, members(mask))),
            "hardest_correlation": correlation,
            "hardest_bound": max(0.0, 1 - radius * correlation),
            "total_correlation": float(squared.sum()),
            "loss_low": loss.lower,
            "loss_high": loss.upper,
        }
    source = "value: 1 - R C(n, k)^(-1/2), hardest_bound: 1 - R c_S, or 0; least loss: from loss_low to loss_high"
    return told | {"source": f"Barak et al. 2022, Theorem 5, for the hinge loss; {source}"}
