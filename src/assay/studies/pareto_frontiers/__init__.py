"""Pareto frontiers in deep feature learning: data, compute, width, and luck.

Edelman, Goel, Kakade, Malach, Zhang 2023 (arXiv 2309.03800).
"""

from assay.studies import Study
from assay.studies.pareto_frontiers import (
    adaptive,
    curves,
    descent,
    forests,
    frontier,
    lemmas,
    lottery,
    panel,
    published,
    resources,
    sides,
    slices,
    tabular,
    tradeoff,
    undersparse,
    warmup,
)

study = Study(
    name="pareto-frontiers",
    title="Pareto frontiers in deep feature learning",
    paper="Edelman, Goel, Kakade, Malach, Zhang 2023, "
    "Pareto frontiers in deep feature learning: data, compute, width, and luck (arXiv 2309.03800)",
    experiments=(
        frontier.experiment,
        panel.experiment,
        slices.experiment,
        curves.experiment,
        descent.experiment,
        sides.experiment,
        adaptive.experiment,
        lottery.experiment,
        resources.experiment,
        warmup.experiment,
        lemmas.experiment,
        tradeoff.experiment,
        undersparse.experiment,
        tabular.experiment,
        forests.experiment,
        published.experiment,
    ),
)
