"""The net and the algorithm of Daniely and Malach 2020, sections 2 and 3, that the experiments share."""

from __future__ import annotations

import assay as ay

SOURCE = "Daniely and Malach 2020"


def trial(n: int, k: int, q: int, rate: float, *, batches: int = 1, then: str = "sgd", hint: float = 0.5) -> ay.Trial:
    """2q neurons on the (n, k)-parity, output 0 at the start; after step 1 the learning rate is `rate`."""
    return ay.Trial(
        task=ay.EasyParity(n=n, k=k, hint=hint),
        net=ay.MLP(width=2 * q, activation="relu6", output_bias=False),
        init=ay.Ternary(coordinates=n, degree=k),
        optimiser=ay.TwoStage(learning_rate=rate, batches=batches, then=then),
    )


def exact(n: int, k: int, q: int, rate: float, steps: int) -> ay.Trial:
    """The same by gradients of the whole population, to the end of its steps."""
    return trial(n, k, q, rate).replace(data=ay.Population(), batch="all", budget=steps, solve=None)
