"""What is learnt, one family a file."""

from assay.tasks.base import Batch as Batch
from assay.tasks.base import Rows as Rows
from assay.tasks.base import Task as Task
from assay.tasks.composition import Composition as Composition
from assay.tasks.data import Data as Data
from assay.tasks.data import Holdout as Holdout
from assay.tasks.data import Offline as Offline
from assay.tasks.data import Online as Online
from assay.tasks.data import Population as Population
from assay.tasks.data import Split as Split
from assay.tasks.digit_strips import DigitStrips as DigitStrips
from assay.tasks.disjoint_parity import DisjointParity as DisjointParity
from assay.tasks.easy_parity import EasyParity as EasyParity
from assay.tasks.markov import MarkovChains as MarkovChains
from assay.tasks.parity import Parity as Parity
from assay.tasks.priors import Dirichlet as Dirichlet
from assay.tasks.priors import DoublyStochastic as DoublyStochastic
from assay.tasks.priors import Iid as Iid
from assay.tasks.priors import Mixture as Mixture
from assay.tasks.priors import NearCoin as NearCoin
from assay.tasks.priors import Prior as Prior
from assay.tasks.sparse_boolean import SparseBoolean as SparseBoolean
from assay.tasks.table import TableTask as TableTask
