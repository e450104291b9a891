"""One engine for all tests of a module: programs are compiled once."""

from __future__ import annotations

import pytest

from assay.engine.xla.engine import Xla


@pytest.fixture(scope="module")
def xla() -> Xla:
    return Xla(threads=2)
