"""Both implementations of the Markov workloads train: their loss falls from that of guessing to about the same."""

from __future__ import annotations

import math

import pytest

from bench.markov import MarkovWorkload
from bench.peers import choose
from bench.peers.base import Unavailable
from bench.workloads import WORKLOADS

SMALL = MarkovWorkload(name="check", states=2, length=20, d=8, runs=2, horizon=60)


def test_markov_workloads_are_known_and_parity_peers_decline_them():
    assert {"markov", "markov-single", "markov-minimal"} <= WORKLOADS.keys()
    with pytest.raises(Unavailable, match="parities only"):
        choose(("torch-bmm",))["torch-bmm"](SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("d", [8, None])
def test_both_implementations_learn(d: int | None):
    torch = pytest.importorskip("torch")
    from bench.peers.assay_markov import AssayMarkov
    from bench.peers.torch_markov import TorchMarkov

    workload = MarkovWorkload(name="check", states=2, length=20, d=d, runs=4)
    ours, theirs = AssayMarkov(workload), TorchMarkov(workload)
    ours.start(0)
    theirs.start(0)
    assert ours.train(3) == 3 * 4
    found, reference = ours.losses(300).mean(), theirs.losses(300).mean()
    assert found < math.log(2) - 0.05
    assert abs(found - reference) < 0.06
    assert torch is not None
