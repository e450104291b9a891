"""A reproduction of a study with two experiments, as `assay reproduce` leaves it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import assay as ay
from assay.figures import SolveTimes
from assay.studies import Claim, Experiment, Judgement, Study
from assay.studies.reproduce import reproduce

EVIL = '<script>alert("1")</script> & "quotes"'

TRIAL = ay.Trial(
    task=ay.Parity(n=6, k=1),
    net=ay.MLP(width=16),
    optimiser=ay.SGD(learning_rate=0.5),
    budget=400,
    solve=ay.Solve(sample=64),
)
CLAIMS = {
    "holds": Claim(id="C-holds", source="Someone 2026", statement=EVIL, kind="theorem", criterion="a < b & c"),
    "fails": Claim(id="C-fails", source="Someone 2026", statement="No.", kind="experiment", criterion="x > 0"),
    "errata": Claim(
        id="C-errata", source="Someone 2026, as printed", statement="2 + 2 = 5", kind="errata", criterion="="
    ),
    "open": Claim(id="C-open", source="Someone 2026", statement="Who knows.", kind="experiment", criterion="-"),
}
TIMES = pl.DataFrame({"n": list(range(2, 42)), "solved_fraction": 1.0, "what": EVIL, "empty": None}).with_columns(
    q50=pl.col("n") * 2.0, q50_low=pl.col("n") * 1.5, q50_high=pl.col("n") * 3.0
)


def draw(table: pl.DataFrame) -> SolveTimes:
    return SolveTimes(table.drop("what", "empty"), x="n", line=None, title="Times", caption=f"Caption {EVIL}")


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    return [
        CLAIMS["holds"].judged(True, 0.123456, (0.1, math.inf), note=EVIL),
        CLAIMS["fails"].judged(False, -1.0),
        CLAIMS["errata"].judged(False, 4.0),
        CLAIMS["open"].judged(None),
    ]


def learnt(runs: ay.Runs | None, scale: str) -> pl.DataFrame:
    assert runs is not None
    return TIMES.head(5)


STUDY = Study(
    name="page",
    title=f"A study {EVIL}",
    paper="Someone 2026, a paper",
    experiments=(
        Experiment(
            name="theory", title="Theory", source="Lemma 1", claims=tuple(CLAIMS.values()), sweep=None,
            table=lambda runs, scale: TIMES, figure=draw, judge=judge,
        ),
        Experiment(
            name="training", title="Training", source="figure 2", claims=(),
            sweep=lambda scale: ay.Sweep(TRIAL, ay.seeds(3)), table=learnt, figure=draw, judge=lambda table, scale: [],
        ),
    ),
)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def only_study() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("assay.studies.base.all_studies", lambda: {STUDY.name: STUDY})
        yield


@pytest.fixture(scope="session")
def reproduction(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both experiments at smoke scale."""
    folder = tmp_path_factory.mktemp("reproduction")
    assert not reproduce(STUDY, scale="smoke", out=folder, progress=False).interrupted
    return folder
