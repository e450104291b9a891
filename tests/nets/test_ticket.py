"""Lottery tickets: cut from the net they name, and trained alike by both engines."""

from __future__ import annotations

import numpy as np
import pytest

import assay as ay
from assay.engine.native.engine import Native
from assay.engine.native.spec import refusal
from assay.errors import ConfigError
from assay.maths import streams
from tests import light

TASK = ay.Parity(n=12, k=2)
TICKET = ay.Ticket(width=20, kept=(17, 3, 8))
TRIAL = ay.Trial(
    task=TASK,
    net=TICKET,
    init=ay.Sparse(nonzeros=2, seed=4),
    optimiser=ay.SGD(learning_rate=0.1),
    budget=40,
    solve=ay.Solve(sample=256, every=20),
    record=ay.Record(measures=("weights/first_layer", "eval/error"), every=20),
    seed=9,
)


def test_a_ticket_starts_at_the_rows_of_the_whole_net():
    key = streams.stream(4, "init")
    whole = light.jit(lambda k: ay.MLP(width=20).completed(TASK).init(k, ay.Sparse(nonzeros=2)))(key)
    cut = light.jit(lambda k: TICKET.completed(TASK).init(k, ay.Sparse(nonzeros=2)))(key)
    rows = [17, 3, 8]
    np.testing.assert_array_equal(cut["hidden_1"]["weight"], whole["hidden_1"]["weight"][rows, :])
    np.testing.assert_array_equal(cut["hidden_1"]["bias"], np.asarray(whole["hidden_1"]["bias"])[rows])
    np.testing.assert_array_equal(cut["output"]["weight"], np.asarray(whole["output"]["weight"])[:, rows])
    np.testing.assert_array_equal(cut["output"]["bias"], whole["output"]["bias"])


def test_neurons_that_the_whole_net_does_not_have_are_refused():
    with pytest.raises(ConfigError, match="below the width 20, got 20"):
        ay.Ticket(width=20, kept=(20,))
    with pytest.raises(ConfigError, match="different neurons"):
        ay.Ticket(width=20, kept=(1, 1))


def test_the_kernels_do_not_say_how_far_a_ticket_has_moved():
    moved = TRIAL.replace(record=ay.Record(measures=("weights/movement_l2",), every=20))
    assert "ticket" in (refusal(moved) or "")


@pytest.mark.skipif(bool(Native().missing), reason="no kernels on this machine")
def test_both_engines_train_a_ticket_alike(tmp_path):
    assert refusal(TRIAL) is None
    native, xla = (
        ay.run([TRIAL], tmp_path / engine, engine=engine, progress=False, threads=1) for engine in ("native", "xla")
    )
    for runs, engine in ((native, "native"), (xla, "xla")):
        assert runs.frame["engine"].to_list() == [engine]
    first, second = (next(iter(runs.arrays("weights/first_layer").values())) for runs in (native, xla))
    assert first.shape == (3, 3, 12)
    assert set(np.unique(first[0])) == {0.0, 1.0}
    np.testing.assert_allclose(first, second, rtol=1e-3, atol=1e-5)
