"""The L_{a,b} norm of a net as a penalty: lambda ||theta||_{a,b}^r, ||theta||_{a,b} = (sum_i ||omega_i||_a^b)^{1/b},
omega_i all the weights into and out of neuron i (Wei et al. 2019; Morwani et al. 2023, section 7.2).

Where b is the degree of homogeneity of the net, neurons of every size are equally good at the optimum; r = b makes it a
sum over neurons. With a = b = 2 it is weight decay.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float

from assay.config import Config, above, at_least, shape, value


class Penalty(Config):
    """lambda (sum_i ||omega_i||_a^b)^{r/b}; r = b if none."""

    weight: float = value(check=above(0), doc="lambda")
    a: float = shape(default=2.0, check=at_least(1))
    b: float = shape(default=2.0, check=at_least(1))
    r: float | None = shape(default=None, check=above(0), doc="power of the norm; b if none")

    def of(self, neurons: Float[Array, "m d"]) -> Float[Array, ""]:
        """Of neurons as rows. At a neuron of size 0 the gradient is 0, never a division by 0."""
        sums = jnp.sum(neurons**2 if self.a == 2 else jnp.abs(neurons) ** self.a, axis=1)
        alive = sums > 0
        mass = jnp.sum(jnp.where(alive, jnp.where(alive, sums, 1.0) ** (self.b / self.a), 0.0))
        power = 1.0 if self.r is None else self.r / self.b
        return jnp.asarray(self.weight, neurons.dtype) * (mass if power == 1 else mass**power)
