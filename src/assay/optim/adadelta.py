"""AdaDelta (Zeiler 2012), through optax; the numbers are PyTorch's."""

from __future__ import annotations

import optax

from assay.config import above, between, value
from assay.optim.base import Optimiser


class AdaDelta(Optimiser, kind="adadelta"):
    """Steps of the size of recent steps over that of recent gradients; weight decay is added to the gradient."""

    learning_rate: float = value(default=1.0, check=above(0))
    rho: float = value(default=0.9, check=between(0, 1))
    epsilon: float = value(default=1e-6, check=above(0))

    def transformation(self) -> optax.GradientTransformation:
        step = optax.adadelta(self.rate(), self.rho, self.epsilon)
        return optax.chain(self.decayed(), step, self.scaled())
