"""A real engine that is stopped and goes on, however often, gives the bits of one that was left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.nets import PolyNet
from assay.optim import SGD
from assay.store import Store, request_stop
from assay.store.place import Place
from assay.store.pulse import Status
from assay.sweep import Sweep, axis, launch, run, seeds
from assay.tasks import Parity
from assay.trial import Record, Solve, Trial
from tests.sweep.test_launch import same

BASE = Trial(
    task=Parity(n=12, k=3, subset="random"),
    net=PolyNet(),
    optimiser=SGD(learning_rate=0.003, momentum=0.5),
    budget=12_000,
    solve=Solve(sample=64),
    # records at steps that are no multiples of the check interval
    record=Record(measures=("train/loss", "weights/norm_l2", "weights/first_layer"), points=40),
)
SWEEP = Sweep(BASE, axis("optimiser.learning_rate", 0.001, 0.003), seeds(4))


def test_stopped_and_resumed_is_bit_identical_to_uninterrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = run(SWEEP, threads=1, progress=False)
    assert set(alone.frame["outcome"]) <= {"solved", "censored"}
    stops = 0
    beat = launch.beat

    def stop_once_it_runs(place: Place, status: Status) -> None:
        if status.running and status.steps_per_second:
            request_stop(tmp_path)
        beat(place, status)

    with monkeypatch.context() as patched:
        patched.setattr(launch, "beat", stop_once_it_runs)
        patched.setattr(launch, "TICK", 0.02)
        patched.setattr(launch, "HEARTBEAT", 0.02)
        while (runs := run(SWEEP, tmp_path, threads=1, progress=False)).interrupted:
            assert Store(tmp_path).suspended()
            stops += 1
    assert stops >= 2
    assert Store(tmp_path).suspended() == []
    same(runs, alone)
