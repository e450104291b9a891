"""Experiments that share runs: one folder, each trial trained once, each experiment sees its own trials."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import polars as pl

import assay as ay
from assay.analysis import survival
from assay.figures import SolveTimes
from assay.report.origin import find_origin
from assay.store import Store
from assay.studies import Claim, Experiment, Study
from assay.studies.reproduce import reproduce

TRIAL = ay.Trial(
    task=ay.Parity(n=6, k=1),
    net=ay.PolyNet(),
    optimiser=ay.SGD(learning_rate=0.5),
    budget=200,
    solve=ay.Solve(sample=64),
)
SEEDS = {"few": 3, "many": 5}


def experiment(name: str, runs: str | None) -> Experiment:
    claim = Claim(id=f"C-{name}", source="Someone 2026", statement="Learnt.", kind="experiment", criterion="n > 0")
    return Experiment(
        name=name,
        title=name,
        source="figure 1",
        claims=(claim,),
        sweep=lambda scale: ay.Sweep(TRIAL, ay.seeds(SEEDS[name])),
        table=lambda runs, scale: survival.summary(runs.frame, by=["task.n"]),
        figure=lambda table: SolveTimes(table, x="task.n", line=None),
        judge=lambda table, scale: [claim.judged(True, table["n"][0])],
        runs=runs,
    )


def reproduced(folder: Path, runs: str | None) -> Study:
    study = Study(name="s", title="S", paper="P 2026", experiments=[experiment(name, runs) for name in SEEDS])
    made = reproduce(study, out=folder, progress=False)
    assert [entry.value for entry in made.entries] == [3, 5]  # whatever else is in the folder
    return study


def test_experiments_that_name_one_folder_train_no_trial_twice(tmp_path: Path):
    study = reproduced(tmp_path, "common")
    assert [place.name for place in (tmp_path / "runs").iterdir()] == ["common"]
    store = Store(tmp_path / "runs" / "common")
    plan = store.plan()
    assert plan is not None
    assert [launch["new"] for launch in plan["launches"]] == [3, 2]
    assert store.runs().height == 5
    origin = find_origin(tmp_path, study)
    assert [(row["experiment"], row["trials"]) for row in origin.runs] == [("few, many", 5)]
    assert origin.trials == 5
    assert pl.read_parquet(tmp_path / "few.parquet")["n"].to_list() == [3]


def test_stages_are_run_until_nothing_more_is_asked_for(tmp_path: Path):
    asked = []

    def then(runs: ay.Runs, scale: str) -> ay.Sweep | None:
        asked.append(runs.frame.height)
        return ay.Sweep(TRIAL, ay.seeds(1, first=runs.frame.height)) if runs.frame.height < 5 else None

    staged = dataclasses.replace(experiment("few", None), then=then)
    study = Study(name="s", title="S", paper="P 2026", experiments=[staged])
    for _ in range(2):  # the second time nothing is trained again
        made = reproduce(study, out=tmp_path, progress=False)
        assert [entry.value for entry in made.entries] == [5]
        assert asked == [3, 4, 5]
        asked.clear()
    plan = Store(tmp_path / "runs" / "few").plan()
    assert plan is not None
    assert sum(launch["new"] for launch in plan["launches"]) == 5


def test_an_experiment_has_its_own_folder_otherwise(tmp_path: Path):
    study = reproduced(tmp_path, None)
    assert sorted(place.name for place in (tmp_path / "runs").iterdir()) == ["few", "many"]
    assert [row["trials"] for row in find_origin(tmp_path, study).runs] == [3, 5]


def test_claims_are_undecided_until_trials_that_failed_have_been_tried_again(tmp_path: Path, monkeypatch):
    study = Study(name="s", title="S", paper="P 2026", experiments=[experiment("few", None)])

    def broken(*_: object) -> None:
        raise RuntimeError("out of luck")

    with monkeypatch.context() as patched:
        patched.setattr("assay.engine.xla.tile.Tile.run", broken)
        (entry,) = reproduce(study, out=tmp_path, progress=False, engine="xla").entries
    assert entry.verdict == "undecided"
    assert entry.note.startswith("3 of 3 trials failed (RuntimeError: out of luck)")
    (entry,) = reproduce(study, out=tmp_path, progress=False, engine="xla").entries
    assert (entry.verdict, entry.note) == ("holds", "")
    store = Store(tmp_path / "runs" / "few")
    assert "failed" not in store.outcomes().values()
    assert store.runs().height == 3
    assert store.problems == []
