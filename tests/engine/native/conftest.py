"""Engines of each instruction set that this machine runs; without built kernels the tests here are skipped."""

from __future__ import annotations

import pytest

from assay.engine.native import library
from assay.engine.native.engine import Native


def isas() -> list[str]:
    found = []
    for isa in library.ISAS:
        try:
            library.library(isa)
        except OSError:
            continue
        found.append(isa)
    return found


def engine_of(isa: str, threads: int = 1) -> Native:
    engine = Native(threads=threads)
    engine.kernels, engine.missing = library.library(isa), ""
    return engine


BUILT = isas()
PARAMS = [isa if isa == BUILT[0] else pytest.param(isa, marks=pytest.mark.slow) for isa in BUILT]
NONE = [pytest.param("none", marks=pytest.mark.skip("the kernels are not built"))]


@pytest.fixture(scope="session", params=PARAMS or NONE)
def isa(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def native(isa: str) -> Native:
    """One thread, for each instruction set."""
    return engine_of(isa)
