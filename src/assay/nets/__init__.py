"""What learns, one family a file."""

from assay.nets.base import Net as Net
from assay.nets.base import Params as Params
from assay.nets.init import Gaussian as Gaussian
from assay.nets.init import Glorot as Glorot
from assay.nets.init import Init as Init
from assay.nets.init import Sign as Sign
from assay.nets.init import Sparse as Sparse
from assay.nets.init import Uniform as Uniform
from assay.nets.mlp import MLP as MLP
from assay.nets.neuron import Neuron as Neuron
from assay.nets.polynet import DisjointPolyNet as DisjointPolyNet
from assay.nets.polynet import PolyNet as PolyNet
from assay.nets.ternary import Ternary as Ternary
from assay.nets.transformer import ParityTransformer as ParityTransformer
from assay.nets.unit import Mirrored as Mirrored
from assay.nets.unit import Unit as Unit
