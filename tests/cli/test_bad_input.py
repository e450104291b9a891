"""Bad input: one clear line, exit code 2, and nothing started."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import assay.engine.xla.engine

GOOD = {"n": "9", "k": "2", "net": "mlp", "width": "4", "lr": "0.1"}


def words(**changes: str) -> list[str]:
    return ["parity", *(f"{key}={value}" for key, value in (GOOD | changes).items())]


@pytest.fixture(autouse=True)
def nothing_trains(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object, **__: object) -> None:
        raise AssertionError("something was trained")

    monkeypatch.setattr(assay.engine.xla.engine.Xla, "run", started)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (words(widht="10"), "unknown setting 'widht': did you mean 'width'"),
        (words(k="10"), "parity.k must be at most n = 9, got 10; lower k or raise n"),
        (words(k="0"), "parity.k must be >= 1, got 0"),
        (words(k="2,10"), "parity.k must be at most n = 9, got 10"),
        (words(lr="-0.1"), "sgd.learning_rate must be >= 0, got -0.1"),
        (words(batch="0"), "trial.batch must be >= 1 or 'all', got 0"),
        (words(batch="all"), "trial.batch must be a number, got 'all'; fresh examples have no end; use offline data"),
        (words(subset="[0,9]"), "parity.subset must be 2 different coordinates between 0 and 8, got (0, 9)"),
        (words(subset="[0,1,2]"), "parity.subset must be 2 different coordinates"),
        (words(net="resnet"), "unknown net 'resnet'"),
        (words(measures="eval/eror"), "unknown measure 'eval/eror': did you mean 'eval/error'"),
        (words(width=""), "axis 'net.width' must have at least one value, got none"),
        (words(seeds="0"), "axis 'seed' must have at least one value"),
        (words(seeds="100001"), "at most 100,000 trials unless confirmed, got 100,001; pass yes=True (--yes)"),
    ],
)
@pytest.mark.parametrize("verb", ["sweep", "plan"])
def test_a_bad_setting(command: Callable, tmp_path: Path, verb: str, settings: list[str], said: str) -> None:
    ended = command(verb, *settings)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"assay {verb}: ")
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_run_takes_one_trial(command: Callable, tmp_path: Path) -> None:
    ended = command("run", *words(seeds="3"))
    assert (ended.code, ended.out, ended.err) == (
        2,
        "",
        "assay run: run takes one trial, got 3; `assay sweep` takes many\n",
    )
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_engine(command: Callable, tmp_path: Path) -> None:
    ended = command("sweep", *words(), "--engine", "xal")
    assert ended.code == 2
    assert "unknown engine 'xal': did you mean 'xla'" in ended.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["sweep", "run"])
def test_a_folder_that_cannot_be_written(command: Callable, tmp_path: Path, verb: str) -> None:
    (tmp_path / "file").write_text("no folder")
    ended = command(verb, *words(), "--out", tmp_path / "file" / "store")
    assert (ended.code, ended.out) == (2, "")
    assert f"{tmp_path}/file/store must be a folder that can be written" in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("verb", [["sweep", *words(), "--out"], ["status"], ["query"], ["figure"]])
def test_a_store_of_a_newer_assay(command: Callable, tmp_path: Path, verb: list[str]) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    plan = {"schema": 99, "launches": [{"assay": "9.0"}], "families": []}
    (folder / "plan.json").write_text(json.dumps(plan))
    before = (folder / "plan.json").read_bytes()
    ended = command(*verb, folder)
    assert (ended.code, ended.out) == (2, "")
    assert "has schema 99 (written by Assay 9.0)" in ended.err
    assert "update Assay to read it" in ended.err
    assert ended.err.count("\n") == 1
    assert (folder / "plan.json").read_bytes() == before
    assert {path.name for path in folder.iterdir()} <= {"plan.json", "lock"}


@pytest.mark.parametrize("verb", ["status", "stop", "query", "figure"])
def test_a_folder_without_a_sweep(command: Callable, tmp_path: Path, verb: str) -> None:
    ended = command(verb, tmp_path / "nowhere")
    assert (ended.code, ended.out) == (2, "")
    assert "nowhere must be the folder of a sweep, but it has no plan.json; check the path" in ended.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["reproduce", "tye"], "unknown study 'tye': did you mean 'toy'"),
        (["reproduce", "toy/lern"], "unknown experiment of toy 'lern': did you mean 'learn'"),
        (["reproduce", "toy", "--scale", "smok"], "unknown scale 'smok': did you mean 'smoke'"),
        (
            ["reproduce", "toy", "--scale", "paper"],
            "learn at scale paper has 120,000 trials, and more than 100,000 must",
        ),
        (["plan", "toy", "--scale", "paper"], "at most 100,000 trials unless confirmed, got 120,000"),
        (["plan", "toi"], "unknown task or study 'toi': did you mean 'toy'"),
        (["plan", "toy/sums"], "toy/sums trains nothing: it checks theory"),
        (["plan", "toy", "n=3"], "a study takes no settings, got n=3"),
        (["claims", "--study", "tyo"], "unknown study 'tyo': did you mean 'toy'"),
        (["claims", "--scale", "des"], "unknown scale 'des': did you mean 'desk'"),
        (["claims", "--results", "nowhere"], "nowhere must have a claims.json in it"),
        (["show", "mpl"], "unknown name 'mpl': did you mean 'mlp'"),
        (["list", "netz"], "unknown group 'netz': did you mean 'nets'"),
        (["theory", "fourier-gop"], "unknown theory query 'fourier-gop': did you mean 'fourier-gap'"),
        (["theory", "fourier-gap", "--n", "100", "--k", "4"], "n must be odd"),
    ],
)
@pytest.mark.usefixtures("toy")
def test_a_bad_name_or_scale(command: Callable, tmp_path: Path, args: list[str], said: str) -> None:
    ended = command(*args)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("toy")
def test_a_reproduction_that_cannot_be_written(command: Callable, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    ended = command("reproduce", "toy/sums", "--out", tmp_path / "file" / "out")
    assert (ended.code, ended.out) == (2, "")
    assert "cannot write to" in ended.err
