"""Theory of sparse parities: why one gradient step already knows the hidden subset.

The gradient of a neuron on a parity is made of Fourier coefficients of its activation's derivative (`gradient`);
for sign weights these are coefficients of majority, which fall with the degree (`majority`); guessing subsets
is what this has to beat (`search`). All from Barak, Edelman, Goel, Kakade, Malach, Zhang 2022, "Hidden progress
in deep learning: SGD learns parities near the computational limit" (arXiv 2207.08799).
"""

from assay.theory.parity.gradient import (
    fourier_gap,
    ltf_coefficient,
    noise_factor,
    noisy_correlation,
    population_gradient,
    population_gradient_by_enumeration,
    sign_neuron_gradient,
)
from assay.theory.parity.majority import (
    GAP_CONSTANT,
    PRINTED_SIZE_EXPONENT,
    SIZE_EXPONENT,
    SIZE_LIMIT,
    gap_by_identity,
    log_majority_coefficient,
    log_majority_gap,
    majority_coefficient,
    majority_coefficient_float,
    majority_gap,
    majority_gap_bound,
    majority_spectrum,
    majority_values,
    scaled_size,
)
from assay.theory.parity.search import RandomSearch
from assay.theory.parity.table import majority_table

__all__ = [
    "GAP_CONSTANT",
    "PRINTED_SIZE_EXPONENT",
    "SIZE_EXPONENT",
    "SIZE_LIMIT",
    "RandomSearch",
    "fourier_gap",
    "gap_by_identity",
    "log_majority_coefficient",
    "log_majority_gap",
    "ltf_coefficient",
    "majority_coefficient",
    "majority_coefficient_float",
    "majority_gap",
    "majority_gap_bound",
    "majority_spectrum",
    "majority_table",
    "majority_values",
    "noise_factor",
    "noisy_correlation",
    "population_gradient",
    "population_gradient_by_enumeration",
    "scaled_size",
    "sign_neuron_gradient",
]
