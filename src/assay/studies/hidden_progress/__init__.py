"""Hidden progress in deep learning: SGD learns parities near the computational limit.

Barak, Edelman, Goel, Kakade, Malach, Zhang 2022 (arXiv 2207.08799).
"""

from assay.studies import Study
from assay.studies.hidden_progress import (
    activations,
    building_blocks,
    coarse_scaling,
    controls,
    convergence_table,
    depth,
    elbows,
    fine_scaling,
    glance,
    grokking,
    histograms,
    initialisation,
    majority,
    more_curves,
    no_plateau,
    noisy,
    progress,
    random_gaps,
    robust,
    sgd_gaps,
    sinusoid_gaps,
    solve_times,
    success,
    trajectories,
    transformer,
    width,
)

study = Study(
    name="hidden-progress",
    title="Hidden progress in deep learning",
    paper="Barak, Edelman, Goel, Kakade, Malach, Zhang 2022, "
    "Hidden progress in deep learning: SGD learns parities near the computational limit (arXiv 2207.08799)",
    experiments=(
        glance.experiment,
        progress.experiment,
        solve_times.experiment,
        majority.experiment,
        grokking.experiment,
        noisy.experiment,
        no_plateau.experiment,
        histograms.experiment,
        initialisation.experiment,
        random_gaps.experiment,
        sinusoid_gaps.experiment,
        more_curves.experiment,
        elbows.experiment,
        convergence_table.experiment,
        success.experiment,
        coarse_scaling.experiment,
        robust.experiment,
        fine_scaling.experiment,
        width.experiment,
        depth.experiment,
        sgd_gaps.experiment,
        trajectories.experiment,
        activations.experiment,
        building_blocks.experiment,
        transformer.experiment,
        controls.experiment,
    ),
)
