"""The folder of a store, wherever fsspec finds it: whole files in, whole files out, never half a file."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import BinaryIO

import fsspec
from fsspec.implementations.local import LocalFileSystem

PART = ".part"
"""Ending of a file that is still being written."""


class Place:
    """A folder; `local` is its path where it lies on this machine's own filesystem."""

    def __init__(self, address: str | Path) -> None:
        self.address = str(address)
        self.files, self.root = fsspec.core.url_to_fs(os.path.expanduser(self.address))
        self.local = Path(self.root) if isinstance(self.files, LocalFileSystem) else None

    def names(self, folder: str = "") -> list[str]:
        """Names in the folder, or in one inside it, sorted; none where there is no such folder."""
        path = self._path(folder)
        self.files.invalidate_cache(path)  # buckets remember their listings
        try:
            found = self.files.ls(path, detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(name.rstrip("/").rpartition("/")[2] for name in found)

    def exists(self, name: str) -> bool:
        return self.files.exists(self._path(name))

    def read(self, name: str) -> bytes:
        return self.files.cat_file(self._path(name))

    def open(self, name: str) -> BinaryIO:
        return self.files.open(self._path(name), "rb")

    def size(self, name: str) -> int:
        return int(self.files.size(self._path(name)) or 0)

    def write(self, name: str, data: bytes, durable: bool = True) -> None:
        """Writes a whole file or none: on a disk under another name first, and `durable` once this returns.
        Object stores show a file when its upload is complete."""
        if self.local is None:
            self.files.pipe_file(self._path(name), data)
            return
        target = self.local / name
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.{os.getpid()}{PART}")
        try:
            with part.open("wb") as file:
                file.write(data)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        if durable:
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def remove(self, name: str) -> None:
        """Removes a file; one that is gone already is no error."""
        with contextlib.suppress(FileNotFoundError):
            self.files.rm_file(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self.root.rstrip('/')}/{name}" if name else self.root
