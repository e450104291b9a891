"""The runs of Morwani et al. 2023, appendix D.2, and smaller ones of the same kind.

What the paper does not say is chosen: PyTorch's initialisation of linear layers, the penalty's power r = nu,
minibatches of S_5 drawn with replacement, float64 where lambda = 1e-7 leaves gradients of 1e-6.
"""

from __future__ import annotations

from collections.abc import Sequence

import assay as ay

MARGINS = ("margin/normalised", "margin/least", "margin/mean", "margin/weighted", "margin/mass")
MEASURES = (*MARGINS, "train/loss", "train/error", "weights/snapshot")
LONG = tuple(range(1000, 10_001, 1000))
"""Steps at which the rate of Z_71 doubles, from 0.05 to 51.2."""
SHORT = (*range(200, 2601, 200), 5000, 10_000)
"""Steps at which the rate of S_3 and S_4 doubles, from 0.05 to 1638.4."""


def pairs(
    group: str,
    width: int,
    budget: int,
    doublings: Sequence[int],
    penalty: float,
    *,
    relu: bool = False,
    precise: bool = False,
    every: int = 1000,
) -> ay.Trial:
    """Gradient descent on the whole table of a group, from 0.05, with a quadratic net and L_{2,3}, or a ReLU net and
    L_2."""
    return ay.Trial(
        task=ay.Composition(group=group),
        net=ay.PairNet(width=width, activation="relu" if relu else "power"),
        loss=ay.CrossEntropy(),
        penalty=ay.Penalty(weight=penalty, b=2.0 if relu else 3.0),
        optimiser=ay.SGD(learning_rate=0.05, schedule=ay.Jumps(at=tuple(doublings))),
        data=ay.Population(),
        batch="all",
        budget=budget,
        solve=None,
        record=ay.Record(measures=MEASURES, every=every, ends=("weights/snapshot",)),
        precision="float64" if precise else "float32",
    )


Z7 = pairs("Z7", 48, 4000, range(100, 1001, 100), 1e-4, precise=True, every=200)
Z13 = pairs("Z13", 96, 6000, range(200, 2001, 200), 1e-4, precise=True, every=300)
Z23 = pairs("Z23", 160, 14_000, LONG, 1e-4, every=500)
Z23_RELU = pairs("Z23", 160, 14_000, LONG, 1e-4, relu=True, every=500)
E1 = pairs("Z71", 500, 40_000, LONG, 1e-4)
E2 = pairs("Z71", 500, 40_000, LONG, 1e-4, relu=True)
E3 = ay.Trial(
    task=ay.Parity(n=10, k=4),
    net=ay.MLP(width=40, activation="power", hidden_bias=False, output_bias=False, outputs=2),
    loss=ay.CrossEntropy(),
    penalty=ay.Penalty(weight=1e-3, b=5.0),
    optimiser=ay.SGD(learning_rate=0.1),
    data=ay.Population(),
    batch="all",
    budget=30_000,
    solve=None,
    record=ay.Record(measures=MEASURES, every=500, ends=("weights/snapshot",)),
)
"""Quartic: printed as quadratic, which cannot learn it."""
E3_LONG = E3.replace(
    optimiser=ay.SGD(learning_rate=0.1, schedule=ay.Jumps(at=(10_000, 20_000, 30_000))),
    budget=100_000,
    record=E3.record.replace(every=5000),
)
"""Rates up to 0.8, until neurons that the penalty alone works on are below a tenth of the others."""
E4 = pairs("S3", 30, 50_000, SHORT, 1e-7, precise=True)
E5 = pairs("S4", 200, 50_000, SHORT, 1e-7, precise=True)
E6 = pairs("S5", 2000, 75_000, range(3000, 24_001, 3000), 1e-5, every=2500).replace(
    batch=1000, data=ay.Population(order="replacement")
)
S5_SMALL = pairs("S5", 500, 9000, range(300, 2401, 300), 1e-5, every=500).replace(
    batch=1000, data=ay.Population(order="replacement")
)
