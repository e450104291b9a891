"""The experiments of theory that train a little: their claims at smoke scale."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.studies import find_study
from assay.studies.reproduce import reproduce

STUDY = find_study("hidden-progress")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kernel", "comparison"])
def test_claims_hold_and_misprints_fail(name: str, tmp_path: Path):
    experiment = STUDY.experiment(name)
    made = reproduce(STUDY, [experiment], out=tmp_path, threads=1, progress=False, yes=True)
    assert [entry.id for entry in made.entries] == [claim.id for claim in experiment.claims]
    for entry in made.entries:
        assert entry.verdict == ("fails" if entry.kind == "errata" else "holds"), f"{entry.id}: {entry.note}"
