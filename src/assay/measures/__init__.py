"""What is recorded, one family a file; importing this package registers them all."""

from assay.measures import attention, gap, gradient, hints, margin, markov, performance, weights
from assay.measures.base import MEASURES as MEASURES
from assay.measures.base import View as View
from assay.measures.base import check_fits as check_fits
from assay.measures.base import find as find
from assay.measures.base import measure as measure

__all__ = [
    "MEASURES",
    "View",
    "attention",
    "check_fits",
    "find",
    "gap",
    "gradient",
    "hints",
    "margin",
    "markov",
    "measure",
    "performance",
    "weights",
]
