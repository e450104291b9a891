"""What an optimiser is: a config that makes an optax transformation, with rates per layer.

`rates` scales the learning rate and the weight decay of one layer each, by the name the net gives it, or of one of its
arrays, and for ever or at some steps only. What has `learning_rate=0, weight_decay=0` is frozen. So a config can say:
train this layer first and that one afterwards, or take one large step and forget where it began.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, Literal

import jax.numpy as jnp
import optax
from jaxtyping import Array

from assay.config import Config, at_least, is_zero, shape, value
from assay.errors import ConfigError
from assay.optim.schedules import Constant, Schedule

EVERYWHERE = {"array": None, "start": 0, "stop": None}


class Rate(Config):
    """Factors on the rates of one layer, or of one of its arrays, at the steps start <= t < stop."""

    layer: str = shape(doc="name of the layer in the net's parameters")
    array: Literal["weight", "bias"] | None = shape(default=None, doc="weight or bias; both if none")
    learning_rate: float = shape(default=1.0, check=at_least(0))
    weight_decay: float = shape(default=1.0, check=at_least(0))
    start: int = shape(default=0, check=at_least(0), doc="first step")
    stop: int | None = shape(default=None, check=at_least(1), doc="the step after the last; for ever if none")

    def validate(self) -> None:
        if self.stop is not None and self.stop <= self.start:
            raise ConfigError("rate.stop", self.stop, f"> start = {self.start}")

    def to_json(self) -> dict[str, Any]:
        """What says nothing of array or steps is left out: identities are older than these fields."""
        plain = super().to_json()
        return {name: item for name, item in plain.items() if name not in EVERYWHERE or item != EVERYWHERE[name]}

    @property
    def constant(self) -> bool:
        """Whether it is one for the whole layer at every step."""
        return (self.array, self.start, self.stop) == (None, 0, None)

    def meets(self, other: Rate) -> bool:
        """Whether there is an array and a step to which both apply."""
        arrays = self.array is None or other.array is None or self.array == other.array
        before = [rate.stop for rate in (self, other) if rate.stop is not None]
        return self.layer == other.layer and arrays and max(self.start, other.start) < min(before, default=1 << 31)

    def factor(self, name: str, step: Any) -> Any:
        """Its `learning_rate` or `weight_decay` at its own steps, 1 at all others."""
        if self.start == 0 and self.stop is None:
            return getattr(self, name)
        inside = step >= self.start if self.stop is None else (step >= self.start) & (step < self.stop)
        return jnp.where(inside, getattr(self, name), 1.0)


class Optimiser(Config, family="optimiser"):
    """Base of all optimisers."""

    learning_rate: float = value(check=at_least(0))
    weight_decay: float = value(default=0.0, check=at_least(0), gate=True)
    clip: float = value(default=0.0, check=at_least(0), gate=True, doc="largest norm of the gradient; 0: any")
    schedule: Schedule = shape(default=Constant())
    rates: tuple[Rate, ...] = shape(default=())

    def to_json(self) -> dict[str, Any]:
        """Where nothing is clipped that is left out: identities are older than this field."""
        plain = super().to_json()
        if is_zero(self.clip):
            del plain["clip"]
        return plain

    def validate(self) -> None:
        for i, rate in enumerate(self.rates):
            if any(rate.meets(other) for other in self.rates[:i]):
                layers = [each.layer for each in self.rates]
                raise ConfigError(f"{self.kind}.rates", layers, "at most one rate for each array at each step")

    @abc.abstractmethod
    def transformation(self) -> optax.GradientTransformation:
        """The update rule, built inside the program from traced values."""

    def rate(self) -> Any:
        """The learning rate, or its schedule."""
        if isinstance(self.schedule, Constant):
            return self.learning_rate
        factor = self.schedule.factor()
        return lambda step: self.learning_rate * factor(step)

    def clipped(self) -> optax.GradientTransformation:
        """Scales a gradient that is longer than `clip` down to that length, all parameters together."""
        return optax.identity() if is_zero(self.clip) else optax.clip_by_global_norm(self.clip)

    def scaled(self) -> optax.GradientTransformation:
        """Multiplies the updates of each array by its factor on the learning rate."""
        if all(rate.learning_rate == 1.0 for rate in self.rates):
            return optax.identity()
        return self._by_array("learning_rate", lambda factor, update, weight: update * factor)

    def decayed(self, sign: float = 1.0) -> optax.GradientTransformation:
        """Adds sign * lambda * w to the updates, lambda scaled by the factor of each array."""
        if is_zero(self.weight_decay):
            return optax.identity()
        return self._by_array("weight_decay", lambda factor, u, w: u + sign * factor * self.weight_decay * w)

    def _by_array(self, name: str, change: Callable[[Any, Array, Array], Array]) -> optax.GradientTransformation:
        """change(factor, update, weight) for each array; only factors that come and go need to count the steps."""

        def changed(updates: Any, params: Any, step: Any) -> Any:
            return {
                layer: {
                    array: change(self._factor(name, layer, array, step), update, params[layer][array])
                    for array, update in arrays.items()
                }
                for layer, arrays in updates.items()
            }

        if all(rate.start == 0 and rate.stop is None for rate in self.rates):
            return optax.stateless(lambda updates, params: changed(updates, params, 0))

        def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
            return changed(updates, params, state), state + 1

        return optax.GradientTransformation(lambda params: jnp.zeros((), jnp.int32), update)

    def _factor(self, name: str, layer: str, array: str, step: Any) -> Any:
        """The factor of one array at a step; the rates that apply to it are never two at a time."""
        result = 1.0
        for rate in self.rates:
            if rate.layer == layer and rate.array in (None, array):
                result = result * rate.factor(name, step)
        return result
