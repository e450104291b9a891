"""One-hidden-layer quadratic networks on pairs of group elements, as plain arrays, with their exact margins.

f(a, b)[c] = sum_i (u_i(a) + v_i(b))^2 w_i(c). Margins are over all n^2 inputs, a block of first elements at a time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
from jaxtyping import Bool, Float

from assay.maths.groups import Group

Array = np.ndarray
BLOCK = 1 << 22
"""Hidden values held at a time."""


@dataclasses.dataclass(frozen=True, eq=False)
class PairNetwork:
    """Neurons as rows: u, v read the two elements, w writes the logits."""

    u: Float[Array, "m n"]
    v: Float[Array, "m n"]
    w: Float[Array, "m n"]

    @property
    def width(self) -> int:
        return len(self.u)

    @property
    def norms(self) -> Float[Array, " m"]:
        """||omega_i||_2, omega_i = (u_i, v_i, w_i)."""
        return np.sqrt((self.u**2).sum(1) + (self.v**2).sum(1) + (self.w**2).sum(1))

    @property
    def mass(self) -> float:
        """rho = sum_i ||omega_i||^3, the norm L_{2,3} to the third."""
        return float((self.norms**3).sum())

    def scaled(self, factor: float | Float[Array, " m"]) -> PairNetwork:
        """Every neuron times its factor."""
        column = np.broadcast_to(factor, self.width)[:, None]
        return PairNetwork(self.u * column, self.v * column, self.w * column)

    def unit(self) -> PairNetwork:
        """The same up to scale, with mass 1."""
        return self.scaled(self.mass ** (-1 / 3))

    def only(self, which: Bool[Array, " m"]) -> PairNetwork:
        return PairNetwork(self.u[which], self.v[which], self.w[which])

    def logits(self, sigma: Callable[[Array], Array] = np.square) -> Iterator[tuple[Array, Float[Array, "A n n"]]]:
        """(first elements, logits[a, b, c]) in blocks."""
        n = self.u.shape[1]
        size = max(1, BLOCK // (self.width * n))
        for first in range(0, n, size):
            a = np.arange(first, min(n, first + size))
            hidden = sigma(self.u.T[a][:, None] + self.v.T[None])
            yield a, (hidden.reshape(-1, self.width) @ self.w).reshape(len(a), n, n)

    def answers(self, group: Group, sigma: Callable[[Array], Array] = np.square) -> Answers:
        """What it answers to every input; `sigma` is its activation."""
        n, numbers = group.order, np.arange(group.order)
        margin, correct, low, entropy, right = [], [], [], [], 0
        by_quotient = np.zeros(n)
        for a, logits in self.logits(sigma):
            label = group.table[a]
            own = np.take_along_axis(logits, label[..., None], axis=2)
            shifted = group.table[label[..., None], numbers]  # c -> ab c
            aligned = np.take_along_axis(logits, shifted, axis=2)  # [..., 0] is the right answer
            by_quotient += aligned.sum(axis=(0, 1))
            rest = aligned[..., 1:]
            margin.append(own[..., 0] - rest.max(axis=2))
            low.append(rest.min(axis=2))
            correct.append(own[..., 0])
            right += int((margin[-1] > 0).sum())
            highest = aligned.max(axis=2)
            entropy.append(np.log(np.exp(aligned - highest[..., None]).sum(axis=2)) + highest - own[..., 0])
        margins, own_logits, lowest = (np.concatenate(each) for each in (margin, correct, low))
        return Answers(
            margins=margins, correct=own_logits, highest=own_logits - margins, lowest=lowest,
            by_quotient=by_quotient / n**2, accuracy=right / n**2, loss=float(np.concatenate(entropy).mean()),
        )  # fmt: skip


@dataclasses.dataclass(frozen=True, eq=False)
class Answers:
    """Of each input (a, b): the margin g, the right logit, the highest and the lowest wrong one. Over all inputs: the
    mean logit at c = ab x for each x (`by_quotient`), the accuracy and the mean cross-entropy."""

    margins: Float[Array, "n n"]
    correct: Float[Array, "n n"]
    highest: Float[Array, "n n"]
    lowest: Float[Array, "n n"]
    by_quotient: Float[Array, " n"]
    accuracy: float
    loss: float

    @property
    def margin(self) -> float:
        """min g."""
        return float(self.margins.min())

    @property
    def spread(self) -> float:
        """(max g - min g) / min g: 0 where every input is on the margin."""
        return float((self.margins.max() - self.margins.min()) / self.margins.min())

    @property
    def wrong_spread(self) -> float:
        """Largest difference between wrong logits of one input, over the margin: condition C.1 for full support."""
        return float((self.highest - self.lowest).max() / self.margins.min())

    def weighted(self, tau: Float[Array, " n"]) -> float:
        """E[f(ab) - sum_x tau(x) f(ab x)], the expected class-weighted margin; tau(identity) is not read."""
        return float(self.by_quotient[0] - self.by_quotient[1:] @ tau[1:])


def lookup_network(group: Group, balanced: bool = False) -> PairNetwork:
    """The dense classifier of appendix D.4: two neurons for each pair (a, b), together 1[x = a, y = b] at c = ab.

    Weights are 1, 1 and 1/4 as printed; `balanced` makes them 1, 1, 1, the best scaling of such a neuron."""
    n = group.order
    a, b = np.divmod(np.arange(n * n), n)
    one = np.eye(n)
    u, v, w = one[a], one[b], one[group.table[a, b]] * (1.0 if balanced else 0.25)
    return PairNetwork(np.concatenate([u, u]), np.concatenate([v, -v]), np.concatenate([w, -w]))
