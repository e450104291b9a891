"""Maximum margins and their certificates: what networks on algebraic tasks are drawn to (Morwani et al. 2023).

A network is a set of neurons; its normalised margin is min_x g(theta, x) / sum_i ||omega_i||^nu. A certificate is a
network that attains a margin gamma, and weights on the inputs and wrong answers under which no neuron does better than
gamma: together they prove that gamma is the maximum (lemmas 7.2 to 7.6).
"""

from assay.theory.margins.cyclic import cyclic_margin as cyclic_margin
from assay.theory.margins.cyclic import cyclic_network as cyclic_network
from assay.theory.margins.cyclic import narrow_network as narrow_network
from assay.theory.margins.groups import Certificate as Certificate
from assay.theory.margins.groups import certificate as certificate
from assay.theory.margins.groups import conditions as conditions
from assay.theory.margins.groups import margin_formula as margin_formula
from assay.theory.margins.network import PairNetwork as PairNetwork
from assay.theory.margins.network import lookup_network as lookup_network
from assay.theory.margins.neuron import best_neurons as best_neurons
from assay.theory.margins.neuron import expected_margin as expected_margin
from assay.theory.margins.parity import parity_margin as parity_margin
from assay.theory.margins.parity import parity_network as parity_network
from assay.theory.margins.regularised import Optimum as Optimum
from assay.theory.margins.regularised import parity_optimum as parity_optimum
from assay.theory.margins.regularised import regularised_optimum as regularised_optimum
from assay.theory.margins.symmetric import symmetric_conditions as symmetric_conditions
from assay.theory.margins.symmetric import symmetric_gain as symmetric_gain
