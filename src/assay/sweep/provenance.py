"""Where and with what a sweep was launched."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import time
from typing import Any

from assay import __version__

PACKAGES = ("jax", "jaxlib", "optax", "numpy", "scipy", "polars")


def provenance() -> dict[str, Any]:
    """Version, time, machine, packages, and the git state of the current folder if it has one."""
    return {
        "assay": __version__,
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "host": {
            "name": platform.node(),
            "platform": platform.platform(),
            "machine": platform.machine(),
            "cpus": os.cpu_count(),
            "python": platform.python_version(),
        },
        "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        "git": _git(),
    }


def _git() -> dict[str, Any] | None:
    commit = _asked("rev-parse", "HEAD")
    return {"commit": commit, "changed": bool(_asked("status", "--porcelain"))} if commit else None


def _asked(*question: str) -> str | None:
    try:
        answer = subprocess.run(["git", *question], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None
