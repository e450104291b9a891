"""The two implementations that are timed on a table of pairs train the same net."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from bench import peers
from bench.pairs import Pairs
from bench.peers.base import Unavailable
from bench.workloads import WORKLOADS

SMALL = Pairs(name="small", p=7, width=10, learning_rate=0.5, penalty=1e-3, horizon=50)


@pytest.mark.slow
def test_both_take_the_same_steps_from_the_same_weights():
    import torch

    ours, theirs = (peers.choose((name,))[name](SMALL) for name in ("assay", "torch"))
    ours.start(3)
    theirs.start(0)
    hidden, output = ours.tables(start=True)  # type: ignore[attr-defined]
    with torch.no_grad():
        theirs.hidden.weight[:] = torch.tensor(hidden)  # type: ignore[attr-defined]
        theirs.output.weight[:] = torch.tensor(output.T.copy())  # type: ignore[attr-defined]
    ours.train(20)
    theirs.train(20)
    for one, other in zip(ours.tables(), theirs.tables(), strict=True):  # type: ignore[attr-defined]
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    assert not np.allclose(ours.tables()[1], output)  # type: ignore[attr-defined]


def test_the_others_say_that_they_train_parities_only():
    with pytest.raises(Unavailable, match="parities only"):
        peers.choose(("jax-vmap",))["jax-vmap"](WORKLOADS["modular"])
