"""Learning-rate schedules: the factor by which the rate is multiplied at step t, through optax."""

from __future__ import annotations

import abc

import jax.numpy as jnp
import optax

from assay.config import Check, Config, above, at_least, between, shape

INCREASING = Check("increasing steps >= 1", lambda at: len(at) > 0 and at[0] >= 1 and sorted(set(at)) == list(at))


class Schedule(Config, family="schedule"):
    """Base of all schedules."""

    @abc.abstractmethod
    def factor(self) -> optax.Schedule:
        """step -> factor."""


class Constant(Schedule, kind="constant"):
    """1 throughout."""

    def factor(self) -> optax.Schedule:
        return optax.schedules.constant_schedule(1.0)


class Linear(Schedule, kind="linear"):
    """From 1 down (or up) to `final` over `steps`, after a linear warm-up."""

    steps: int = shape(check=at_least(1))
    final: float = shape(default=0.0, check=at_least(0))
    warmup: int = shape(default=0, check=at_least(0))

    def factor(self) -> optax.Schedule:
        fall = optax.schedules.linear_schedule(1.0, self.final, self.steps)
        return _after_warmup(fall, self.warmup)


class Cosine(Schedule, kind="cosine"):
    """From 1 to `final` along half a cosine over `steps`, after a linear warm-up."""

    steps: int = shape(check=at_least(1))
    final: float = shape(default=0.0, check=between(0, 1))
    warmup: int = shape(default=0, check=at_least(0))

    def factor(self) -> optax.Schedule:
        return _after_warmup(optax.schedules.cosine_decay_schedule(1.0, self.steps, self.final), self.warmup)


class Staircase(Schedule, kind="staircase"):
    """Multiplied by `ratio` every `every` steps: 2 doubles the rate, 0.5 halves it."""

    every: int = shape(check=at_least(1))
    ratio: float = shape(default=0.5, check=above(0))

    def factor(self) -> optax.Schedule:
        # in whole numbers: divided as floats, and compiled, some multiples of `every` fall short by one step
        return lambda step: jnp.float32(self.ratio) ** (jnp.asarray(step) // self.every).astype(jnp.float32)


class Jumps(Schedule, kind="jumps"):
    """Multiplied by `ratio` after each of the steps `at`: 2 doubles the rate."""

    at: tuple[int, ...] = shape(check=INCREASING, doc="steps after which the rate jumps")
    ratio: float = shape(default=2.0, check=above(0))

    def factor(self) -> optax.Schedule:
        return lambda step: (
            jnp.float32(self.ratio) ** jnp.sum(jnp.asarray(step) >= jnp.asarray(self.at)).astype("float32")
        )


def _after_warmup(schedule: optax.Schedule, warmup: int) -> optax.Schedule:
    if warmup == 0:
        return schedule
    rise = optax.schedules.linear_schedule(0.0, 1.0, warmup)
    return optax.schedules.join_schedules([rise, schedule], [warmup])
