"""Theory queries about easy parities."""

from __future__ import annotations

from typing import Any

from assay.theory.commands import theory_command
from assay.theory.easy_parity import constants
from assay.theory.easy_parity.first_step import relevance
from assay.theory.easy_parity.linear import general_linear_bound, linear_bound, printed_linear_bound


@theory_command("linear-bound")
def linear_bound_query(*, n: int, k: int, features: int, norm: float) -> dict[str, Any]:
    """Hinge loss that linear methods with so many features in [-1, 1] keep on the worst easy parity.

    Args:
        n: Number of coordinates.
        k: Size of the hidden subset.
        features: Number of features, N.
        norm: Largest norm of the weights on the features, B.
    """
    general = general_linear_bound(n, k, features, norm)
    corrected = linear_bound(k, features, norm)
    applies = k <= n / 16
    return {
        "value": max(general, corrected) if applies else general,
        "n": n,
        "k": k,
        "features": features,
        "norm": norm,
        "general": general,
        "corrected": corrected,
        "printed": printed_linear_bound(k, features, norm),
        "theorem_applies": applies,
        "vacuous": (max(general, corrected) if applies else general) <= 0,
        "source": "Daniely and Malach 2020, theorem 2, for k <= n/16: 1/2 - sqrt(N) B / (2^k sqrt 2), printed with B "
        "in the root; general: 1/2 - B sqrt(N/2) C(n, k)^(-1/4)",
    }


@theory_command("two-stage-bound")
def two_stage_bound(*, n: int, k: int, q: int, steps: int) -> dict[str, Any]:
    """The theorem's bound on the loss of a net trained on an easy parity, without constants: above 1 it says nothing.

    Args:
        n: Number of coordinates.
        k: Size of the hidden subset.
        q: Half the number of neurons.
        steps: Steps of gradient descent, T.
    """
    terms = constants.loss_terms(n, k, q, steps)
    value = sum(terms.values())
    return {"value": value, "n": n, "k": k, "q": q, "steps": steps} | dict(terms) | {
        "vacuous": value >= 1,
        "source": "Daniely and Malach 2020, theorem 3, O(.) left out",
    }  # fmt: skip


@theory_command("first-step")
def first_step_query(*, n: int, k: int, neurons: int = 100, seed: int = 0) -> dict[str, Any]:
    """How much larger the first gradient step makes the weights of hidden bits than all others, in closed form.

    Args:
        n: Number of coordinates.
        k: Size of the hidden subset.
        neurons: Neurons with random initial weights to average over.
        seed: Seed of these weights.
    """
    on, off = relevance(n, k, neurons, seed)
    return {
        "value": on / off,
        "n": n,
        "k": k,
        "neurons": neurons,
        "seed": seed,
        "on": on,
        "off": off,
        "source": "Daniely and Malach 2020, lemma 9: mean |w^(1)| / |u^(0)| on the hidden bits over that off them",
    }
