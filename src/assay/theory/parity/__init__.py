"""Theory of sparse parities: why one gradient step already knows the hidden subset, what follows, and what cannot.

All from Barak, Edelman, Goel, Kakade, Malach, Zhang 2022, "Hidden progress in deep learning: SGD learns parities near
the computational limit" (arXiv 2207.08799). What its statements need is in a module each:

    gradient        the gradient of a neuron is a list of Fourier coefficients      section 4, Proposition 9, Lemma 3
    majority        the coefficients of majority, their size and gap                Lemmas 1 and 2
    table           the same beside their enumeration
    gaps            gaps of gradients, laws of random weights                       Definition 1, appendix C.1
    threshold       gaps of random thresholds                                       figure 11
    sinusoid        gaps of random sinusoids, for any n                             figure 12
    recovery        reading the subset off a batch gradient                         Proposition 9
    noise           what label noise costs                                          appendix C.6
    one_step        a step on a sign-initialised net, then SGD on its output        Theorem 4, Lemmas 3 to 5, Theorem 8
    readout         the second layer that the step makes possible                   Lemma 4, Claim 5
    requirements    what Theorem 4 asks for, printed and corrected                  Theorem 4, appendix B.1
    representation  parities by few ReLUs
    flow, plateau   gradient flow on disjoint-PolyNets                              Theorem 6, Corollary 10, Lemma 6
    block_error     the exact error of a disjoint-PolyNet, and its bounds           Lemma 7
    polynet_sgd     SGD on it                                                       Theorem 7
    depth           what the first layer of a deep quadratic net sees               appendix C.7
    queries         statistical queries                                             appendix A.1
    kernel          features that do not move                                       Theorem 5
    search, drift   random search; drift against diffusion                          sections 3 and 5

The names below are those that are needed elsewhere in the package; the others are imported from their modules.
"""

from assay.theory.parity.gradient import (
    fourier_gap,
    ltf_coefficient,
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
    "population_gradient",
    "population_gradient_by_enumeration",
    "scaled_size",
    "sign_neuron_gradient",
]
