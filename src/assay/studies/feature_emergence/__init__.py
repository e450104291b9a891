"""Feature emergence via margin maximisation: case studies in algebraic tasks.

Morwani, Edelman, Oncescu, Zhao, Kakade 2023 (arXiv 2311.07568).
"""

from assay.studies import Study
from assay.studies.feature_emergence import (
    all_groups,
    cyclic,
    duality,
    frequencies,
    group_margin,
    margin_curve,
    obstruction,
    parity_margin,
    partial_table,
    purity,
    representations,
    s3,
    s4,
    s5,
    sparse_parity,
    vanishing,
    waves,
)

study = Study(
    name="feature-emergence",
    title="Feature emergence via margin maximisation",
    paper="Morwani, Edelman, Oncescu, Zhao, Kakade 2023, "
    "Feature emergence via margin maximization: case studies in algebraic tasks (arXiv 2311.07568)",
    experiments=(
        cyclic.experiment,
        duality.experiment,
        parity_margin.experiment,
        representations.experiment,
        group_margin.experiment,
        all_groups.experiment,
        margin_curve.experiment,
        waves.experiment,
        purity.experiment,
        frequencies.experiment,
        sparse_parity.experiment,
        obstruction.experiment,
        s3.experiment,
        s4.experiment,
        s5.experiment,
        vanishing.experiment,
        partial_table.experiment,
    ),
)
