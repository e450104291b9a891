"""Interleaved timing: every implementation in turn, round after round, so that a machine that slows down or
speeds up on the way treats all of them alike.

Only training steps are timed: drawing inputs, gradients, updates. Initialisation and warm-up (imports,
compilation, first calls) are not; the warm-up is reported apart. A run starts afresh when it reaches the
workload's horizon. Peers use one thread. The reported number is the median over rounds of model-steps per CPU
second of this process (one step of one net is one model-step); a ratio is the median over rounds of the ratio to
the plain PyTorch loop in the same round.
"""

from __future__ import annotations

import json as json_module
import os
import statistics
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from typing import TYPE_CHECKING, Annotated

import tyro

from assay.errors import ConfigError
from bench import peers
from bench.peers import REFERENCE
from bench.peers.base import Prepare, Trainer, Unavailable
from bench.workloads import AnyWorkload, choose

if TYPE_CHECKING:
    from rich.table import Table

LEAST_ROUNDS = 5
GROWTH = 8
"""Largest factor between two calls of the calibration: a first call may be slow for reasons of its own."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One implementation on one workload; the rates are None when it could not run, and the note says why."""

    workload: str
    implementation: str
    model_steps_per_cpu_second: float | None
    model_steps_per_second: float | None
    ratio_to_torch: float | None
    rounds: int
    spread: float | None
    """(largest - smallest) / median of the CPU rate over the rounds."""
    warmup_seconds: float | None
    note: str


@dataclass(frozen=True)
class Sample:
    """What one sample consists of: `repeats` fresh starts with `steps` timed steps each."""

    steps: int
    repeats: int


def main(
    workloads: Annotated[tuple[str, ...], tyro.conf.arg(aliases=["--workload"])] = (),
    implementations: tuple[str, ...] = (),
    rounds: int = LEAST_ROUNDS,
    sample_seconds: float = 0.5,
    budget: float | None = None,
    json: bool = False,
) -> None:
    """Time Assay and its peers on the same training, and print one table.

    Args:
        workloads: names of the workloads, for example W1 W2a, or markov; all of parities by default.
        implementations: names of the implementations; all by default.
        rounds: how often every implementation is timed, at least 5.
        sample_seconds: about how long one timing takes.
        budget: seconds for all timings together (warm-up and calibration apart); shortens the samples.
        json: print a list of rows instead of the table.
    """
    table = measure(choose(workloads), peers.choose(implementations), rounds, sample_seconds, budget)
    if json:
        print(json_module.dumps([asdict(row) for row in table], indent=2))
    else:
        from rich.console import Console

        Console(width=None if sys.stdout.isatty() else 160).print(render(table))


def measure(
    workloads: Iterable[AnyWorkload],
    implementations: Mapping[str, Prepare],
    rounds: int = LEAST_ROUNDS,
    sample_seconds: float = 0.5,
    budget: float | None = None,
) -> list[Row]:
    """One row for every workload and implementation."""
    if rounds < LEAST_ROUNDS:
        raise ConfigError("bench.rounds", rounds, f">= {LEAST_ROUNDS}")
    for name, seconds in (("sample_seconds", sample_seconds), ("budget", budget)):
        if seconds is not None and not seconds > 0:
            raise ConfigError(f"bench.{name}", seconds, "> 0")
    one_thread()
    workloads = list(workloads)
    if budget is not None:
        sample_seconds = min(sample_seconds, budget / (rounds * len(workloads) * len(implementations)))
    return [row for workload in workloads for row in _measure_one(workload, implementations, rounds, sample_seconds)]


def one_thread() -> None:
    """Ask the libraries for one thread each; those that are loaded already keep what they have."""
    os.environ["NPROC"] = "1"  # the thread pool of XLA's CPU client
    os.environ["OMP_NUM_THREADS"] = "1"


def _measure_one(
    workload: AnyWorkload, implementations: Mapping[str, Prepare], rounds: int, sample_seconds: float
) -> list[Row]:
    seeds = count()
    ready: dict[str, tuple[Trainer, Sample]] = {}
    warmups: dict[str, float] = {}
    notes: dict[str, str] = {}
    for name, prepare in implementations.items():
        _say(f"{workload.name} {workload.title}: preparing {name}")
        try:
            start = time.perf_counter()
            trainer = prepare(workload)
            trainer.start(next(seeds))
            trainer.train(2)
            warmups[name] = time.perf_counter() - start
            ready[name] = trainer, calibrate(trainer, workload.horizon, sample_seconds, seeds)
            notes[name] = trainer.note
        except Unavailable as error:
            notes[name] = str(error)
    cpu_rates: dict[str, list[float]] = {name: [] for name in ready}
    wall_rates: dict[str, list[float]] = {name: [] for name in ready}
    for turn in range(rounds):
        _say(f"{workload.name}: round {turn + 1} of {rounds}")
        order = list(ready)
        shift = turn % max(1, len(order))
        for name in order[shift:] + order[:shift]:
            trainer, sample = ready[name]
            done, cpu, wall = timed(trainer, sample, seeds)
            cpu_rates[name].append(done / cpu)
            wall_rates[name].append(done / wall)
    reference = cpu_rates.get(REFERENCE)
    rows = []
    for name in implementations:
        cpu_rate = cpu_rates.get(name)
        ratio = (
            [own / torch for own, torch in zip(cpu_rate, reference, strict=True)] if cpu_rate and reference else None
        )
        rows.append(
            Row(
                workload=workload.name,
                implementation=name,
                model_steps_per_cpu_second=statistics.median(cpu_rate) if cpu_rate else None,
                model_steps_per_second=statistics.median(wall_rates[name]) if cpu_rate else None,
                ratio_to_torch=statistics.median(ratio) if ratio else None,
                rounds=len(cpu_rate or ()),
                spread=(max(cpu_rate) - min(cpu_rate)) / statistics.median(cpu_rate) if cpu_rate else None,
                warmup_seconds=warmups.get(name),
                note=notes[name],
            )
        )
    return rows


def calibrate(trainer: Trainer, horizon: int, sample_seconds: float, seeds: Iterable[int]) -> Sample:
    """The sample whose steps take so long on a core: as many as fit, no more than the horizon, then repeated. What a
    call costs however few its steps are does not count, so that it weighs no more than in a run of that length. Of two
    timings the shorter counts: among very short calls threads may get into each other's way."""

    def cost(steps: int) -> float:
        return min(timed(trainer, Sample(steps, 1), seeds)[1] for _ in range(2))

    first = cost(1)
    steps, spent = 1, 0.0
    while spent < sample_seconds / 4 and steps < horizon:
        wanted = int(steps * sample_seconds / 2 / spent) if spent > 0 else 0
        steps = min(horizon, max(steps + 1, min(wanted, GROWTH * steps)))
        spent = cost(steps) - first
    per_step = max(spent, 0.0) / max(1, steps - 1) or first
    steps = max(1, min(horizon, round(sample_seconds / per_step)))
    return Sample(steps, max(1, round(sample_seconds / (first + per_step * (steps - 1)))))


def timed(trainer: Trainer, sample: Sample, seeds: Iterable[int]) -> tuple[int, float, float]:
    """Model-steps done, CPU seconds and wall seconds of one sample."""
    done, cpu, wall = 0, 0.0, 0.0
    for _, seed in zip(range(sample.repeats), seeds, strict=False):
        trainer.start(seed)
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        done += trainer.train(sample.steps)
        cpu += time.process_time() - cpu_start
        wall += time.perf_counter() - wall_start
    return done, cpu, wall


def render(rows: Iterable[Row]) -> Table:
    """The rows as a table for the terminal."""
    from rich.table import Table

    table = Table(title="Model-steps per second (one step of one net), medians over rounds")
    for column in ("workload", "implementation"):
        table.add_column(column)
    for column in ("per CPU s", "per s", "x torch", "spread", "warm-up s"):
        table.add_column(column, justify="right")
    table.add_column("note")
    last = None
    for row in rows:
        if last is not None and row.workload != last:
            table.add_section()
        last = row.workload
        table.add_row(
            row.workload,
            row.implementation,
            _number(row.model_steps_per_cpu_second, ",.0f"),
            _number(row.model_steps_per_second, ",.0f"),
            _number(row.ratio_to_torch, ".2f"),
            _number(row.spread, ".0%"),
            _number(row.warmup_seconds, ".1f"),
            row.note,
        )
    return table


def _number(number: float | None, form: str) -> str:
    return "-" if number is None else format(number, form)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
