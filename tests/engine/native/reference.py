"""SGD on parities in numpy, float64, by the book: what the kernels are compared with."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import erfinv

import assay as ay
from assay.losses import Correlation, Hinge, Square
from assay.nets import DisjointPolyNet, Sparse
from assay.nets.activations import oscillating_coefficients
from tests.engine.native.draws import Key, batches, fold_in, stream, uniform

Params = dict[str, dict[str, np.ndarray]]

coefficients = functools.cache(oscillating_coefficients)


def weights(init: Any, key: Key, size: tuple[int, ...], fan_in: int, first: bool) -> np.ndarray:
    """First weights of a layer, as assay.nets.init defines them."""
    draws = 2 * uniform(key, np.arange(math.prod(size))).reshape(size) - 1
    if isinstance(init, Sparse) and first:
        return (draws.argsort(axis=-1, kind="stable").argsort(axis=-1) < init.nonzeros) * 1.0
    if isinstance(init, ay.Gaussian):
        return init.scale * 2 / fan_in**0.5 * erfinv(draws + 2**-24)
    if isinstance(init, ay.Sign):
        return init.scale / fan_in**0.5 * np.where(draws < 0, -1.0, 1.0)
    return (1 if isinstance(init, Sparse) else init.scale) / fan_in**0.5 * draws


def biases(init: Any, key: Key, size: tuple[int, ...], fan_in: int) -> np.ndarray:
    rule = getattr(init, "biases", "same")
    if rule == "zero":
        return np.zeros(size)
    return weights(ay.Uniform() if rule == "uniform" else init, key, size, fan_in, False)


def start(trial: ay.Trial) -> Params:
    net: Any = trial.learner
    n, init, key = trial.task.inputs, trial.init, stream(trial.init_seed, "init")
    rows: tuple[int, ...] = (
        () if isinstance(net, ay.Neuron) else (net.width if isinstance(net, ay.MLP) else net.degree,)
    )
    if isinstance(net, DisjointPolyNet):
        block = n // rows[0]
        return {"factors": {"weight": weights(init, key, (*rows, block), block, True)}}
    if isinstance(net, ay.MLP):
        hidden, output = "hidden_1", "output"
    else:
        hidden, output = ("neuron", "output") if isinstance(net, ay.Neuron) else ("factors", "")
    keys = [fold_in(key, i) for i in range(4)]
    found = {hidden: {"weight": weights(init, keys[0], (*rows, n), n, True), "bias": biases(init, keys[1], rows, n)}}
    if isinstance(net, ay.MLP) or getattr(net, "second_layer", False):
        one = (1,) if rows else ()
        fan_in = math.prod(rows)
        found[output] = {
            "weight": weights(init, keys[2], (*one, *rows), fan_in, False),
            "bias": biases(init, keys[3], one, fan_in),
        }
    for layer, kept in ((hidden, "hidden_bias"), (output, "output_bias")):
        if not getattr(net, kept, True):
            del found[layer]["bias"]
    return found


def sigma(name: str, z: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """sigma(z), sigma'(z), and the distance from z to the next kink."""
    smooth = np.full_like(z, np.inf)
    if name == "relu":
        return np.maximum(z, 0), (z > 0) * 1.0, np.abs(z)
    if name == "power":
        return z**k, k * z ** (k - 1), smooth
    if name == "polynomial":
        c = coefficients(k)
        return np.polyval(c, z), np.polyval(np.polyder(c), z), smooth
    wave, slope = np.cos(np.pi / 2 * (z - k)), -np.pi / 2 * np.sin(np.pi / 2 * (z - k))
    if name == "sinusoid":
        return wave, slope, smooth
    value, slope = 2 / np.pi * np.arcsin(wave), np.sign(slope)  # the triangle wave
    kink = np.abs(z - k - 2 * np.round((z - k) / 2))
    if name == "zigzag":
        value = np.where(z > k, 1 + z - k, np.where(z < -k, (-1) ** k - (-1) ** k * (z + k), value))
        slope = np.where(z > k, 1.0, np.where(z < -k, -((-1.0) ** k), slope))
        kink = np.where(np.abs(z) > k - 1, np.where(k > 1, np.abs(np.abs(z) - k + 2), np.inf), kink)
    return value, slope, kink


def forward(net: Any, p: Params, x: np.ndarray) -> tuple[np.ndarray, Any]:
    """Outputs (B,), and what `backward` needs."""
    if "factors" in p:
        w, b = p["factors"]["weight"], p["factors"].get("bias", 0.0)
        blocks = x.reshape(len(x), *w.shape) if isinstance(net, DisjointPolyNet) else x[:, None, :]
        z = (blocks * w).sum(axis=2) + b
        return z.prod(axis=1), (blocks, z)
    first = p["neuron"] if "neuron" in p else p["hidden_1"]
    z = x @ np.atleast_2d(first["weight"]).T + first.get("bias", 0.0)
    h, slope, kink = sigma(net.activation, net.scale * z, net.degree or 1)
    u = np.atleast_1d(np.squeeze(p["output"]["weight"])) if "output" in p else np.ones(1)
    f = h @ u + (p["output"].get("bias", 0.0) if "output" in p else 0.0)
    return f, (z, h, net.scale * slope, u, kink.min() / net.scale)


def backward(p: Params, x: np.ndarray, kept: Any, slope: np.ndarray) -> Params:
    """Gradients, from d loss / d f (B,)."""
    if "factors" in p:
        blocks, z = kept
        others = np.stack([np.delete(z, r, axis=1).prod(axis=1) for r in range(z.shape[1])], axis=1)
        d = slope[:, None] * others
        return {"factors": {"weight": (d[:, :, None] * blocks).sum(axis=0), "bias": d.sum(axis=0)}}
    z, h, sigma_slope, u, _ = kept
    d = slope[:, None] * u * sigma_slope
    layer = "neuron" if "neuron" in p else "hidden_1"
    found = {layer: {"weight": d.T @ x, "bias": d.sum(axis=0)}}
    if "output" in p:
        found["output"] = {"weight": slope @ h, "bias": slope.sum()}
    return found


def loss_of(loss: ay.Loss, f: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Loss and d loss / d f of each example, and the distance to the hinge's kink."""
    m = y * f
    if isinstance(loss, Hinge):
        return np.maximum(0, 1 - m), np.where(m < 1, -y, 0.0), float(np.abs(m - 1).min())
    if isinstance(loss, Square):
        return (f - y) ** 2, 2 * (f - y), np.inf
    if isinstance(loss, Correlation):
        return -m, -y, np.inf
    return np.logaddexp(0, -m), -y / (1 + np.exp(m)), np.inf


@dataclasses.dataclass
class State:
    """Before step `step`; `loss` is that of the step before; `kink` the smallest distance to a kink so far."""

    step: int
    params: Params
    loss: float
    kink: float


def trajectory(trial: ay.Trial, steps: int) -> Iterator[State]:
    """The states before step 0, 1, ..., `steps`."""
    sgd: Any = trial.optimiser
    xs, ys = batches(trial, steps)
    net = trial.learner
    p, kink, loss = start(trial), np.inf, 0.0
    yield State(0, p, loss, kink)
    for t, (x, y) in enumerate(zip(xs, ys, strict=True)):
        f, kept = forward(net, p, x)
        each, slope, margin = loss_of(trial.loss, f, y)
        kink, loss = min(kink, margin, np.inf if "factors" in p else kept[-1]), float(each.mean())
        gradients = backward(p, x, kept, slope / len(y))
        after: Params = {}
        for layer, own in p.items():
            factor = next((r for r in sgd.rates if r.layer == layer), None)
            rate = sgd.learning_rate * (factor.learning_rate if factor else 1)
            decay = sgd.weight_decay * (factor.weight_decay if factor else 1) * (1 if sgd.decay == "paper" else rate)
            after[layer] = {n: w - decay * w - rate * gradients[layer][n].reshape(w.shape) for n, w in own.items()}
        p = after
        yield State(t + 1, p, loss, kink)
