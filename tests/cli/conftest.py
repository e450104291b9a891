"""The command in this process, a folder of its own, a study that takes a second, and a sweep that was run once."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import assay.trial  # noqa: F401  # all configs
from assay.cli.main import main
from assay.config import Config


class Ended(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]

QUESTION = ("parity", "n=6,8", "k=1,2", "net=mlp", "width=16", "lr=0.5", "solve.sample=64", "budget=400")

TOY = '''
"""A toy study."""

import polars as pl

import assay as ay
from assay.figures import SolveTimes
from assay.analysis import survival
from assay.studies import Claim, Experiment, Study

LEARNT = Claim(id="toy-1", source="Toy 2026, figure 1", statement="Parities <b>are</b> learnt.", kind="experiment",
               criterion={"smoke": "all", "desk": "none", "paper": "half"})
COUNT = Claim(id="toy-2", source="Toy 2026, Lemma 1", statement="2 + 2 = 4", kind="theorem", criterion="equal")
PRINTED = Claim(id="toy-2-printed", source="Toy 2026, as printed", statement="2 + 2 = 5", kind="errata",
                criterion="equal")
LATER = Claim(id="toy-3", source="Toy 2026, section 9", statement="Left open.", kind="experiment", criterion="some day")

TRIAL = ay.Trial(task=ay.Parity(n=6, k=1), net=ay.MLP(width=16), optimiser=ay.SGD(learning_rate=0.5), budget=400,
                 solve=ay.Solve(sample=64))


def sweep(scale):
    return ay.Sweep(TRIAL, ay.axis("task.n", 6, 8), ay.seeds({"smoke": 3, "desk": 3, "paper": 60_000}[scale]))


def table(runs, scale):
    return survival.summary(runs.frame, by=["task.n"])


def figure(table):
    return SolveTimes(table, x="task.n", line=None, title="Toy", caption="A <toy> figure.")


def judge(table, scale):
    solved = float(table["solved_fraction"].min())
    return [LEARNT.judged(solved == 1 if scale == "smoke" else solved == 0, solved, (solved, 1.0), note="a note")]


def counted(runs, scale):
    return pl.DataFrame({"x": [2.0, 3.0], "q50": [4.0, 6.0], "q50_low": [4.0, 6.0], "q50_high": [4.0, 6.0],
                         "solved_fraction": [1.0, 1.0]})


def sums(table):
    return SolveTimes(table, x="x", line=None, title="Sums", caption="Sums.")


def judge_sums(table, scale):
    return [COUNT.judged(True, 4.0), PRINTED.judged(False, 4.0), LATER.judged(None)]


study = Study(name="toy", title="A toy & its study", paper="Toy 2026", experiments=(
    Experiment(name="learn", title="Learning", source="figure 1", claims=(LEARNT,), sweep=sweep, table=table,
               figure=figure, judge=judge),
    Experiment(name="sums", title="Sums", source="Lemma 1", claims=(COUNT, PRINTED, LATER), sweep=None, table=counted,
               figure=sums, judge=judge_sums),
))
'''


def subclasses(cls: type) -> Iterator[type]:
    for each in cls.__subclasses__():
        yield each
        yield from subclasses(each)


@pytest.fixture(autouse=True)
def configs_check_their_own_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    """The import hook of the tests would refuse what a config converts (a JSON list for a tuple) or says better."""
    for config in subclasses(Config):
        monkeypatch.setattr(config.__init__, "__no_type_check__", True, raising=False)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """`command("list", "nets")`, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*args: str | Path) -> Ended:
        capsys.readouterr()
        code = main([str(arg) for arg in args])
        return Ended(code, *capsys.readouterr())

    return run


@pytest.fixture
def toy(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toy study in place of all others."""
    home = tmp_path_factory.mktemp("studies")
    (home / "toy").mkdir()
    (home / "toy" / "__init__.py").write_text(textwrap.dedent(TOY))
    for module in ("ledger", "reproduce"):
        importlib.import_module(f"assay.studies.{module}")  # before they are hidden
    monkeypatch.setattr(sys.modules["assay.studies"], "__path__", [str(home)])
    yield
    sys.modules.pop("assay.studies.toy", None)


@pytest.fixture(scope="session")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sweep over n and k with two seeds and recorded curves."""
    folder = tmp_path_factory.mktemp("swept") / "store"
    recorded = ("measures=eval/error,eval/loss", "points=4")
    assert main(["sweep", *QUESTION, *recorded, "seeds=2", "--out", str(folder), "--quiet", "--json"]) == 0
    return folder
