"""Whoever trains the parts of a plan, the rows are the same; who is lost costs what he had not written."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from assay.errors import StoreError
from assay.store import Store, request_stop, status
from assay.store.place import Place
from assay.sweep import Processes, Runs, Sweep, axis, make_plan, run, seeds
from assay.sweep.executors import _cut
from tests.sweep.test_launch import SWEEP, full, interrupt, same
from tests.sweep.toy import BASE, RECORDED, WIDE, Toy


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(3) as made:
        yield made


def spread(sweep: Sweep, executor: Executor, folder: Path | None = None) -> Runs:
    return run(sweep, folder, executor=executor, threads=3, progress=False)


class Mortal(Executor):
    """Runs calls in place; a worker dies when it comes to a trial in `deadly`, as often as that says."""

    def __init__(self, toy: Toy, deadly: dict[int, int]) -> None:
        self.toy, self.deadly = toy, deadly
        self.calls = 0

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        seeds = [seed for _, own in args[4] for seed in own]
        killer = next((seed for seed in seeds if self.deadly.get(seed, 0)), None)
        if killer is None:
            future.set_result(function(*args, **kwargs))
        else:
            self.deadly[killer] -= 1
            future.set_exception(BrokenProcessPool("a worker died"))
        return future


def test_rows_are_the_same_whoever_trains_them(toy: Toy, pool: ThreadPoolExecutor) -> None:
    sweep = SWEEP + Sweep(WIDE, axis("optimiser.learning_rate", 0.1, 0.2), seeds(5))
    runs = spread(sweep, pool)
    assert sorted(toy.trained) == sorted(trial.seed for trial in sweep.trials())
    same(runs, run(sweep, progress=False))


def test_parts_hold_trials_of_one_shape_and_share_the_work(toy: Toy) -> None:
    packs = make_plan(Sweep(BASE, seeds(60)) + Sweep(WIDE, seeds(7)), calibrate=False).packs
    parts = _cut(packs, 8)
    assert sorted(trial.identity for part in parts for trial in part.pack.trials) == sorted(
        trial.identity for pack in packs for trial in pack.trials
    )
    assert all(len({trial.pack_key for trial in part.pack.trials}) == 1 for part in parts)
    assert 7 <= len(parts) <= 10
    assert len(_cut(packs[:1], 100)) == len(packs[0].trials)


def test_a_lost_worker_costs_its_part_which_runs_again(toy: Toy, tmp_path: Path) -> None:
    mortal = Mortal(toy, {3: 1})
    runs = spread(SWEEP, mortal, tmp_path)
    assert runs.missing == 0
    assert runs.problems == []
    assert sorted(toy.trained) == list(range(30))
    same(runs, run(SWEEP, progress=False))


def test_a_trial_that_kills_its_workers_is_found_and_reported_and_the_others_end(toy: Toy, tmp_path: Path) -> None:
    runs = spread(SWEEP, Mortal(toy, {7: 1000}), tmp_path)
    assert runs.missing == 1
    assert 7 not in runs.frame["seed"].to_list()
    (problem,) = runs.problems
    assert "1 trials were not trained, their worker was lost repeatedly (BrokenProcessPool: a worker died)" in problem
    assert not runs.interrupted
    same(run(SWEEP, tmp_path, progress=False), run(SWEEP, progress=False))


def test_where_every_worker_dies_the_run_gives_up_soon(toy: Toy, tmp_path: Path) -> None:
    mortal = Mortal(toy, dict.fromkeys(range(30), 1000))
    runs = spread(SWEEP, mortal, tmp_path)
    assert runs.missing == 30
    assert mortal.calls < 60


def test_an_executor_that_takes_no_work_is_an_error(toy: Toy, pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    class Closed(Executor):
        def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            raise BrokenExecutor("closed")

    with pytest.raises(BrokenExecutor):
        spread(SWEEP, Closed(), tmp_path)
    same(spread(SWEEP, pool, tmp_path), run(SWEEP, progress=False))


@pytest.mark.parametrize("ask", [lambda folder: interrupt(), request_stop])
def test_workers_stop_on_request_and_go_on_later(
    toy: Toy, pool: ThreadPoolExecutor, tmp_path: Path, ask: Callable[[Path], object]
) -> None:
    seen = []
    toy.pace = 0.06
    toy.at(1, lambda: (seen.append(status(tmp_path)), ask(tmp_path)))
    sweep = Sweep(RECORDED, seeds(60))
    stopped = spread(sweep, pool, tmp_path)
    assert stopped.interrupted
    assert 0 < stopped.missing < 60
    assert 1 <= len(Store(tmp_path).suspended()) <= 3
    assert seen[0].alive
    assert Place(tmp_path).names("workers") == []
    toy.pace = 0.0
    same(spread(sweep, pool, tmp_path), run(sweep, progress=False))


def test_a_full_disk_on_a_worker_stops_all_and_says_what_is_not_saved(
    toy: Toy, pool: ThreadPoolExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        full(patched, "runs-")
        with pytest.raises(StoreError, match=r"cannot be written \(No space left on device\): \d+ trials"):
            spread(SWEEP, pool, tmp_path)
    same(spread(SWEEP, pool, tmp_path), run(SWEEP, progress=False))


@pytest.mark.slow
def test_a_process_that_dies_takes_its_own_call_with_it_and_is_replaced() -> None:
    executor = Processes(2)
    first, second = executor.submit(os.getpid), executor.submit(threading.get_ident)
    assert first.result() != os.getpid()
    assert second.result()
    dying, living = executor.submit(os._exit, 1), executor.submit(pow, 2, 10)
    with pytest.raises(BrokenProcessPool):
        dying.result()
    assert living.result() == 1024
    assert [future.result() for future in [executor.submit(pow, 3, i) for i in range(6)]] == [3**i for i in range(6)]
    executor.shutdown()


@pytest.mark.slow
def test_processes_give_the_rows_of_the_inline_engine(tmp_path: Path) -> None:
    sweep = Sweep(RECORDED.replace(solve={"sample": 64}, budget=200), seeds(12))
    runs = run(sweep, tmp_path, executor="processes", threads=2, progress=False)
    assert runs.missing == 0
    same(runs, run(sweep, threads=1, progress=False))
    assert "failed" not in runs.frame["outcome"].to_list(), runs.frame["message"][0]


PARENT = """
import os, signal, time
from assay.sweep import Processes
executor = Processes(1)
worker = executor.submit(os.getpid).result()
os.kill(worker, signal.SIGINT)
print(executor.submit(os.getpid).result() == worker != os.getpid(), flush=True)
time.sleep(60)
"""


def test_workers_leave_interrupts_to_their_parent_and_do_not_outlive_it() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent, parent.stdout:
        assert parent.stdout.readline() == "True\n"
        parent.kill()
        parent.communicate(timeout=20)  # the worker has the pipe as well: its end comes when both are gone
