"""Learners of parities that are not nets: what SGD is compared with.

found = RandomSearch().learn(Examples(Parity(n=30, k=3, noise=0.1), seed=0))
found.subset, found.samples, found.queries, found.work, found.seconds

Barak, Edelman, Goel, Kakade, Malach, Zhang 2022, "Hidden progress in deep learning", sections 1 to 3, name them: search
over subsets needs few examples and C(n, k) tests; Gaussian elimination n examples and n^3 operations, but no noise; a
weak net is as good as a strong one.
"""

from assay.learners.base import Examples as Examples
from assay.learners.base import Found as Found
from assay.learners.base import Learner as Learner
from assay.learners.base import subset_test as subset_test
from assay.learners.elimination import Elimination as Elimination
from assay.learners.elimination import PooledElimination as PooledElimination
from assay.learners.exhaustive import ExhaustiveSearch as ExhaustiveSearch
from assay.learners.heavy import heavy_coefficients as heavy_coefficients
from assay.learners.juntas import ConsistentSubsets as ConsistentSubsets
from assay.learners.juntas import JuntaExamples as JuntaExamples
from assay.learners.random_search import RandomSearch as RandomSearch
from assay.learners.screen import CorrelationScreen as CorrelationScreen
from assay.learners.weak import WeakToStrong as WeakToStrong
