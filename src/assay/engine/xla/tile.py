"""A tile: the lanes of one program at work. Trials enter free lanes, leave when they end, and never wait for others."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Set
from typing import Any

import jax
import numpy as np

from assay.engine.base import Arrays, Control, Result, Suspended
from assay.engine.records import Records
from assay.engine.xla.program import Program
from assay.trial import Outcome, Trial

CHUNK_SECONDS = 0.2
"""About how long a program runs before it looks up: the delay of progress, of a request to stop, of a free lane."""

Take = Callable[[], Trial | Suspended | None]
"""Hands out the next trial of the pack, or None."""


@dataclasses.dataclass
class Passenger:
    """A trial in a lane."""

    trial: Trial
    offset: int  # the tile's clock when the trial was at step 0
    records: Records
    began: float
    spent: float = 0.0  # seconds before it was suspended


class Tile:
    """Runs the trials that `take` hands out, in the lanes of one program."""

    def __init__(self, program: Program, take: Take, control: Control, name: str) -> None:
        self.program, self.take, self.control, self.name = program, take, control, name
        self.seats: list[Passenger | None] = [None] * program.lanes
        self.tau = 0
        self.chunk = program.solve.every if program.solve else 100
        self.every = self.chunk
        self.state: Any = None
        self.start: Any = None
        self.given: Any = None

    def run(self) -> Iterator[Result | Suspended]:
        """Until no trial is left, or the outside asks to stop."""
        while True:
            if not self.control.stop.is_set() and self.tau % self.every == 0 and None in self.seats:
                self._board()
            if not any(self.seats):
                return
            stopping = self.control.stop.is_set()
            if stopping and self.tau % self.every == 0:  # elsewhere its checks would come at other steps later on
                yield from self._suspend_all()
                return
            self._advance(self.every if stopping else self.chunk)
            yield from self._look()

    # -- entering ----------------------------------------------------------------------------------------------------

    def _board(self) -> None:
        """Fills the free lanes."""
        if self.tau >= 2**30:  # programs count in 32 bits; here the clock may start again
            for seat in self.seats:
                if seat is not None:
                    seat.offset -= self.tau
            self.tau = 0
        entering: dict[int, Trial | Suspended] = {}
        for lane, seat in enumerate(self.seats):
            if seat is None and (item := self.take()) is not None:
                entering[lane] = item
        if entering:
            self._seat(entering)
            self._record(among=set(entering))

    def _seat(self, entering: dict[int, Trial | Suspended]) -> None:
        now = time.perf_counter()
        new = {lane: item.trial if isinstance(item, Suspended) else item for lane, item in entering.items()}
        filler = next(iter(new.values()))
        old = {lane: seat.trial for lane, seat in enumerate(self.seats) if seat}
        self.given = self.program.given([new.get(i) or old.get(i) or filler for i in range(self.program.lanes)])
        fresh = self.program.start(self.given)
        began = fresh["params"]
        for lane, item in entering.items():
            if isinstance(item, Suspended):
                fresh = _with_lane(fresh, lane, item.state)
        where = np.array([lane in entering for lane in range(self.program.lanes)])
        if self.state is None:
            self.state, self.start = fresh, jax.tree.map(lambda leaf: leaf.copy(), began)
        else:
            self.start = self.program.merge(self.start, began, where)
            self.state = self.program.merge(self.state, fresh, where)
        for lane, item in entering.items():
            trial = new[lane]
            step = item.step if isinstance(item, Suspended) else 0
            seat = Passenger(trial, self.tau - step, Records(trial), now)
            if isinstance(item, Suspended):
                seat.spent = float(item.state["spent"])
                seat.records.restore(item.state)
            self.seats[lane] = seat
        self.control.count(running=len(entering))

    # -- going on ----------------------------------------------------------------------------------------------------

    def _active(self) -> np.ndarray:
        return np.array([seat is not None for seat in self.seats])

    def _advance(self, chunk: int) -> None:
        """Trains up to the next event or the next multiple of `chunk`."""
        seats = [seat for seat in self.seats if seat]
        event = min(seat.offset + seat.records.next_event(self.tau - seat.offset) for seat in seats)
        until = min(event, (self.tau // chunk + 1) * chunk)
        began = time.perf_counter()
        self.state, clock = self.program.advance(
            self.state, self.given, self._active(), np.int32(self.tau), np.int32(until)
        )
        done, elapsed = int(clock) - self.tau, time.perf_counter() - began
        self.tau += done
        self.control.count(steps=done * len(seats))
        if done == self.chunk and elapsed < CHUNK_SECONDS / 2:
            self.chunk *= 2
        elif elapsed > CHUNK_SECONDS * 2 and self.chunk > self.every:
            self.chunk //= 2

    def _look(self) -> Iterator[Result]:
        """Records what is due and hands out the trials that have ended."""
        streak, bad, loss = (np.asarray(self.state[name]) for name in ("streak", "bad", "loss"))
        ended: dict[int, tuple[Outcome, int]] = {}
        for lane, seat in enumerate(self.seats):
            if seat is None:
                continue
            step = self.tau - seat.offset
            if self.program.solve and streak[lane] >= self.program.solve.streak:
                ended[lane] = Outcome.SOLVED, step
            elif bad[lane] >= 0:
                ended[lane] = Outcome.DIVERGED, int(bad[lane])
            elif step >= seat.trial.budget:
                ended[lane] = Outcome.CENSORED, step
        self._record(among=set(range(self.program.lanes)), ended=set(ended))
        for lane, (outcome, step) in ended.items():
            seat = self.seats[lane]
            assert seat is not None
            self.seats[lane] = None
            curves, arrays = seat.records.columns()
            yield Result(
                trial=seat.trial, outcome=outcome, step=step, engine=self.name,
                seconds=seat.spent + time.perf_counter() - seat.began,
                quantity="loss" if outcome is Outcome.DIVERGED else None,
                final={"loss": float(loss[lane])}, curves=curves, arrays=arrays,
            )  # fmt: skip
        self.control.count(running=-len(ended))

    def _record(self, among: set[int], ended: Set[int] = frozenset()) -> None:
        """Records the lanes in `among` whose moment it is, and in any case those that have ended."""
        if not self.program.template.record.measures:
            return
        due = []
        for lane in sorted(among):
            if (seat := self.seats[lane]) is None:
                continue
            step = self.tau - seat.offset
            if seat.records.due(step) or (lane in ended and seat.records.missing(step)):
                due.append((lane, seat, step))
        if not due:
            return
        measured = jax.tree.map(np.asarray, self.program.measure(self.state, self.start, self.given))
        for lane, seat, step in due:
            seat.records.add(step, jax.tree.map(lambda leaf, i=lane: leaf[i], measured))

    # -- stopping ----------------------------------------------------------------------------------------------------

    def _suspend_all(self) -> Iterator[Suspended]:
        leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(self.state)]
        for lane, seat in enumerate(self.seats):
            if seat is None:
                continue
            state: Arrays = {f"leaf_{i}": np.asarray(leaf[lane]) for i, leaf in enumerate(leaves)}
            state["spent"] = np.array(seat.spent + time.perf_counter() - seat.began)
            yield Suspended(seat.trial, self.tau - seat.offset, state | seat.records.state())
        self.control.count(running=-sum(seat is not None for seat in self.seats))
        self.seats = [None] * self.program.lanes


def _with_lane(tile: Any, lane: int, state: Arrays) -> Any:
    """The tile with one lane taken from a suspended trial."""
    leaves, tree = jax.tree.flatten(tile)
    return tree.unflatten([leaf.at[lane].set(state[f"leaf_{i}"]) for i, leaf in enumerate(leaves)])
