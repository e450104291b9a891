"""`python -m bench`: the options are the arguments of `bench.harness.main`."""

from __future__ import annotations

import sys

import tyro

from assay.errors import AssayError
from bench.harness import main

if __name__ == "__main__":
    try:
        tyro.cli(main, prog="python -m bench")
    except AssayError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
