"""Stochastic gradient descent; with `batch="all"` it is gradient descent on the whole training set."""

from __future__ import annotations

import optax

from assay.config import between, is_zero, one_of, shape, value
from assay.optim.base import Optimiser


class SGD(Optimiser, kind="sgd"):
    """w <- w - eta (g + lambda w), PyTorch's coupled weight decay; with `decay="paper"` w <- (1 - lambda) w - eta g,
    as Barak et al. 2022 print it. Momentum is PyTorch's heavy ball."""

    momentum: float = value(default=0.0, check=between(0, 1), gate=True)
    decay: str = shape(default="coupled", check=one_of("coupled", "paper"))

    def transformation(self) -> optax.GradientTransformation:
        momentum = None if is_zero(self.momentum) else self.momentum
        step = optax.chain(optax.sgd(self.rate(), momentum), self.scaled())
        if self.decay == "coupled":
            return optax.chain(self.clipped(), self.decayed(), step)
        return optax.chain(self.clipped(), step, self.decayed(sign=-1.0))
