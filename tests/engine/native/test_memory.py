"""Memory: a large pack of small trials stays small, and training does not grow."""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest

from assay.engine.native.engine import Native

PACK = """
import re
import assay as ay
from assay.engine.base import Control
from assay.engine.native.engine import Native

trial = ay.Trial(task=ay.Parity(n=30, k=3), net=ay.MLP(width=10), batch=8, budget=20, solve=None)
pack = [trial.reseeded(seed) for seed in range(100_000)]
ended = sum(1 for _ in Native().run(pack, Control()))
with open("/proc/self/status") as file:  # getrusage would start from what the parent process has
    print(ended, 1024 * int(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1]))
"""
SOAK = """
import os
import assay as ay
from assay.engine.base import Control
from assay.engine.native.engine import Native

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

base = ay.Trial(task=ay.Parity(n=30, k=3), net=ay.MLP(width=64), batch=8, budget=30, solve=ay.Solve(sample=128),
                record=ay.Record(measures=("eval/loss", "weights/movement_l2"), every=30))
engine, sizes = Native(threads=2), []
for turn in range(60):
    for _ in engine.run([base.reseeded(1000 * turn + seed) for seed in range(1000)], Control()):
        pass
    sizes.append(resident())
print(*sizes)
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(Native().missing), reason="the kernels are not built"),
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]


def told(program: str) -> list[int]:
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return [int(word) for word in run.stdout.split()]


def test_a_pack_of_100_000_small_trials_takes_less_than_2_gib():
    ended, largest = told(PACK)
    assert ended == 100_000
    assert largest < 2 << 30


def test_tens_of_thousands_of_trials_leave_nothing_behind():
    """From the second 20,000 of 60,000 trials to the third, each with its tables and records, less than 4 MiB comes
    on top in the middle: the allocator's unrest, and not what one trial in 500 would leave behind."""
    sizes = told(SOAK)
    assert statistics.median(sizes[40:]) - statistics.median(sizes[20:40]) < 4 << 20, sizes
