"""The compiled program of a shape: a fixed number of lanes, each training one trial.

Which program trains a trial follows from the trial's own shape: the number of lanes is a function of the shape alone,
never of how many trials there happen to be. Lanes without a trial compute and are ignored. That is what makes a trial's
numbers independent of its company: XLA rounds differently in a program of 64 lanes and in one of 3, so there is only
one program. Heavy shapes get one lane, which on a CPU is also the fastest (a step's arrays stay in the cache); light
shapes get a few, so that the cost of launching a kernel is shared.

Within a program the clock `tau` is common to all lanes, the step `t` is each lane's own.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jaxtyping import Array, Bool, Int

from assay.config import bind, values
from assay.engine.xla.gradient import as_precise, loss_and_gradient
from assay.maths import streams
from assay.measures import View, find
from assay.nets import Params
from assay.trial import Solve, Trial

Lane = dict[str, Any]
"""State of a lane: params, opt (the optimiser's state), t, bad (step of the first loss that was not finite, or -1),
loss (of the last batch), checked (step of the last check, or -1), streak (checks passed in a row). The state of a tile
has the same leaves, with a lanes axis in front."""

Given = dict[str, Any]
"""What tells the trials of a pack apart: `values` (dotted path -> number) and `secret`."""

SEEDS = ("seed", "init.seed")

LIGHT = 1 << 13
"""Parameters times examples a step up to which a step on a CPU costs no more than launching its kernels."""
LIGHT_LANES, SINGLE_LANES = 4, 8
"""Lanes where steps are light, and where moreover a step sees a single example. Measured on one core: 4 lanes are 1.2
to 5 times as fast as one; more are slower, since their arrays no longer vectorise as well, and hold up more lanes when
one trial is late. With single examples 8 are 1.3 times as fast as 4."""
ACCELERATOR_WORK, ACCELERATOR_LANES = 1 << 28, 4096
"""On other platforms lanes are added up to so much work a step, or so many. Measured on an H200: with 16 times less
work a step, ReLU nets of width 100 train a fifth as fast; with 4 times more, a quarter faster."""
ACCELERATOR_PAIRS = 1 << 29
"""Pairs of positions of all examples a step: attention keeps about ten numbers of each, of 139 GiB on an H200."""

SCREEN = 64
"""Held-out examples that all lanes answer before any lane answers the whole sample: guessing nets fail here."""
BLOCK = 512
"""Held-out examples a time in the whole test."""

OPTIONS = {"xla_cpu_multi_thread_eigen": False}
"""One program runs on one core; several run side by side. Split over threads, a product would round differently."""


def num_lanes(trial: Trial, platform: str) -> int:
    """Lanes of the program for trials of this shape on this platform: a power of two."""
    work = max(1, trial.learner.size * trial.examples_a_step)
    if platform == "cpu":
        light = SINGLE_LANES if trial.examples_a_step == 1 else LIGHT_LANES
        return light if work <= LIGHT else 1
    pairs = trial.examples_a_step * (trial.task.positions or 0) ** 2
    fill = max(1, min(ACCELERATOR_LANES, ACCELERATOR_WORK // work, ACCELERATOR_PAIRS // max(1, pairs)))
    return 1 << (fill.bit_length() - 1)


class Program:
    """Compiled functions for one shape. All take and return whole tiles: every leaf has a lanes axis in front."""

    def __init__(self, trial: Trial) -> None:
        self.template = trial.replace(net=trial.learner)
        self.lanes = num_lanes(trial, jax.default_backend())
        self.batch = 0 if trial.batch == "all" else trial.batch
        self.solve = trial.solve
        compiled = functools.partial(jax.jit, compiler_options=OPTIONS if jax.default_backend() == "cpu" else None)
        self.start = compiled(_full_precision(self._start))
        self.advance = compiled(_full_precision(self._advance), donate_argnums=0)
        self.measure = compiled(_full_precision(self._measure))
        self.merge = compiled(self._merge, donate_argnums=0)

    def given(self, trials: list[Trial]) -> Given:
        """The arguments of a tile, one trial a lane."""
        numbers = [values(trial) for trial in trials]
        stacked = {
            path: np.array([n[path] for n in numbers], np.uint32 if path in SEEDS else np.float32)
            for path in numbers[0]
        }
        secrets = [trial.task.secret(trial.seed) for trial in trials]
        return {"values": stacked, "secret": jax.tree.map(lambda *parts: np.stack(parts), *secrets)}

    # -- one lane ----------------------------------------------------------------------------------------------------

    def _bound(self, given: Given) -> Trial:
        return bind(self.template, given["values"])

    def _fresh(self, given: Given) -> Lane:
        trial = self._bound(given)
        drawn = trial.net.init(streams.stream(trial.init_seed, "init"), trial.init)
        params = jax.tree.map(lambda leaf: leaf.astype(trial.precision), drawn)
        opt = trial.optimiser.transformation().init(params)
        count = functools.partial(jnp.asarray, dtype=jnp.int32)
        return {
            "params": params,
            "opt": opt,
            "t": count(0),
            "bad": count(-1),
            "loss": jnp.zeros((), trial.precision),
            "checked": count(-1),
            "streak": count(0),
        }

    def _step(self, lane: Lane, given: Given, keys: dict[str, Array]) -> Lane:
        trial = self._bound(given)
        # with a seed of its own, an initialisation brings its own dropout along
        dropout = streams.fold_in(streams.stream(trial.init_seed, "dropout"), lane["t"])

        def output(params: Params, x: Any) -> Array:
            return trial.net.forward(params, x, dropout)

        loss, gradient = loss_and_gradient(trial, output, lane["params"], given["secret"], keys, lane["t"], self.batch)
        with jax.numpy_dtype_promotion("standard"):  # inside optax, step counts meet rates
            updates, opt = trial.optimiser.transformation().update(gradient, lane["opt"], lane["params"])
        first_bad = (lane["bad"] < 0) & ~jnp.isfinite(loss)
        return lane | {
            "params": optax.apply_updates(lane["params"], updates),
            "opt": opt,
            "t": lane["t"] + 1,
            "bad": jnp.where(first_bad, lane["t"], lane["bad"]),
            "loss": loss,
        }

    def _wrong(self, lane: Lane, given: Given, keys: dict[str, Array], first: Any, size: int) -> Int[Array, ""]:
        """Wrong answers among held-out examples first, ..., first + size - 1, without those beyond the sample."""
        trial = self._bound(given)
        solve = _required(self.solve)
        key = streams.fold_in(keys["eval"], lane["t"]) if solve.fresh else keys["eval"]
        index = first + jnp.arange(size, dtype=jnp.uint32)
        x, y = trial.data.held_out(trial.task, given["secret"], key, keys, index)
        x = as_precise(x, lane["params"])
        right = trial.task.correct(trial.net.apply(lane["params"], x), y)
        return jnp.sum(~right & (index < solve.sample), dtype=jnp.int32)

    def _whole_test(self, lane: Lane, given: Given, keys: dict[str, Array], hopeful: Any) -> Bool[Array, ""]:
        """Whether the whole sample has at most the allowed wrong answers, block by block until that is decided; a lane
        without hope has failed before the first block."""
        solve = _required(self.solve)
        size = min(BLOCK, solve.sample)

        def undecided(carry: tuple[Array, Array]) -> Array:
            first, wrong = carry
            return (first < solve.sample) & (wrong <= solve.allowed)

        def block(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            first, wrong = carry
            return first + size, wrong + self._wrong(lane, given, keys, first, size)

        none = jnp.where(hopeful, 0, solve.allowed + 1).astype(jnp.int32)
        _, wrong = lax.while_loop(undecided, block, (jnp.uint32(0), none))
        return wrong <= solve.allowed

    # -- a tile of lanes ---------------------------------------------------------------------------------------------

    def _each(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of one lane as a function of the tile; a single lane is not batched at all."""
        if self.lanes > 1:
            return jax.vmap(function)

        def alone(*tiles: Any) -> Any:
            lane = jax.tree.map(lambda leaf: leaf[0], tiles)
            return jax.tree.map(lambda leaf: leaf[None], function(*lane))

        return alone

    def _keys(self, given: Given) -> dict[str, Array]:
        return jax.vmap(streams.streams)(given["values"]["seed"])

    def _start(self, given: Given) -> Lane:
        return self._each(self._fresh)(given)

    def _merge(self, tile: Lane, new: Lane, where: Bool[Array, " L"]) -> Lane:
        """The tile with the lanes in `where` replaced."""
        choose = lambda old, fresh: jnp.where(where.reshape(-1, *[1] * (old.ndim - 1)), fresh, old)  # noqa: E731
        return jax.tree.map(choose, tile, new)

    def _check(self, tile: Lane, given: Given, keys: dict[str, Array], due: Bool[Array, " L"]) -> Lane:
        """The lanes that are due answer the held-out sample; their streaks of passed checks are brought up to date."""
        if self.solve is None:
            return tile
        allowed, screen = self.solve.allowed, min(SCREEN, self.solve.sample)
        size = min(screen, self.batch if 0 < self.batch < 8 else 32)

        def undecided(carry: tuple[Array, Array]) -> Array:
            first, wrong = carry
            return (first < screen) & jnp.any(due & (wrong <= allowed))

        def block(carry: tuple[Array, Array]) -> tuple[Array, Array]:
            first, wrong = carry
            count = self._each(lambda lane, own, k: self._wrong(lane, own, k, first, size))
            return first + size, wrong + count(tile, given, keys)

        _, wrong = lax.while_loop(undecided, block, (jnp.uint32(0), jnp.zeros(self.lanes, jnp.int32)))
        hopeful = due & (wrong <= allowed)

        def one_by_one() -> Array:
            return lax.map(lambda own: self._whole_test(*own), (tile, given, keys, hopeful))

        def together() -> Array:
            return self._each(self._whole_test)(tile, given, keys, hopeful)

        # a CPU tests only the lanes that need it, one after another; an accelerator is only filled by all of them
        test = one_by_one if jax.default_backend() == "cpu" else together
        passed = lax.cond(jnp.any(hopeful), test, lambda: jnp.zeros(self.lanes, bool))
        streak = jnp.where(passed, tile["streak"] + 1, 0)
        return tile | {
            "streak": jnp.where(due, streak, tile["streak"]),
            "checked": jnp.where(due, tile["t"], tile["checked"]),
        }

    def _advance(
        self, tile: Lane, given: Given, active: Bool[Array, " L"], tau: Array, until: Array
    ) -> tuple[Lane, Array]:
        """Trains from clock `tau` to `until`, with a check wherever the clock is a multiple of `solve.every`, both ends
        included; returns early, right after a check, once an active lane is solved or has diverged."""
        keys = self._keys(given)
        every = self.solve.every if self.solve else 100
        needed = self.solve.streak if self.solve else 1
        step = self._each(self._step)

        def period(carry: tuple[Lane, Array, Array]) -> tuple[Lane, Array, Array]:
            lanes, clock, _ = carry
            due = active & (lanes["checked"] != lanes["t"])
            check = lambda now: self._check(now, given, keys, due)  # noqa: E731
            lanes = lax.cond((clock % every == 0) & jnp.any(due), check, lambda now: now, lanes)
            stop = (clock >= until) | jnp.any(active & ((lanes["streak"] >= needed) | (lanes["bad"] >= 0)))
            then = jnp.where(stop, clock, jnp.minimum((clock // every + 1) * every, until))
            return lax.fori_loop(clock, then, lambda _, now: step(now, given, keys), lanes), then, stop

        tile, clock, _ = lax.while_loop(lambda carry: ~carry[2], period, (tile, tau, jnp.bool_(False)))
        return tile, clock

    def _measure(self, tile: Lane, start: Params, given: Given) -> dict[str, Any]:
        """Every recorded measure of every lane."""

        def one(lane: Lane, first: Params, own: Given, keys: dict[str, Array]) -> dict[str, Any]:
            trial = self._bound(own)
            sample = trial.record.sample or (self.solve or Solve()).sample
            view = View(
                task=trial.task, net=trial.net, loss=trial.loss, data=trial.data, batch=self.batch, sample=sample,
                secret=own["secret"], keys=keys, step=lane["t"], start=first, params=lane["params"],
            )  # fmt: skip
            return {name: find(name)(view) for name in trial.record.measures}

        return self._each(one)(tile, start, given, self._keys(given))


def _full_precision(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with products in float32: by default accelerators shorten the factors to 10 bits or fewer."""

    @functools.wraps(function)
    def exact(*tiles: Any) -> Any:
        with jax.default_matmul_precision("float32"):
            return function(*tiles)

    return exact


def _required(solve: Solve | None) -> Solve:
    assert solve is not None  # checks are only traced where there is a test
    return solve


@dataclasses.dataclass
class Programs:
    """The programs of this process, by shape."""

    by_shape: dict[str, Program] = dataclasses.field(default_factory=dict)

    def find(self, shape: str, trial: Trial) -> Program:
        if shape not in self.by_shape:
            self.by_shape[shape] = Program(trial)
        return self.by_shape[shape]
