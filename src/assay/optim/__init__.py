"""How it is minimised: optimisers and schedules, through optax."""

from assay.optim.adadelta import AdaDelta as AdaDelta
from assay.optim.adam import Adam as Adam
from assay.optim.adam import AdamW as AdamW
from assay.optim.base import Optimiser as Optimiser
from assay.optim.base import Rate as Rate
from assay.optim.schedules import Constant as Constant
from assay.optim.schedules import Cosine as Cosine
from assay.optim.schedules import Jumps as Jumps
from assay.optim.schedules import Linear as Linear
from assay.optim.schedules import Schedule as Schedule
from assay.optim.schedules import Staircase as Staircase
from assay.optim.sgd import SGD as SGD
from assay.optim.two_stage import TwoStage as TwoStage
