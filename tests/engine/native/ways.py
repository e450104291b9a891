"""Trials that cover what the kernels know: each net and activation under each loss, other options dealt out."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import assay as ay
from assay.engine.native.spec import ACTIVATIONS
from assay.losses import Correlation, Hinge, Logistic, Square
from assay.nets import Sparse
from assay.optim import Rate

STEPS = 200
MOMENTS = (1, 2, 3, 7, 20, 60, 117, STEPS)
LOSSES = (Hinge(), Square(), Logistic(), Correlation())
INITS = (
    ay.Uniform(), ay.Uniform(scale=0.5), ay.Gaussian(scale=0.3), ay.Gaussian(scale=0.3, biases="zero"),
    ay.Sign(scale=0.7), ay.Sign(scale=0.7, biases="uniform"), Sparse(nonzeros=2), ay.Uniform(seed=77),
)  # fmt: skip
DATA = (
    (ay.Online(), None), (ay.Offline(samples=150), None), (ay.Offline(samples=150, order="replacement"), None),
    (ay.Offline(samples=47), "all"), (ay.Population(), None), (ay.Population(order="replacement"), None),
    (ay.Population(), "all"),
)  # fmt: skip
BATCHES = (1, 2, 3, 5, 8, 9, 16, 31, 32, 33, 70, 128)
SIZES = (5, 12, 31, 32, 33, 50, 64, 70, 130, 1024)
WIDTHS = (1, 10, 16, 17, 33, 48, 100)
DECAYS = ((0.0, "coupled"), (0.02, "coupled"), (0.002, "paper"))
RATES = (None, None, (0.0, 1.0), (2.0, 0.5), (0.5, 3.0))

Make = Callable[[int], Any]
"""A net of a width."""


def nets() -> Iterator[tuple[str, Make]]:
    """Every net with every activation."""
    for name in ACTIVATIONS:
        for again in ("", ", again", ", once more"):
            yield f"mlp {name}{again}", lambda width, a=name: ay.MLP(width=width, activation=a)
        yield (
            f"mlp {name}, no biases",
            lambda width, a=name: ay.MLP(width=width, activation=a, scale=0.7, hidden_bias=False, output_bias=False),
        )
        yield f"neuron {name}", lambda width, a=name: ay.Neuron(activation=a, scale=1.1)
        yield f"neuron {name}, second layer", lambda width, a=name: ay.Neuron(activation=a, second_layer=True)
    yield "polynet", lambda width: ay.PolyNet()
    yield "disjoint polynet", lambda width: ay.DisjointPolyNet()


class Deal:
    """Deals options out: each as often as any other, in shuffled order."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.left: dict[int, list[Any]] = {}

    def next(self, options: tuple[Any, ...]) -> Any:
        left = self.left.setdefault(id(options), [])
        if not left:
            left.extend(self.dice.sample(options, len(options)))
        return left.pop()


def way(name: str, net: Any, loss: ay.Loss, deal: Deal) -> ay.Trial:
    """A trial with this net and loss; budget and records as for a comparison of trajectories."""
    source, batch = deal.next(DATA)
    disjoint, small = isinstance(net, ay.DisjointPolyNet), isinstance(source, ay.Population)
    k = deal.dice.choice((2, 3, 4))
    n = deal.dice.choice((5, 7, 9)) if small else deal.next(SIZES)
    size = deal.next(BATCHES) if n < 1024 else 9
    if disjoint:
        n = k * max(2, n // k)
        task: ay.Task = ay.DisjointParity(n=n, k=k)
    else:
        task = ay.Parity(n=n, k=k, subset=deal.dice.choice(("first", "random")), noise=deal.dice.choice((0.0, 0.1)))
    init = deal.next(INITS)
    if disjoint and isinstance(init, Sparse):
        init = ay.Uniform()
    factors = deal.next(RATES)
    layer = {"mlp": "hidden_1", "neuron": "neuron"}.get(net.kind, "factors")
    rates = (Rate(layer=layer, learning_rate=factors[0], weight_decay=factors[1]),) if factors else ()
    decay, rule = deal.next(DECAYS)
    return ay.Trial(
        task=task, net=net, init=init, loss=loss, data=source,
        batch=batch or (min(size, 32) if small else size),
        optimiser=ay.SGD(learning_rate=0.01 / k**2 / (1 + n / 100), weight_decay=decay, decay=rule, rates=rates),
        budget=STEPS, solve=None, seed=deal.dice.randrange(10**6),
        record=ay.Record(measures=("weights/snapshot",), steps=MOMENTS),
    )  # fmt: skip


def ways() -> dict[str, ay.Trial]:
    deal = Deal(seed=5)
    return {
        f"{name}, {loss.kind}": way(name, net_of(deal.next(WIDTHS)), loss, deal)
        for loss, (name, net_of) in itertools.product(LOSSES, nets())
    }
