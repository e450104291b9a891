"""A new task: a staircase, whose first step is easy and shows the way to the next (Abbe et al. 2021).

    python examples/03_new_task.py

The sign of x_1 + x_1 x_2 + x_1 x_2 x_3 depends on the same three bits as their parity, but it agrees with x_1 alone
in three of four cases. Is it learnt faster? Writes out/examples/staircase.png.
"""

# %% A task is one class. Importing it, or running this cell, registers it under its kind.
from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt32

import assay as ay
from assay.analysis import survival
from assay.config import at_least, host, shape
from assay.errors import ConfigError
from assay.figures import SurvivalCurves
from assay.maths import streams
from assay.tasks import Batch, Task


class Staircase(Task, kind="staircase"):
    """y = sign(sum_{j <= k} x_1 ... x_j), k odd, x uniform on {-1,+1}^n."""

    n: int = shape(check=at_least(1), doc="number of coordinates")
    k: int = host(check=at_least(1), doc="number of stairs, odd")
    chance = 0.5

    def validate(self) -> None:
        if self.k > self.n or self.k % 2 == 0:
            raise ConfigError("staircase.k", self.k, f"odd and at most n = {self.n}")

    @property
    def inputs(self) -> int:
        return self.n

    def secret(self, seed: int) -> np.ndarray:
        return np.arange(self.n) < self.k

    def examples(self, secret: Any, key: streams.Key, index: UInt32[Array, " B"]) -> Batch:
        x = jnp.where(streams.words(key, index, self.n) >> 31, 1.0, -1.0)
        stairs = jnp.cumprod(x, axis=1)
        return x, jnp.sign(stairs @ secret.astype(jnp.float32))


# %% Is it what it should be? Labels are +-1, balanced, and agree with x_1 in three of four cases.
task = Staircase(n=30, k=3)
x, y = task.examples(task.secret(0), streams.stream(0, "eval"), jnp.arange(4096, dtype=jnp.uint32))
assert set(np.unique(y)) == {-1.0, 1.0}
assert abs(np.mean(y)) < 0.1
assert abs(np.mean(x[:, 0] == y) - 0.75) < 0.05

# %% Beside the parity of the same three bits.
base = ay.Trial(
    task=task,
    net=ay.MLP(width=100),
    optimiser=ay.SGD(learning_rate=0.5),
    batch=32,
    budget=5000,
    solve=ay.Solve(sample=1024),
)
runs = ay.run(ay.Sweep(base, ay.axis("task", task, ay.Parity(n=30, k=3)), ay.seeds(20)))
times = survival.summary(runs.frame, by=["task.kind"])
print(times.select("task.kind", "n", "solved_fraction", "q10", "q50", "q90"))

# %% A figure: the fraction of runs that are not solved yet.
figure = SurvivalCurves(
    survival.curve(runs.frame, by=["task.kind"]),
    line="task.kind",
    x_scale="linear",
    title="Three bits, step by step or at once",
    caption="Fraction of 20 runs that are not solved yet, with 95 % bands. ReLU nets of width 100, batch 32, rate 0.5.",
)
figure.save("out/examples", "staircase")

# %%
median = dict(times.select("task.kind", "q50").rows())
assert median["staircase"] < median["parity"]
