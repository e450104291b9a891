"""Exit codes of every command."""

from __future__ import annotations

OK = 0
FAILED = 1
"""A claim, a trial, or a check of `assay doctor` failed."""
USAGE = 2
"""Wrong input; nothing was started."""
INTERRUPTED = 3
"""Stopped on request; what was done is kept."""
