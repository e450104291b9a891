"""Lanes on other platforms, and several devices: tried on a CPU that is asked to look like two."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import assay as ay
from assay.engine.xla import program
from assay.engine.xla.engine import Xla
from tests.engine.trials import WAYS, assert_same, results

TWO_DEVICES = """
import jax
from assay.engine.xla.engine import Xla
from tests.engine.trials import WAYS, assert_same, results

assert len(jax.local_devices()) == 2
pack = [WAYS["relu, wide"].replace(seed=seed, budget=60) for seed in range(6)]
both, one = Xla(), Xla(threads=1)
assert both.threads >= 2
many, few = results(both, pack), results(one, pack)
for identity, result in many.items():
    assert_same(result, few[identity])
print("same on both devices")
"""


@pytest.mark.slow
def test_two_devices_share_a_pack_and_give_the_same_numbers():
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    run = subprocess.run(
        [sys.executable, "-c", TWO_DEVICES], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert "same on both devices" in run.stdout, run.stderr


@pytest.mark.parametrize(("width", "lanes"), [(1, 4096), (100, 1024), (1000, 128), (10**6, 1)])
def test_accelerators_get_as_many_lanes_as_fill_them(width: int, lanes: int):
    trial = ay.Trial(task=ay.Parity(n=50, k=3), net=ay.MLP(width=width))
    assert program.num_lanes(trial, "gpu") == lanes
    assert program.num_lanes(trial, "cpu") in (1, 4, 8)


@pytest.mark.parametrize(("d", "length", "lanes"), [(8, 100, 512), (16, 100, 512), (64, 100, 64), (8, 200, 128)])
def test_attention_over_long_sequences_leaves_room_for_fewer(d: int, length: int, lanes: int):
    task = ay.MarkovChains(states=2, length=length)
    net = ay.SequenceTransformer(d=d)
    trial = ay.Trial(task=task, net=net, loss=ay.SequenceCrossEntropy(), batch=64, solve=None)
    assert program.num_lanes(trial, "gpu") == lanes


@pytest.mark.slow
def test_many_lanes_train_as_few_do(monkeypatch: pytest.MonkeyPatch):
    """What an accelerator's program does, on the CPU: the same outcomes, not the same bits as another program."""
    pack = [WAYS["neuron"].replace(seed=seed) for seed in range(40)]
    few = results(Xla(threads=1), pack)
    monkeypatch.setattr(program, "num_lanes", lambda trial, platform: 32)
    many = results(Xla(threads=1), pack)
    for identity, result in many.items():
        assert (result.outcome, result.step) == (few[identity].outcome, few[identity].step)
    alone = results(Xla(threads=1), pack[:1])
    assert_same(alone[pack[0].identity], many[pack[0].identity])
