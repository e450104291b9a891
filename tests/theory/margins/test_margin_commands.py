"""`assay theory max-margin`."""

from __future__ import annotations

import pytest

from assay.errors import ConfigError, UnknownName
from assay.theory.margins.commands import max_margin


@pytest.mark.parametrize("group", ["S4", "Z7", "A5", "Q8", "G16.3"])
def test_a_group_is_answered_with_its_certificate(group: str):
    found = max_margin(group=group, starts=5)
    assert found["value"] == found["gamma"]
    assert abs(found["gap"]) < 1e-10
    assert found["network_error"] < 1e-10
    assert found["neuron"] == pytest.approx(found["dual"], rel=1e-7)
    assert found["width"] > 0
    assert found["irreps_used"]
    assert found["classes_on_margin"]


def test_a_parity_is_answered():
    found = max_margin(parity="10,4", penalty=1e-3)
    assert found["value"] == pytest.approx(0.6071573107523288, rel=1e-12)
    assert found["width"] == 8
    assert found["optimum_mass"] == pytest.approx(10.552684, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "exactly one of the two"),
        ({"group": "S4", "parity": "6,2"}, "exactly one of the two"),
        ({"parity": "2,6"}, "n,k with 1 <= k <= n"),
        ({"parity": "ten"}, "n,k with 1 <= k <= n"),
        ({"group": "T5"}, "did you mean"),
        ({"group": "Z1"}, "two elements or more"),
    ],
)
def test_wrong_questions_are_refused(options: dict[str, str], words: str):
    with pytest.raises((ConfigError, UnknownName), match=words):
        max_margin(**options)  # type: ignore[arg-type]
