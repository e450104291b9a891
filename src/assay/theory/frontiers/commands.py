"""Theory queries about sparse initial weights: over-sparse and under-sparse one-step learning."""

from __future__ import annotations

from typing import Any

from assay.theory.commands import theory_command
from assay.theory.frontiers import oversparse, undersparse


@theory_command("oversparse-step")
def oversparse_step(*, n: int, k: int, s: int) -> dict[str, Any]:
    """What one step from rows of s > k ones can see: gradients, good neurons, examples (Edelman et al. 2023, Thm 4).

    Args:
        n: Number of coordinates.
        k: Size of the hidden subset, even.
        s: Ones a row, odd, above k.
    """
    big, small = oversparse.coefficients(k, s)
    good = oversparse.good_probability(n, k, s)
    return {
        "value": big,
        "n": n,
        "k": k,
        "s": s,
        "gradient_inside": big,
        "gradient_outside": small,
        "ratio": abs(small / big),
        "ratio_by_identity": (k - 1) / (s - k),
        "ratio_bound": 4 * k / s,
        "good_probability": good,
        "good_probability_bound": oversparse.printed_good_probability(n, k, s),
        "width_for_one_good": 1 / good,
        "examples_scale": (abs(big) - abs(small)) ** -2,
        "readout_norm": oversparse.readout_norm(k),
        "source": "Edelman et al. 2023, Theorem 4 and Lemmas 7 to 9; examples are a few times examples_scale",
    }


@theory_command("undersparse-step")
def undersparse_step(*, n: int, k: int, s: int) -> dict[str, Any]:
    """What one step from rows of s < k ones can see: gradients, good neurons, examples (Edelman et al. 2023, Thm 5).

    Args:
        n: Number of coordinates; n - s must be odd.
        k: Size of the hidden subset, even.
        s: Ones a row, even, below k.
    """
    relevant, irrelevant = undersparse.gradients(n, k, s)
    good = undersparse.good_probability(n, k, s)
    return {
        "value": relevant,
        "n": n,
        "k": k,
        "s": s,
        "gradient_relevant": relevant,
        "gradient_irrelevant": irrelevant,
        "ratio": abs(relevant / irrelevant),
        "ratio_by_identity": undersparse.ratio(n, k, s),
        "ratio_printed": undersparse.printed_ratio(n, k, s),
        "threshold": undersparse.threshold(n, k, s),
        "good_probability": good,
        "width_for_one_good": 1 / good,
        "examples_scale": (abs(relevant) - abs(irrelevant)) ** -2,
        "source": "Edelman et al. 2023, Theorem 5 and Lemmas 18 to 20; the ratio is printed with n - s for n - k",
    }
