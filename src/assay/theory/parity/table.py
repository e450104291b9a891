"""The closed form of majority's coefficients beside their enumeration, one row a coefficient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from assay.errors import ConfigError
from assay.maths.cube import MAX_BITS
from assay.maths.fourier import coefficients_of_degree
from assay.theory.parity.majority import (
    PRINTED_SIZE_EXPONENT,
    majority_coefficient,
    majority_spectrum,
    scaled_size,
)


def majority_table(
    n_values: Iterable[int], max_enumeration: int = 21, max_degree: int | None = None
) -> list[dict[str, Any]]:
    """One row for each n and each degree from 1 to max_degree (all of them by default).

    n, degree           both parities of the degree: that even coefficients vanish is part of Lemma 1
    closed_form         xi_degree, the exact rational rounded once
    enumerated          the coefficient of the first `degree` coordinates by transform; None for n > max_enumeration
    abs_error           largest |closed form - enumerated| over all sets of that size; None likewise
    scaled_size         C(n, d) xi_d^2 d^(3/2), which stays between constants for n >= 2 d^2
    scaled_size_printed the same with d^(2/3) as printed, which does not
    in_range            whether n >= 2 d^2, as Lemma 1 assumes
    """
    if max_enumeration > MAX_BITS:
        raise ConfigError("max_enumeration", max_enumeration, f"at most {MAX_BITS}")
    rows: list[dict[str, Any]] = []
    for n in n_values:
        spectrum = majority_spectrum(n) if n <= max_enumeration else None
        for degree in range(1, min(n, max_degree or n) + 1):
            closed_form = float(majority_coefficient(n, degree))
            enumerated, error = _enumerated(spectrum, degree, closed_form)
            rows.append(
                {
                    "n": n,
                    "degree": degree,
                    "closed_form": closed_form,
                    "enumerated": enumerated,
                    "abs_error": error,
                    "scaled_size": scaled_size(n, degree),
                    "scaled_size_printed": scaled_size(n, degree, PRINTED_SIZE_EXPONENT),
                    "in_range": n >= 2 * degree**2,
                }
            )
    return rows


def _enumerated(spectrum: np.ndarray | None, degree: int, closed_form: float) -> tuple[float | None, float | None]:
    if spectrum is None:
        return None, None
    error = np.max(np.abs(coefficients_of_degree(spectrum, degree) - closed_form))
    return float(spectrum[(1 << degree) - 1]), float(error)
