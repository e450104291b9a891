"""Inductive biases and variable creation in self-attention mechanisms.

Edelman, Goel, Kakade, Zhang 2022 (arXiv 2110.10090), as in chapter 4 of Edelman 2024.
"""

from assay.studies import Study
from assay.studies.variable_creation import (
    attention,
    beyond,
    capacity,
    column,
    constructions,
    curves,
    extensions,
    information,
    lipschitz,
    parity,
    sample_complexity,
)  # fmt: skip

study = Study(
    name="variable-creation",
    title="Variable creation in self-attention",
    paper="Edelman, Goel, Kakade, Zhang 2022, Inductive biases and variable creation in self-attention mechanisms "
    "(arXiv 2110.10090); chapter 4 of Edelman 2024, Combinatorial tasks as model systems of deep learning",
    experiments=(
        sample_complexity.experiment,
        column.experiment,
        curves.experiment,
        attention.experiment,
        parity.experiment,
        extensions.experiment,
        information.experiment,
        capacity.experiment,
        lipschitz.experiment,
        constructions.experiment,
        beyond.experiment,
    ),
)
