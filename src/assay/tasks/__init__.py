"""What is learnt, one family a file."""

from assay.tasks.base import Batch as Batch
from assay.tasks.base import Task as Task
from assay.tasks.data import Data as Data
from assay.tasks.data import Offline as Offline
from assay.tasks.data import Online as Online
from assay.tasks.data import Population as Population
from assay.tasks.disjoint_parity import DisjointParity as DisjointParity
from assay.tasks.easy_parity import EasyParity as EasyParity
from assay.tasks.parity import Parity as Parity
