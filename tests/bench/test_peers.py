"""Every peer trains the net, the loss and the initialisation that the workloads state."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from bench import peers
from bench.check import SMALL, SMALL_OFFLINE, progress

NEEDS_TORCH = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
OLD_TORCH_INSIDES = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")  # PyTorch's own compiler


def marks(name):
    found = [NEEDS_TORCH] if name.startswith("torch") else []
    return [*found, OLD_TORCH_INSIDES, pytest.mark.slow] if name.endswith("compiled") else found


@pytest.fixture(scope="module", params=[pytest.param(name, marks=marks(name)) for name in peers.PEERS])
def trainer(request):
    return peers.choose((request.param,))[request.param](SMALL)


def test_a_peer_solves_a_small_parity(trainer):
    solves(trainer, SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in peers.PEERS])
def test_a_peer_solves_a_small_parity_from_a_fixed_sample(name):
    solves(peers.choose((name,))[name](SMALL_OFFLINE), SMALL_OFFLINE)


def solves(trainer, workload):
    seen = progress(trainer, workload)
    assert 0.4 < seen.error_before < 0.6
    assert 0.9 < seen.loss_before < 1.1
    assert seen.error_after == 0
    assert seen.loss_after < 0.05


def test_the_first_step_is_the_mean_hinge_gradient_times_the_learning_rate(trainer):
    """At the start every margin is below 1, so c moves by rate * mean(y), and w_ji by rate * u_j * mean(+-1 or 0):
    whole multiples of rate / batch and of rate * u_j / batch."""
    trainer.start(0)
    before = trainer.weights()
    done = trainer.train(1)
    after = trainer.weights()
    assert done == len(before.offset), "one step of every net that is trained"
    quantum = SMALL.learning_rate / SMALL.batch
    offset = (after.offset - before.offset) / quantum
    hidden = (after.hidden - before.hidden) / (quantum * before.output[:, :, None])
    certain = np.abs(before.output) > 0.02  # float32 cannot tell the multiples of a tiny quantum apart
    for moves in (offset, hidden[certain]):
        np.testing.assert_allclose(moves, np.round(moves), atol=0.02)
        assert np.abs(moves).max() <= SMALL.batch + 0.02
    assert (np.round(hidden[certain]) % 2 == 1).any(), "a common factor: the step is a multiple of what it should be"


def test_initial_weights_fill_the_default_range_of_a_linear_layer(trainer):
    trainer.start(0)
    weights = trainer.weights()
    for w, fan_in in ((weights.hidden, SMALL.n), (weights.bias, SMALL.n), (weights.output, SMALL.width)):
        scaled = w * fan_in**0.5
        assert 0.8 < np.abs(scaled).max() <= 1
    scaled = weights.hidden * SMALL.n**0.5
    # the square of a uniform number on +-1 has mean 1/3 and variance 4/45
    assert abs((scaled**2).mean() - 1 / 3) < 4 * (4 / 45 / scaled.size) ** 0.5
