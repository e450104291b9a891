"""What every study, experiment and claim keeps to, at every scale, without running a long sweep."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
from collections import Counter

import polars as pl
import pytest

import assay as ay
import assay.studies
from assay.errors import UnknownName
from assay.figures import Display
from assay.studies import Claim, Experiment, Judgement, Study, all_studies
from assay.studies.base import check_scale
from assay.studies.claims import KINDS, SCALES, Entry
from assay.studies.ledger import ledger, recorded
from assay.sweep.axes import Axis, Product, Union, Values, Zipped

STUDIES = list(all_studies().values())
EXPERIMENTS = [(study, experiment) for study in STUDIES for experiment in study.experiments]
CLAIMS = [(study, experiment, claim) for study, experiment in EXPERIMENTS for claim in experiment.claims]
TRAINED = [pair for pair in EXPERIMENTS if pair[1].sweep is not None]
THEORY = [pair for pair in EXPERIMENTS if pair[1].sweep is None]

each_study = pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
each_experiment = pytest.mark.parametrize(("study", "experiment"), EXPERIMENTS, ids=lambda item: item.name)
each_trained = pytest.mark.parametrize(("study", "experiment"), TRAINED, ids=lambda item: item.name)
each_theory = pytest.mark.parametrize(("study", "experiment"), THEORY, ids=lambda item: item.name)
each_claim = pytest.mark.parametrize(
    ("study", "experiment", "claim"), CLAIMS, ids=lambda item: getattr(item, "id", item.__class__.__name__)
)
each_scale = pytest.mark.parametrize("scale", SCALES)

NAME = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"
LARGEST = {"smoke": 5000, "desk": 200_000}
"""Points of an experiment: seconds, and a laptop's two hours."""


# -- studies and experiments -----------------------------------------------------------------------------------------


def test_every_package_of_studies_is_a_study():
    packages = [found.name for found in pkgutil.iter_modules(assay.studies.__path__) if found.ispkg]
    assert len(packages) == len(STUDIES) > 0
    assert sorted(study.name.replace("-", "_") for study in STUDIES) == sorted(packages)


@each_study
def test_a_study_names_its_paper_and_is_found_by_its_name(study: Study):
    assert isinstance(study, Study)
    assert re.fullmatch(NAME, study.name)
    assert study.title
    assert re.search(r"\d{4}", study.paper), "a year"
    assert ay.find_study(study.name) == study
    with pytest.raises(UnknownName, match=f"did you mean '{study.name}'"):
        ay.find_study(study.name + "s")


@each_study
def test_names_of_experiments_are_unique_and_found(study: Study):
    assert study.experiments
    names = [experiment.name for experiment in study.experiments]
    assert len(set(names)) == len(names)
    for experiment in study.experiments:
        assert study.experiment(experiment.name) is experiment
    with pytest.raises(UnknownName, match=f"experiment of {study.name}"):
        study.experiment("no such figure")


@each_experiment
def test_an_experiment_is_four_functions_with_the_agreed_arguments(study: Study, experiment: Experiment):
    assert isinstance(experiment, Experiment)
    assert re.fullmatch(NAME, experiment.name)
    assert experiment.title
    assert experiment.source
    assert experiment.claims, f"{experiment.name} shows something: what does it claim?"
    arguments = {
        "sweep": ["scale"], "then": ["runs", "scale"], "table": ["runs", "scale"], "figure": ["table"],
        "judge": ["table", "scale"],
    }  # fmt: skip
    for name, expected in arguments.items():
        function = getattr(experiment, name)
        if function is not None:
            assert list(inspect.signature(function).parameters) == expected, f"{experiment.name}.{name}"


@each_experiment
def test_the_module_of_an_experiment_names_its_source_and_what_it_makes(study: Study, experiment: Experiment):
    doc = inspect.getdoc(inspect.getmodule(experiment.judge)) or ""
    assert "Source" in doc, f"{experiment.name}: paper and section, figure or table"
    assert "Output" in doc, f"{experiment.name}: its table and the parts of it"


# -- claims ----------------------------------------------------------------------------------------------------------


@each_study
def test_a_claim_has_an_id_of_its_own(study: Study):
    ids = Counter(claim.id for experiment in study.experiments for claim in experiment.claims)
    assert [name for name, count in ids.items() if count > 1] == []


@each_claim
def test_a_claim_says_what_by_whom_and_how_it_is_decided_at_every_scale(
    study: Study, experiment: Experiment, claim: Claim
):
    assert re.fullmatch(r"[A-Za-z0-9]+(-[a-z0-9]+)*", claim.id)
    assert claim.kind in KINDS
    assert re.search(r"\d{4}", claim.source), "paper with its year"
    assert claim.statement.endswith(".")
    if not isinstance(claim.criterion, str):
        assert set(claim.criterion) == set(SCALES)
    for scale in SCALES:
        assert re.search(r"\d", claim.criterion_at(scale)) or "=" in claim.criterion_at(scale), "a number decides"


@each_claim
def test_a_verdict_becomes_a_row_of_the_ledger(study: Study, experiment: Experiment, claim: Claim):
    for holds, verdict in ((True, "holds"), (False, "fails"), (None, "undecided")):
        entry = Entry.of(claim.judged(holds, 0.5, (0.1, 0.9)), study.name, experiment.name, "smoke", "t.csv")
        row = json.loads(json.dumps(entry.to_json()))
        assert row["verdict"] == verdict
        assert (row["id"], row["study"], row["scale"]) == (claim.id, study.name, "smoke")
        assert row["criterion"] == claim.criterion_at("smoke")


def test_the_ledger_has_every_claim_and_no_other():
    keys = {(study.name, claim.id) for study, _, claim in CLAIMS}
    assert {(entry.study, entry.id) for entry in ledger()} == keys
    strangers = {(study, claim) for study, claim, _ in recorded()} - keys
    assert not strangers, "kept results of claims that are no more: remove them, or run that experiment again"


def test_a_scale_that_is_none_is_refused():
    with pytest.raises(UnknownName, match="unknown scale 'smok': did you mean 'smoke'"):
        check_scale("smok")


# -- sweeps ----------------------------------------------------------------------------------------------------------


def thinned(axes: Axis) -> Axis:
    """The same axes with one seed."""
    if axes.paths == {"seed"}:
        return ay.seeds(1)
    return Product(tuple(thinned(part) for part in axes.parts)) if isinstance(axes, Product) else axes


def corners(axes: Axis) -> Axis:
    """The same axes with the first, the middle and the last of their values."""
    if isinstance(axes, Values):
        last = len(axes) - 1
        return Values(axes.path, tuple(axes.values[i] for i in sorted({0, last // 2, last})))
    assert isinstance(axes, Product | Zipped | Union)
    return type(axes)(tuple(corners(part) for part in axes.parts))


def points(experiment: Experiment, scale: str) -> ay.Sweep:
    assert experiment.sweep is not None
    return experiment.sweep(scale)


@each_trained
@each_scale
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["corners", "whole"])
def test_every_point_of_a_sweep_is_a_trial_at_every_scale(
    study: Study, experiment: Experiment, scale: str, whole: bool
):
    sweep = points(experiment, scale)
    assert isinstance(sweep, ay.Sweep)
    assert 0 < len(sweep) <= LARGEST.get(scale, 10**8)
    for base, axes in sweep.parts:
        once = ay.Sweep(base, thinned(axes) if whole else corners(axes))
        assert len(once.trials()) == len(once)


@each_trained
def test_a_larger_scale_has_no_fewer_points(study: Study, experiment: Experiment):
    sizes = [len(points(experiment, scale)) for scale in SCALES]
    assert sizes == sorted(sizes)


@each_trained
def test_the_smoke_sweep_is_planned_and_its_trials_counted_once(study: Study, experiment: Experiment):
    sweep = points(experiment, "smoke")
    plan = ay.make_plan(sweep, calibrate=False)
    assert len(plan.trials) == len(set(plan.identities)) == len(sweep)
    assert sum(len(pack.trials) for pack in plan.packs) == len(plan.trials)
    again = ay.make_plan(experiment.sweep("smoke"), calibrate=False)  # type: ignore[misc]
    assert again.identities == plan.identities


# -- experiments that train nothing ------------------------------------------------------------------------------------


@pytest.mark.slow
@each_theory
def test_theory_is_checked_from_table_to_verdict(study: Study, experiment: Experiment):
    table = experiment.table(None, "smoke")
    assert isinstance(table, pl.DataFrame)
    assert table.height > 0
    assert table.equals(experiment.table(None, "smoke"))
    judgements = experiment.judge(table, "smoke")
    assert all(isinstance(judgement, Judgement) for judgement in judgements)
    assert [judgement.claim for judgement in judgements] == list(experiment.claims)
    assert isinstance(experiment.figure(table), Display)
    for judgement in judgements:
        expected = "fails" if judgement.claim.kind == "errata" else "holds"
        assert judgement.verdict == expected, f"{judgement.claim.id}: {judgement.value} {judgement.note}"
