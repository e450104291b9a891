"""How a sweep shows where it stands: a display on a terminal, a line now and then elsewhere, or nothing."""

from __future__ import annotations

import collections
import sys
import time
from collections.abc import Callable
from typing import Literal, Protocol, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from assay.store import Status
from assay.store.pulse import duration
from assay.sweep.crew import Crew

WINDOW = 10.0
"""Seconds over which the rate is taken."""
FIRST_LINE, LAST_WAIT = 2.0, 60.0
"""Seconds before the first of the plain lines, and between the last ones."""
COLOURS = {"solved": "green", "censored": "yellow", "diverged": "magenta", "failed": "red"}


class Meter:
    """Turns what a crew has done into a status."""

    def __init__(self, total: int, before: collections.Counter[str]) -> None:
        self.total, self.before = total, before
        self._began = time.monotonic()
        self._seen: collections.deque[tuple[float, int]] = collections.deque([(self._began, 0)])

    def status(self, crew: Crew) -> Status:
        now = time.monotonic()
        running, steps = crew.progress()
        self._seen.append((now, steps))
        while self._seen[0][0] < now - WINDOW and len(self._seen) > 2:
            self._seen.popleft()
        since, first = self._seen[0]
        ended = crew.outcomes.total()
        left = self.total - self.before.total() - ended
        counts = self.before + crew.outcomes
        return Status(
            total=self.total,
            solved=counts["solved"],
            censored=counts["censored"],
            diverged=counts["diverged"],
            failed=counts["failed"],
            running=running,
            alive=True,
            steps_per_second=max(steps - first, 0) / (now - since) if now > since else None,
            eta=left * (now - self._began) / ended if ended else None,
        )


class Display(Protocol):
    """Shows statuses inside a `with` block."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def show(self, status: Status) -> None: ...

    def say(self, text: str) -> None: ...


class Silence:
    """Shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def show(self, status: Status) -> None:
        pass

    def say(self, text: str) -> None:
        pass


class Lines(Silence):
    """A line now and then; the time to the next grows by half each time."""

    def __init__(self) -> None:
        self._wait = FIRST_LINE
        self._next = time.monotonic() + self._wait

    def show(self, status: Status) -> None:
        if time.monotonic() >= self._next:
            self.say(status.line())
            self._wait = min(self._wait * 1.5, LAST_WAIT)
            self._next = time.monotonic() + self._wait

    def say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


class Screen:
    """A bar and the counts, kept up to date in place."""

    def __init__(self) -> None:
        self._live = Live(console=Console(stderr=True), refresh_per_second=8)
        self._note = ""

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._live.stop()

    def show(self, status: Status) -> None:
        bar = ProgressBar(total=status.total, completed=status.done, width=60)
        self._live.update(Group(bar, counts(status), Text(self._note, style="bold")))

    def say(self, text: str) -> None:
        self._note = text


def counts(status: Status) -> Text:
    """The numbers of a status, coloured."""
    parts = [Text(f"{status.done:,} of {status.total:,}")]
    parts += [Text(f"{getattr(status, name):,} {name}", style=colour) for name, colour in COLOURS.items()]
    parts += [Text(f"{status.running:,} running"), Text(f"{status.waiting:,} waiting")]
    if status.steps_per_second is not None:
        parts.append(Text(f"{status.steps_per_second:,.0f} run-steps/s"))
    if status.eta is not None:
        parts.append(Text(f"about {duration(status.eta)} left"))
    return Text("  ").join(parts)


def find_display(progress: bool | Literal["plain"]) -> Display:
    """The display for a wish: True is a screen on a terminal and lines elsewhere."""
    makers: dict[bool | str, Callable[[], Display]] = {False: Silence, "plain": Lines}
    return makers.get(progress, Screen if sys.stderr.isatty() else Lines)()
