"""A trial as the kernels take it, and why they cannot take some."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jaxtyping import Float32

from assay.engine.native.library import COEFFICIENTS, MASK_WORDS, Spec
from assay.losses import Correlation, Hinge, Logistic, Square
from assay.maths import streams
from assay.nets import MLP, DisjointPolyNet, Gaussian, Net, Neuron, PolyNet, Sign, Sparse, Ticket, Uniform
from assay.nets.activations import oscillating_coefficients
from assay.optim import SGD, Constant
from assay.tasks import DisjointParity, Offline, Online, Parity, Population
from assay.trial import Solve, Trial

MODELS: tuple[type[Net], ...] = (MLP, Neuron, PolyNet, DisjointPolyNet)
ACTIVATIONS = ("relu", "power", "zigzag", "polynomial", "triangle", "sinusoid")
LOSSES = (Hinge, Square, Logistic, Correlation)
SOURCES = (Online, Offline, Population)
ORDERS = ("epochs", "replacement", "all", "fresh")
INITS = (Uniform, Gaussian, Sign, Sparse)
BIASES = ("same", "zero", "uniform")
MOST_FACTORS = 64
LAYERS = {"hidden_1": 0, "neuron": 0, "factors": 0, "output": 1}
"""Layers by name: the first reads the inputs."""

NUMBERS = {
    "train/loss": "train_loss", "train/error": "train_error", "eval/loss": "eval_loss", "eval/error": "eval_error",
    "weights/movement_linf": "movement_linf", "weights/movement_l2": "movement_l2", "weights/norm_l2": "norm_l2",
}  # fmt: skip
"""Measures that the kernels compute, and their fields."""
ARRAYS = ("weights/first_layer", "weights/snapshot")
"""Measures that are read off the parameters."""


class Status(enum.IntEnum):
    """Why `advance` came back."""

    PAUSED = 0
    REACHED = 1
    SOLVED = 2
    DIVERGED = 3


class Wanted(enum.IntFlag):
    """Groups of numbers."""

    TRAIN = 1
    EVAL = 2
    WEIGHTS = 4


def wanted(measures: tuple[str, ...]) -> Wanted:
    """The groups that some measures need."""
    found = Wanted(0)
    for name in measures:
        if name in NUMBERS:
            found |= Wanted[name.partition("/")[0].upper()]
    return found


def refusal(trial: Trial) -> str | None:
    """Why the kernels cannot train a trial; None where they can."""
    return next((reason for reason in map(lambda ask: ask(trial), _REFUSALS) if reason), None)


@dataclasses.dataclass(frozen=True)
class Family:
    """What trials have in common that differ in their seed only."""

    spec: Spec
    layout: tuple[
        tuple[str, tuple[int, ...]], ...
    ]  # name and size of each array of parameters, as the kernels order them
    ticket: bool  # starts from weights that the kernels do not draw

    def spec_of(self, trial: Trial) -> Spec:
        """A trial of the family as the kernels take it."""
        spec = Spec.from_buffer_copy(self.spec)
        spec.seed, spec.init_seed = trial.seed, trial.init_seed
        mask = trial.task.secret(trial.seed)
        spec.mask[: len(mask)] = mask.tolist()
        return spec

    def start_of(self, trial: Trial) -> Float32[np.ndarray, " P"] | None:
        """The flat parameters that a ticket starts from; None where the kernels draw them."""
        if not self.ticket:
            return None
        params = trial.learner.init(streams.stream(trial.init_seed, "init"), trial.init)
        paths = [name.split(".") for name, _ in self.layout]
        return np.concatenate([np.asarray(params[layer][name], np.float32).ravel() for layer, name in paths])

    def named(self, params: Float32[np.ndarray, " P"]) -> dict[str, np.ndarray]:
        """The flat parameters of the kernels under the names and in the shapes that `Net.readout` gives them."""
        found, at = {}, 0
        for name, size in self.layout:
            count = math.prod(size)
            found[name] = params[at : at + count].reshape(size)
            at += count
        return found


def family_of(trial: Trial) -> Family:
    """The family of a trial; made once."""
    key = trial.around_seed
    if key not in _FAMILIES:
        if len(_FAMILIES) >= MOST_FAMILIES:
            _FAMILIES.clear()
        _FAMILIES[key] = Family(_template(trial), _layout(trial), isinstance(trial.learner, Ticket))
    return _FAMILIES[key]


def _net_of(trial: Trial) -> Net:
    """The net as the kernels know it: a ticket is a small MLP."""
    net = trial.learner
    return net.small if isinstance(net, Ticket) else net


_FAMILIES: dict[tuple[str, str], Family] = {}
MOST_FAMILIES = 4096
"""Kept at most; sweeps come family by family."""


def _layout(trial: Trial) -> tuple[tuple[str, tuple[int, ...]], ...]:
    key = jax.ShapeDtypeStruct((2,), np.uint32)
    params = jax.eval_shape(lambda k: trial.learner.init(k, trial.init), key)  # dictionaries come back sorted by name
    layers = sorted(params, key=LAYERS.__getitem__)
    return tuple(
        (f"{layer}.{name}", params[layer][name].shape)
        for layer in layers
        for name in ("weight", "bias")
        if name in params[layer]
    )


def _template(trial: Trial) -> Spec:
    net: Any = _net_of(trial)
    solve = trial.solve
    spec = Spec()
    spec.model = MODELS.index(type(net))
    spec.n = trial.task.inputs
    spec.degree = net.degree or 1
    spec.rows = net.width if isinstance(net, MLP) else 1 if isinstance(net, Neuron) else spec.degree
    if isinstance(net, (MLP, Neuron)):
        spec.activation = ACTIVATIONS.index(net.activation)
        spec.scale = net.scale
        if net.activation == "polynomial":
            spec.coefficients[: spec.degree + 1] = oscillating_coefficients(spec.degree).astype(np.float32).tolist()
    spec.output = isinstance(net, MLP) or (isinstance(net, Neuron) and net.second_layer)
    spec.hidden_bias = net.hidden_bias if isinstance(net, MLP) else not isinstance(net, DisjointPolyNet)
    spec.output_bias = net.output_bias if isinstance(net, MLP) else spec.output
    spec.loss = LOSSES.index(type(trial.loss))
    spec.sample = (solve or Solve()).sample  # without a test it is what eval/* measure on
    if solve is not None:
        spec.every, spec.allowed, spec.fresh, spec.streak = solve.every, solve.allowed, solve.fresh, solve.streak
    _set_data(spec, trial)
    _set_init(spec, trial)
    _set_rates(spec, trial)
    return spec


def _set_data(spec: Spec, trial: Trial) -> None:
    spec.source = SOURCES.index(type(trial.data))
    spec.samples = trial.data.count(trial.task) or 0
    spec.batch = trial.examples_a_step
    spec.order = ORDERS.index("all" if trial.batch == "all" else getattr(trial.data, "order", "fresh"))
    spec.noise = getattr(trial.task, "noise", 0.0)


def _set_init(spec: Spec, trial: Trial) -> None:
    init = trial.init
    spec.init = INITS.index(type(init))
    spec.init_scale = getattr(init, "scale", 1.0)
    spec.bias_rule = BIASES.index(getattr(init, "biases", "same"))
    spec.nonzeros = init.nonzeros if isinstance(init, Sparse) else 0


def _set_rates(spec: Spec, trial: Trial) -> None:
    """w <- w - decay w - rate gradient, for each of the two layers (optim/sgd.py)."""
    sgd = trial.optimiser
    assert isinstance(sgd, SGD)
    factors = {LAYERS[rate.layer]: (rate.learning_rate, rate.weight_decay) for rate in sgd.rates}
    for layer in (0, 1):
        on_rate, on_decay = factors.get(layer, (1.0, 1.0))
        rate, decay = sgd.learning_rate * on_rate, sgd.weight_decay * on_decay
        spec.rate[layer] = rate
        spec.decay[layer] = rate * decay if sgd.decay == "coupled" else decay


# -- refusals --------------------------------------------------------------------------------------------------------


def _task(trial: Trial) -> str | None:
    if type(trial.task) not in (Parity, DisjointParity):
        return f"it knows parities, not {trial.task.kind}"
    return f"n is at most {32 * MASK_WORDS}" if trial.task.inputs > 32 * MASK_WORDS else None


def _data(trial: Trial) -> str | None:
    return None if type(trial.data) in SOURCES else f"it does not know data {trial.data.kind}"


def _net(trial: Trial) -> str | None:
    net: Any = _net_of(trial)
    if type(net) not in MODELS:
        return f"it does not know the net {net.kind}"
    if isinstance(net, MLP) and (net.depth > 1 or net.outputs != 1):
        return "it trains MLPs of one hidden layer and one output"
    if isinstance(net, (MLP, Neuron)):
        if net.activation not in ACTIVATIONS:
            return f"it does not know the activation {net.activation}"
        if net.activation == "polynomial" and (net.degree or 1) >= COEFFICIENTS:
            return f"the degree of the oscillating polynomial is at most {COEFFICIENTS - 1}"
    elif (net.degree or 1) > MOST_FACTORS:
        return f"it trains at most {MOST_FACTORS} factors"
    return None


def _init(trial: Trial) -> str | None:
    if type(trial.init) not in INITS:
        return f"it does not know the initialisation {trial.init.kind}"
    if isinstance(trial.init, Sparse) and isinstance(trial.learner, DisjointPolyNet):
        return "it does not draw sparse weights for disjoint factors"
    return None


def _loss(trial: Trial) -> str | None:
    if trial.penalty is not None or trial.precision != "float32":
        return "it trains without penalty, in float32"
    return None if type(trial.loss) in LOSSES else f"it does not know the loss {trial.loss.kind}"


def _optimiser(trial: Trial) -> str | None:
    sgd = trial.optimiser
    if type(sgd) is not SGD or sgd.momentum or not isinstance(sgd.schedule, Constant):
        return "it trains with plain SGD at constant rates"
    if not all(rate.constant for rate in sgd.rates):
        return "it trains at one rate a layer, from first step to last"
    return None


def _record(trial: Trial) -> str | None:
    if isinstance(trial.learner, Ticket) and any("movement" in name for name in trial.record.measures):
        return "it does not measure how far the weights of a ticket have moved"
    unknown = [name for name in trial.record.measures if name not in NUMBERS and name not in ARRAYS]
    return f"it does not record {', '.join(unknown)}" if unknown else None


_REFUSALS: tuple[Callable[[Trial], str | None], ...] = (_task, _data, _net, _init, _loss, _optimiser, _record)
