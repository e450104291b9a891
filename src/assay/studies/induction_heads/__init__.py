"""Statistical induction heads: Transformers learn Markov chains in context, in stages.

Edelman, Edelman, Goel, Malach, Tsilivis 2024 (arXiv 2402.11004); chapter 8 and appendix E of Edelman's dissertation.
"""

from assay.studies import Study
from assay.studies.induction_heads import (
    construction,
    delay,
    diagram,
    encodings,
    first_step,
    freeze,
    heads,
    lag_sums,
    minimal,
    minimal_parts,
    one_layer,
    parts,
    phases,
    second_step,
    seeds,
    shift,
    simplicity,
    states,
    strategies,
    transplant,
    trigrams,
)

study = Study(
    name="induction-heads",
    title="Statistical induction heads",
    paper="Edelman, Edelman, Goel, Malach, Tsilivis 2024, The evolution of statistical induction heads: in-context "
    "learning Markov chains (arXiv 2402.11004), as chapter 8 and appendix E of Edelman's dissertation",
    experiments=(
        strategies.experiment,
        construction.experiment,
        phases.experiment,
        heads.experiment,
        encodings.experiment,
        minimal.experiment,
        transplant.experiment,
        freeze.experiment,
        seeds.experiment,
        parts.experiment,
        minimal_parts.experiment,
        shift.experiment,
        trigrams.experiment,
        states.experiment,
        one_layer.experiment,
        first_step.experiment,
        second_step.experiment,
        lag_sums.experiment,
        delay.experiment,
        simplicity.experiment,
        diagram.experiment,
    ),
)
