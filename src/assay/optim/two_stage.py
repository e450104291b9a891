"""One large step that forgets where it began, then many small ones: Daniely and Malach 2020, section 3.

Their step 1 has learning rate eta_1 = 1 and, on weights, the regulariser lambda_1 ||w||^2 with lambda_1 = 1/2: what is
left of a weight is minus its gradient. Biases have no regulariser: b - gradient. The gradient is the population's; of a
sample it is good enough where the biases, of size 1/(8k), outweigh its noise, (n/k) / sqrt(m). So the first step may
average over many batches, while later ones see one each.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax

from assay.config import at_least, one_of, shape
from assay.optim.base import Optimiser


class TwoStage(Optimiser, kind="two-stage"):
    """Step 1 on the mean gradient g of the first `batches` batches: w <- -g for weights, b <- b - g for biases. From
    then on gradient descent, or Adam, at the learning rate with weight decay. Learning rates of layers hold for both
    stages; schedules count all steps."""

    batches: int = shape(default=1, check=at_least(1), doc="batches that step 1 averages over, weights standing still")
    then: str = shape(default="sgd", check=one_of("sgd", "adam"), doc="the second stage")

    def transformation(self) -> optax.GradientTransformation:
        rest = optax.adam(self.rate()) if self.then == "adam" else optax.sgd(self.rate())
        second = optax.chain(self.decayed(), rest)

        def init(params: Any) -> Any:
            return jnp.zeros((), jnp.int32), jax.tree.map(jnp.zeros_like, params), second.init(params)

        def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
            step, mean, inner = state
            first = step < self.batches
            mean = jax.tree.map(lambda m, g: jnp.where(first, m + (g - m) / (step + 1), m), mean, updates)
            later, moved = second.update(updates, inner, params)
            forget = jax.tree.map_with_path(lambda path, m, w: -m - w * (path[-1].key != "bias"), mean, params)
            large = jax.tree.map(lambda leap: jnp.where(step + 1 == self.batches, leap, 0.0), forget)
            choose = lambda early, late: jax.tree.map(lambda a, b: jnp.where(first, a, b), early, late)  # noqa: E731
            return choose(large, later), (step + 1, mean, choose(inner, moved))

        return optax.chain(optax.GradientTransformation(init, update), self.scaled())
