"""What is minimised."""

from assay.losses.base import Loss as Loss
from assay.losses.classes import CrossEntropy as CrossEntropy
from assay.losses.penalty import Penalty as Penalty
from assay.losses.sequences import SequenceCrossEntropy as SequenceCrossEntropy
from assay.losses.sequences import SequenceMargin as SequenceMargin
from assay.losses.signs import Correlation as Correlation
from assay.losses.signs import Hinge as Hinge
from assay.losses.signs import Logistic as Logistic
from assay.losses.signs import Square as Square
