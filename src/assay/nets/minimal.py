"""The minimal model of an induction head: two linear layers of attention with one matrix and one vector of weights.

Edelman, Edelman, Goel, Malach and Tsilivis 2024, equation 8.8, on one-hot symbols E [t, k]:

    f(E) = mask(E W (M E)^T) E,   M[p, s] = v_{p-s} for s <= p, else 0

M E is what a first layer would gather about the symbols before; W matches it with the current symbol; what was found is
copied. Counting bigrams is v = e_1, W = I; counting symbols is v = e_0, W = 11^T (fact 8.3). Entry i of v is lag i: the
papers' v_1 is v[0].
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from assay.config import at_least, shape, value
from assay.maths.markov import one_hot
from assay.maths.streams import Key
from assay.nets.base import Net, Params
from assay.nets.init import Init
from assay.nets.shifts import toeplitz


class MinimalInduction(Net, kind="minimal-induction"):
    """f(E) = mask(E W (M E)^T) E; starts from constants, whatever the initialisation scheme."""

    lags: float = value(default=0.02, doc="v at the start")
    match: float = value(default=0.0, doc="W at the start")
    states: int | None = shape(default=None, check=at_least(2), doc="number of symbols; the task's if none")
    length: int | None = shape(default=None, check=at_least(1), doc="number of lags; the task's if none")

    @property
    def inputs(self) -> int | None:
        return self.length

    @property
    def outputs(self) -> int | None:
        return self.states

    @property
    def size(self) -> int:
        return (self.states or 0) ** 2 + (self.length or 0)

    def init(self, key: Key, scheme: Init) -> Params:
        match = jnp.full((self.states or 0, self.states or 0), self.match, jnp.float32)
        return {"lags": {"weight": jnp.full(self.length or 0, self.lags, jnp.float32)}, "match": {"weight": match}}

    def apply(self, params: Params, x: Int[Array, "B t"]) -> Float[Array, "B t k"]:
        """Nothing is normalised, so sums over positions are running sums, and no [t, t] array a sequence is made."""
        hot = one_hot(x, self.states or 0, params["match"]["weight"].dtype)
        gathered = jnp.einsum("ji,bjy->biy", toeplitz(params["lags"]["weight"][: x.shape[1]]), hot)  # M E
        so_far = jnp.cumsum(gathered[..., :, None] * hot[..., None, :], axis=1)  # [B, t, gathered, copied]
        return jnp.einsum("biy,biyc->bic", hot @ params["match"]["weight"], so_far)

    def last(self, params: Params, x: Int[Array, "B t"]) -> Float[Array, "B k"]:
        """The answer at the last position."""
        return self.apply(params, x)[:, -1]
