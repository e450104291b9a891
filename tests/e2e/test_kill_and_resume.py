"""A sweep that is killed at random moments and started again ends with the store of one that was left alone."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assay.store import TIMING, Store

pytestmark = pytest.mark.e2e

SCRIPT = """
import sys
from assay.nets import PolyNet
from assay.store import write
from assay.sweep import Sweep, axis, run, seeds
from assay.tasks import Parity
from assay.trial import Record, Solve, Trial

write.PERIOD = 0.1  # seconds: many fragments, as in a long run
base = Trial(
    task=Parity(n=10, k=2),
    net=PolyNet(),
    budget=180,
    solve=Solve(sample=256),
    record=Record(measures=("train/loss", "weights/first_layer"), points=4),
)
rates = axis("optimiser.learning_rate", 0.03, 0.1)
run(Sweep(base, rates, seeds(int(sys.argv[2]) // 2)), sys.argv[1], threads=1, progress=False)
"""


def start(folder: Path, trials: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder), str(trials)])


def finish(folder: Path, trials: int) -> Store:
    assert start(folder, trials).wait() == 0
    return Store(folder)


def kill_at(folder: Path, trials: int, rows: int, moment: random.Random) -> None:
    """Starts the sweep and kills it some time after so many rows are there."""
    process = start(folder, trials)
    while len(Store(folder).outcomes()) < rows:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    time.sleep(moment.uniform(0, 0.15))
    process.kill()
    assert process.wait() == -9, "it ended before it could be killed"


@pytest.mark.parametrize(
    ("trials", "kills"), [(300, 1), pytest.param(2000, 3, marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_a_killed_sweep_ends_as_one_that_was_left_alone(tmp_path: Path, trials: int, kills: int) -> None:
    moment = random.Random(trials)
    for fraction in sorted(moment.uniform(0.05, 0.7) for _ in range(kills)):
        kill_at(tmp_path / "killed", trials, round(fraction * trials), moment)
    killed, alone = finish(tmp_path / "killed", trials), finish(tmp_path / "alone", trials)

    assert killed.planned() == alone.planned()
    assert killed.runs()["trial"].to_list() == killed.planned()  # none missing
    rows = sum(pl.read_parquet(file).height for file in (tmp_path / "killed").glob("runs-*.parquet"))
    assert rows == trials  # none twice
    assert set(killed.runs()["outcome"]) == {"solved", "censored"}
    assert_frame_equal(killed.runs().drop(TIMING), alone.runs().drop(TIMING), check_exact=True)
    assert_frame_equal(killed.curves(), alone.curves(), check_exact=True)
    arrays, others = killed.arrays("weights/first_layer"), alone.arrays("weights/first_layer")
    assert list(arrays) == list(others) == killed.planned()
    assert all(np.array_equal(arrays[trial], others[trial]) for trial in arrays)
    assert killed.problems == []
