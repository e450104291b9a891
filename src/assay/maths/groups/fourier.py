"""Fourier analysis on a finite group, with its real irreps.

Every function is u = sum_R <alpha_R, R> with alpha_R = (r_R / n) sum_g u(g) R(g), r_R = D / (1, 2 or 4 by type) for an
irrep of real dimension D; the functions that an irrep spans are orthogonal to those of all others (Morwani et al. 2023,
appendix D.3; Diaconis 1988, chapter 2). For Z_n this is the discrete Fourier transform with +j and -j as one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from assay.maths.groups.irreps import Irrep

SHARE = {"real": 1, "complex": 2, "quaternionic": 4}


def coefficients(values: Float[np.ndarray, "*batch n"], irrep: Irrep) -> Float[np.ndarray, "*batch D D"]:
    """alpha_R of each row."""
    scale = irrep.dimension / SHARE[irrep.type] / len(irrep.matrices)
    return scale * np.einsum("...g,gij->...ij", values, irrep.matrices)


def synthesis(alpha: Float[np.ndarray, "*batch D D"], irrep: Irrep) -> Float[np.ndarray, "*batch n"]:
    """g -> sum_ij alpha_ij R(g)_ij: what the irrep contributes to the function."""
    return np.einsum("...ij,gij->...g", alpha, irrep.matrices)


def power(values: Float[np.ndarray, "*batch n"], irreps: Sequence[Irrep]) -> Float[np.ndarray, "*batch K"]:
    """||projection of u on what R spans||^2 for each irrep: no basis of R enters. The powers add up to ||u||^2."""
    return np.stack([((values @ irrep.basis) ** 2).sum(axis=-1) for irrep in irreps], axis=-1)
