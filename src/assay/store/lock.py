"""One writer a store: an advisory lock that ends with its process, however that ends."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import time
from typing import BinaryIO, Self

from assay.errors import StoreError
from assay.store.place import Place

LOCK = "lock"
PATIENCE = 0.5
"""Seconds to try for: another shell that asks for the status holds the lock for some microseconds."""


class Lock:
    """Held inside a `with` block. On a filesystem that is not local there is nothing to lock, and one writer at a time
    is up to the caller."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.file: BinaryIO | None = None

    def __enter__(self) -> Self:
        if self.place.local is None:
            return self
        file = (self.place.local / LOCK).open("a+b")
        deadline = time.monotonic() + PATIENCE
        while not _taken(file, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                file.seek(0)
                holder = file.read().decode(errors="replace")
                file.close()
                raise StoreError(
                    f"{self.place.address} is in use by {_who(holder)}; "
                    f"wait for it, end it with `assay stop {self.place.address}`, or use another folder"
                )
            time.sleep(0.02)
        file.truncate(0)
        file.write(json.dumps({"pid": os.getpid(), "host": platform.node(), "since": time.time()}).encode())
        file.flush()
        self.file = file
        return self

    def __exit__(self, *exception: object) -> None:
        if self.file is not None:
            self.file.close()  # and with it the lock; the file stays, or two could hold one lock on two files
            self.file = None


def held(place: Place) -> bool:
    """Whether a process of this machine holds the lock of a local store."""
    if place.local is None or not (place.local / LOCK).exists():
        return False
    with (place.local / LOCK).open("rb") as file:
        return not _taken(file, fcntl.LOCK_SH)


def _taken(file: BinaryIO, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _who(holder: str) -> str:
    try:
        found = json.loads(holder)
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(found["since"]))
        return f"process {found['pid']} on {found['host']} since {since}"
    except (ValueError, KeyError, TypeError):
        return "another process"
