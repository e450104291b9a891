"""A trial: one training run, fully described. Its content hash is its identity; its outcome depends on nothing else."""

from __future__ import annotations

import enum
import functools
import hashlib
import json
import math
from typing import Any, Literal, Self

import jax
import numpy as np

from assay.config import SCHEMA, Check, Config, at_least, between, host, shape, shape_key, value
from assay.errors import ConfigError, UnknownName
from assay.losses import Hinge, Loss, Penalty
from assay.measures import check_fits, find
from assay.nets import Init, Net, Sparse, Uniform
from assay.optim import SGD, Optimiser
from assay.tasks import Data, Online, Population, Split, Task

MAX_COUNT = 2**32 - 1
"""Seeds, steps and indices are 32-bit counters of the random streams."""


class Outcome(enum.StrEnum):
    """How a trial ended."""

    SOLVED = "solved"
    CENSORED = "censored"
    DIVERGED = "diverged"
    FAILED = "failed"


class Solve(Config):
    """When a trial is solved: at most (1 - accuracy) * sample held-out answers are wrong, at `streak` checks in a row.

    Checked every `every` steps, the untrained net included, on one fixed sample, or on a fresh one at each check.
    The defaults are those of Barak et al. 2022, appendix C.1.
    """

    accuracy: float = shape(default=1.0, check=between(0, 1))
    sample: int = shape(default=8192, check=between(1, 2**24), doc="held-out examples")
    every: int = shape(default=10, check=at_least(1), doc="steps between checks")
    fresh: bool = shape(default=False, doc="a new sample for every check")
    streak: int = shape(default=1, check=at_least(1), doc="checks in a row")

    @property
    def allowed(self) -> int:
        """Wrong answers that still count as solved."""
        return math.floor((1 - self.accuracy) * self.sample + 1e-6)


STEPS = Check("whole numbers >= 0", lambda steps: all(step >= 0 for step in steps))


class Record(Config):
    """Which measures are recorded at which steps: every so many, log-spaced, or listed; the last step always is."""

    measures: tuple[str, ...] = shape(default=())
    every: int = host(default=0, check=at_least(0), doc="linear: a record every so many steps")
    points: int = host(
        default=0, check=between(0, 100_000), doc="log-spaced: about so many records between 1 and the budget"
    )
    steps: tuple[int, ...] = host(default=(), check=STEPS, doc="explicit steps; those beyond the budget are left out")
    ends: tuple[str, ...] = host(default=(), doc="measures kept at the first and the last record only, such as weights")
    sample: int | None = shape(
        default=None,
        check=between(1, 2**24),
        doc="held-out examples that are measured; those of the solve test if none",
    )

    def validate(self) -> None:
        for name in self.measures:
            find(name)
        if missing := [name for name in self.ends if name not in self.measures]:
            raise ConfigError("record.ends", missing[0], f"one of the measures: {', '.join(self.measures)}")

    def to_json(self) -> dict[str, Any]:
        """Where there is no sample of its own, or nothing kept at the ends only, it is left out: identities are older
        than these fields."""
        plain = super().to_json()
        if not self.ends:
            del plain["ends"]
        if self.sample is None:
            del plain["sample"]
        return plain

    def moments(self, budget: int) -> list[int]:
        """The steps to record at, sorted."""
        if not self.measures:
            return []
        chosen = {step for step in self.steps if 0 <= step <= budget}
        if self.every:
            chosen |= set(range(0, budget + 1, self.every))
        if self.points:
            chosen |= {0} | {round(s) for s in np.geomspace(1, budget, self.points).tolist()}
        return sorted(chosen)


class Trial(Config):
    """What is learnt, what learns, how, for how long, and with which randomness."""

    task: Task = shape()
    net: Net = shape()
    init: Init = shape(default=Uniform())
    loss: Loss = shape(default=Hinge())
    penalty: Penalty | None = shape(default=None, doc="added to the loss; none by default")
    optimiser: Optimiser = shape(default=SGD(learning_rate=0.1))
    data: Data = shape(default=Online())
    batch: int | Literal["all"] = shape(default=32)
    budget: int = host(default=100_000, check=between(1, 2**30), doc="steps after which an unsolved trial is censored")
    solve: Solve | None = shape(default=Solve())
    record: Record = shape(default=Record())
    precision: Literal["float32", "float64"] = shape(default="float32", doc="of weights and all that follows")
    seed: int = value(default=0, check=between(0, MAX_COUNT))

    def validate(self) -> None:
        learner = self.learner
        count = self.data.count(self.task)
        if isinstance(self.batch, int) and self.batch < 1:
            raise ConfigError("trial.batch", self.batch, ">= 1 or 'all'")
        if isinstance(self.data, (Population, Split)) and count is None:
            raise ConfigError(
                "trial.data", self.data.kind, "online or offline", f"{self.task.kind} is too large to enumerate"
            )
        if self.batch == "all" and count is None:
            raise ConfigError("trial.batch", "all", "a number", "fresh examples have no end; use offline data")
        if isinstance(self.batch, int) and count is not None and self.batch > count:
            raise ConfigError("trial.batch", self.batch, f"at most the {count} training examples", "or batch='all'")
        if isinstance(self.init, Sparse) and self.init.nonzeros > self.task.inputs:
            raise ConfigError("sparse.nonzeros", self.init.nonzeros, f"at most the {self.task.inputs} inputs")
        for name in self.record.measures:
            check_fits(name, self.task, learner)
        if "gradient/population" in self.record.measures and self.task.size is None:
            raise ConfigError("trial.record.measures", "gradient/population", "used with an enumerable task")
        if (inputs := getattr(learner, "inputs", self.task.inputs)) != self.task.inputs:
            raise ConfigError(f"{learner.kind}.inputs", inputs, f"the task's {self.task.inputs}", "or leave it out")
        if any(name.startswith("margin/") for name in self.record.measures) and self.task.size is None:
            raise ConfigError("trial.record.measures", "margin/...", "used with an enumerable task")
        self._check_outputs(learner)
        self._check_neurons(learner)
        self._check_rates(learner)

    def to_json(self) -> dict[str, Any]:
        """What is as it is by default and younger than the identities of old trials is left out."""
        plain = super().to_json()
        if self.penalty is None:
            del plain["penalty"]
        if self.precision == "float32":
            del plain["precision"]
        return plain

    @property
    def reads_rows(self) -> bool:
        """Whether a step sees a whole table of pairs, and the net reads it row by row."""
        whole = self.batch == "all" and isinstance(self.data, Population) and self.task.rows is not None
        return whole and self.net.pair_values is not None

    @functools.cached_property
    def identity(self) -> str:
        """Content hash, as of any config. The canonical text of all but the seed is made once for a family of seeds."""
        before, after = self.around_seed
        return hashlib.blake2b(f"{before}{self.seed}{after}".encode(), digest_size=10).hexdigest()

    @functools.cached_property
    def pack_key(self) -> str:
        """What trials of one pack have in common (`config.shape_key`); made once for a family of seeds."""
        return shape_key(self)

    @functools.cached_property
    def around_seed(self) -> tuple[str, str]:
        """Canonical text before and after the seed: equal for the trials of a family of seeds, and only for them."""
        mark = "<seed>"
        data = {"schema": SCHEMA, "config": self.to_json() | {"seed": mark}}
        text = json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)
        before, _, after = text.partition(f'"{mark}"')
        return before, after

    def reseeded(self, seed: int) -> Self:
        """The same trial with another seed: a copy, since nothing else of a trial is checked against its seed.

        Twenty times faster than `replace`, and the texts that identities are made from are shared."""
        if type(seed) is not int or not 0 <= seed <= MAX_COUNT:
            raise ConfigError("trial.seed", seed, f"a whole number between 0 and {MAX_COUNT}")
        shared = {"around_seed": self.around_seed, "pack_key": self.pack_key}
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, seed=seed, **shared)
        copy.__dict__.pop("identity", None)
        return copy

    @property
    def learner(self) -> Net:
        """The net with what the task determines filled in."""
        return self.net.completed(self.task)

    def shape_part(self) -> dict[str, Any]:
        """With the completed net: what the task determines of it counts, and nothing else of the task need."""
        return super().shape_part() | {"net": self.learner.shape_part()}

    @property
    def init_seed(self) -> int:
        """The seed of the stream `init`; every other stream is drawn from `seed`."""
        return self.seed if self.init.seed is None else self.init.seed

    @property
    def examples_a_step(self) -> int:
        return (self.data.count(self.task) or 0) if self.batch == "all" else self.batch

    def _check_outputs(self, learner: Net) -> None:
        outputs = getattr(learner, "outputs", 1)
        if self.loss.sequences != (self.task.positions is not None):
            fitting = sorted(kind for kind, loss in Loss.members.items() if loss.sequences != self.loss.sequences)  # type: ignore[attr-defined]
            raise ConfigError("trial.loss", self.loss.kind, f"one of {', '.join(fitting)} for {self.task.kind}")
        if self.loss.classes and outputs < 2:
            raise ConfigError("net.outputs", outputs, f">= 2 for {self.loss.kind}", "set outputs=2 for labels +-1")
        if not self.loss.classes and outputs != 1:
            raise ConfigError("net.outputs", outputs, f"1 for the {self.loss.kind} loss", "or use loss=cross-entropy")

    def _check_neurons(self, learner: Net) -> None:
        """Penalty and normalised margins are of nets that have neurons to speak of; else ConfigError says so."""
        if self.penalty is not None or "margin/normalised" in self.record.measures:
            key = jax.ShapeDtypeStruct((2,), np.uint32)
            jax.eval_shape(lambda k: learner.neurons(learner.init(k, self.init)), key)
        if "margin/normalised" in self.record.measures:
            _ = learner.homogeneity

    def _check_rates(self, learner: Net) -> None:
        if not self.optimiser.rates:
            return
        layers = _layers(learner, self.init if self.init.seed is None else self.init.replace(seed=None))
        for rate in self.optimiser.rates:
            if rate.layer not in layers:
                raise UnknownName(f"layer of {learner.kind}", rate.layer, layers)
            if rate.array is not None and rate.array not in layers[rate.layer]:
                raise UnknownName(f"array of layer {rate.layer}", rate.array, layers[rate.layer])


@functools.lru_cache(maxsize=256)
def _layers(learner: Net, init: Init) -> dict[str, tuple[str, ...]]:
    """The arrays of each layer: traced once for all trials with this net and scheme."""
    shapes = jax.eval_shape(lambda key: learner.init(key, init), jax.ShapeDtypeStruct((2,), np.uint32))
    return {layer: tuple(arrays) for layer, arrays in shapes.items()}
