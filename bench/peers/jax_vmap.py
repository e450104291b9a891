"""Many runs at once in JAX: the training loop of one run is compiled whole and mapped over the runs.

Two sources of inputs: `jax.random.rademacher`, which spends a 32-bit draw on every sign, and random 32-bit words
unpacked to signs. The loop has a run-time length (`fori_loop` compiles to the same while loop as `scan`, and one
program serves every number of steps). Nothing else differs from what a JAX user would write.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from bench.peers.base import Weights
from bench.workloads import Workload

WORD = 32


class JaxVmap:
    def __init__(self, workload: Workload, *, packed: bool) -> None:
        self.workload, self.note = workload, ""
        self.signs = packed_signs if packed else jax.random.rademacher
        every_run = partial(jax.vmap, in_axes=(0, 0, 0, None))
        self._train = jax.jit(every_run(self._train_one), donate_argnums=0)
        self._start = jax.jit(jax.vmap(self._start_one))

    def start(self, seed: int) -> None:
        keys = jax.random.split(jax.random.key(seed), self.workload.runs)
        self.params, self.keys, self.samples = jax.block_until_ready(self._start(keys))

    def train(self, steps: int) -> int:
        self.keys, params = self._train(self.params, self.keys, self.samples, steps)
        self.params = jax.block_until_ready(params)
        return steps * self.workload.runs

    def weights(self) -> Weights:
        return Weights(*(np.array(self.params[name]) for name in ("hidden", "bias", "output", "offset")))

    def _start_one(self, key: Array) -> tuple[dict[str, Array], Array, Array]:
        w = self.workload
        stream, sample, *keys = jax.random.split(key, 6)
        shapes: dict[str, tuple[int, tuple[int, ...]]] = {  # fan-in, shape
            "hidden": (w.n, (w.width, w.n)),
            "bias": (w.n, (w.width,)),
            "output": (w.width, (w.width,)),
            "offset": (w.width, ()),
        }
        params = {
            name: jax.random.uniform(k, shape, minval=-(fan_in**-0.5), maxval=fan_in**-0.5)
            for k, (name, (fan_in, shape)) in zip(keys, shapes.items(), strict=True)
        }
        return params, stream, self.signs(sample, (w.offline or 0, w.n)).astype(jnp.float32)

    def _train_one(
        self, params: dict[str, Array], key: Array, sample: Array, steps: Array
    ) -> tuple[Array, dict[str, Array]]:
        w = self.workload

        def loss(params: dict[str, Array], x: Array, y: Array) -> Array:
            f = jax.nn.relu(x @ params["hidden"].T + params["bias"]) @ params["output"] + params["offset"]
            return jax.nn.relu(1 - y * f).mean()

        def step(_: int, carry: tuple[Array, dict[str, Array]]) -> tuple[Array, dict[str, Array]]:
            key, params = carry
            key, draw = jax.random.split(key)
            if w.offline:
                x = sample[jax.random.randint(draw, (w.batch,), 0, w.offline)]
            else:
                x = self.signs(draw, (w.batch, w.n)).astype(jnp.float32)
            gradient = jax.grad(loss)(params, x, x[:, : w.k].prod(axis=1))
            return key, jax.tree.map(lambda p, g: p - w.learning_rate * g, params, gradient)

        return jax.lax.fori_loop(0, steps, step, (key, params))


def packed_signs(key: Array, shape: tuple[int, int]) -> Array:
    """Uniform +-1 (count, n) from ceil(n / 32) random words a row."""
    count, n = shape
    words = jax.random.bits(key, (count, -(-n // WORD)), jnp.uint32)
    bit = np.arange(n)
    return 1 - 2 * ((words[:, bit // WORD] >> (bit % WORD).astype(np.uint32)) & 1).astype(jnp.float32)


def prepare(workload: Workload) -> JaxVmap:
    return JaxVmap(workload, packed=False)


def prepare_bits(workload: Workload) -> JaxVmap:
    return JaxVmap(workload, packed=True)
