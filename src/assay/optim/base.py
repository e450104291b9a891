"""What an optimiser is: a config that makes an optax transformation, with rates per layer.

`rates` scales the learning rate and the weight decay of one layer each, by the name the net gives it; a layer with
`learning_rate=0, weight_decay=0` is frozen.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from typing import Any

import jax
import optax
from jaxtyping import Array

from assay.config import Config, at_least, is_zero, shape, value
from assay.errors import ConfigError
from assay.optim.schedules import Constant, Schedule


class Rate(Config):
    """Factors on the rates of one layer."""

    layer: str = shape(doc="name of the layer in the net's parameters")
    learning_rate: float = shape(default=1.0, check=at_least(0))
    weight_decay: float = shape(default=1.0, check=at_least(0))


class Optimiser(Config, family="optimiser"):
    """Base of all optimisers."""

    learning_rate: float = value(check=at_least(0))
    weight_decay: float = value(default=0.0, check=at_least(0), gate=True)
    schedule: Schedule = shape(default=Constant())
    rates: tuple[Rate, ...] = shape(default=())

    def validate(self) -> None:
        layers = [rate.layer for rate in self.rates]
        if len(set(layers)) != len(layers):
            raise ConfigError(f"{self.kind}.rates", layers, "at most one rate for each layer")

    @abc.abstractmethod
    def transformation(self) -> optax.GradientTransformation:
        """The update rule, built inside the program from traced values."""

    def rate(self) -> Any:
        """The learning rate, or its schedule."""
        if isinstance(self.schedule, Constant):
            return self.learning_rate
        factor = self.schedule.factor()
        return lambda step: self.learning_rate * factor(step)

    def scaled(self) -> optax.GradientTransformation:
        """Multiplies each layer's updates by its factor on the learning rate."""
        factors = {rate.layer: rate.learning_rate for rate in self.rates}
        if all(factor == 1.0 for factor in factors.values()):
            return optax.identity()
        return _by_layer(lambda layer, update, weight: update * factors.get(layer, 1.0))

    def decayed(self, sign: float = 1.0) -> optax.GradientTransformation:
        """Adds sign * lambda * w to the updates, lambda scaled by each layer's factor."""
        factors = {rate.layer: rate.weight_decay for rate in self.rates}
        if is_zero(self.weight_decay):
            return optax.identity()
        return _by_layer(lambda layer, u, w: u + sign * factors.get(layer, 1.0) * self.weight_decay * w)


def _by_layer(change: Callable[[str, Array, Array], Array]) -> optax.GradientTransformation:
    def update(updates: Any, params: Any) -> Any:
        return {
            layer: jax.tree.map(functools.partial(change, layer), updates[layer], params[layer]) for layer in updates
        }

    return optax.stateless(update)
