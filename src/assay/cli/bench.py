"""`assay bench`: the speed table, from a checkout of the repository."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import assay
from assay.cli.options import parse
from assay.errors import AssayError

ROOT = Path(assay.__file__).parents[2]


def main(args: Sequence[str]) -> int:
    """The options are those of `bench.harness.main`."""
    if not (ROOT / "bench" / "harness.py").is_file():
        raise AssayError(
            f"the bench is part of the repository, not of the installed package in {Path(assay.__file__).parent}: "
            "clone the repository and run `make bench` there"
        )
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from bench import harness

    return parse(harness.main, "bench", args)
