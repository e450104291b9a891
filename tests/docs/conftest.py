"""Pages and examples add tasks, nets, losses and measures: other tests must not meet them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import assay.trial  # noqa: F401  # which imports every family
from assay.config import Config
from assay.measures import MEASURES


@pytest.fixture
def own_names() -> Iterator[None]:
    """What is registered during a test is forgotten after it."""
    registries: list[dict[str, Any]] = [
        MEASURES,
        *(family.members for family in Config.__subclasses__() if family.family),
    ]
    before = [dict(registry) for registry in registries]
    yield
    for registry, known in zip(registries, before, strict=True):
        registry.clear()
        registry.update(known)
