"""Adam (Kingma and Ba 2015) and AdamW (Loshchilov and Hutter 2019), through optax."""

from __future__ import annotations

import optax

from assay.config import Check, above, value
from assay.optim.base import Optimiser

BETA = Check(">= 0 and < 1", lambda beta: 0 <= beta < 1)  # at 1 the average that starts at 0 is never corrected


class Adam(Optimiser, kind="adam"):
    """Adam; weight decay, if any, is added to the gradient (L2 regularisation)."""

    beta1: float = value(default=0.9, check=BETA)
    beta2: float = value(default=0.999, check=BETA)
    epsilon: float = value(default=1e-8, check=above(0))

    def transformation(self) -> optax.GradientTransformation:
        step = optax.adam(self.rate(), self.beta1, self.beta2, self.epsilon)
        return optax.chain(self.clipped(), self.decayed(), step, self.scaled())


class AdamW(Adam, kind="adamw"):
    """Adam with decoupled weight decay: w <- w - eta (direction + lambda w)."""

    def transformation(self) -> optax.GradientTransformation:
        direction = optax.scale_by_adam(self.beta1, self.beta2, self.epsilon)
        step = optax.scale_by_learning_rate(self.rate())
        return optax.chain(self.clipped(), direction, self.decayed(), step, self.scaled())
