"""What can go wrong, said so that a stranger can mend it: what, the value, what is allowed, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AssayError(Exception):
    """Base of every error that Assay raises on purpose. The command line prints it on one line and exits with 2."""


class ConfigError(AssayError):
    """A field of a config is unknown, missing, of the wrong type or out of range."""

    def __init__(self, where: str, value: object, allowed: str, advice: str = "") -> None:
        self.where, self.value, self.allowed, self.advice = where, value, allowed, advice
        super().__init__(where, value, allowed, advice)

    def __str__(self) -> str:
        tail = f"; {self.advice}" if self.advice else ""
        return f"{self.where} must be {self.allowed}, got {self.value!r}{tail}"


class UnknownName(AssayError):
    """A name that no registry, field list or study knows; carries the closest known ones."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.what, self.name, self.known = what, name, sorted(known)
        super().__init__(what, name, self.known)

    def __str__(self) -> str:
        close = difflib.get_close_matches(self.name, self.known, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
        return f"unknown {self.what} {self.name!r}: {hint}known: {', '.join(self.known)}"


class StoreError(AssayError):
    """A store cannot be read or written: newer schema, no permission, held by another process, disk full."""


class PlanError(AssayError):
    """A sweep cannot be planned: an empty axis, or more trials than the guard allows."""
