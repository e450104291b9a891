"""The toy engine takes the place of the real ones where a test asks for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay.sweep import engines
from tests.sweep.toy import Toy


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Toy]:
    engine = Toy()
    monkeypatch.setattr(engines, "ENGINES", {"toy": lambda threads: engine})
    engines.find_engine.cache_clear()
    yield engine
    engines.find_engine.cache_clear()
