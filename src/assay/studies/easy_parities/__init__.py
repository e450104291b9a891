"""Learning parities with neural networks: a hint makes them easy for nets, and leaves them hard for linear methods.

Daniely, Malach 2020 (NeurIPS 2020).
"""

from assay.studies import Study
from assay.studies.easy_parities import (
    constants,
    dial,
    digits,
    first_step,
    linear_bound,
    linear_methods,
    sampled,
    second_stage,
    separators,
    two_stages,
)

study = Study(
    name="easy-parities",
    title="Easy parities, and the limits of linear methods",
    paper="Daniely, Malach 2020, Learning parities with neural networks (NeurIPS 2020)",
    experiments=(
        two_stages.experiment,
        sampled.experiment,
        linear_methods.experiment,
        digits.experiment,
        dial.experiment,
        linear_bound.experiment,
        first_step.experiment,
        separators.experiment,
        second_stage.experiment,
        constants.experiment,
    ),
)
