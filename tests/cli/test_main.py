"""The command as a whole: help, misspelt names, exit codes, and what it costs to ask."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from collections.abc import Callable

import pytest

import assay
import assay.cli
from assay.cli import main as cli
from assay.errors import StoreError

MOST_CPU_SECONDS = 0.4

SUPPORT = {"main", "catalogue", "codes", "columns", "grammar", "options", "output", "settings", "targets"}


def test_the_help_names_every_command_and_the_exit_codes(command: Callable) -> None:
    for args in (["--help"], ["-h"], ["help"]):
        ended = command(*args)
        assert ended.code == 0
        assert ended.err == ""
        lines = ended.out.splitlines()
        assert lines[0].startswith("usage: assay COMMAND [OPTIONS]")
        for name in cli.NAMES:
            assert any(line.startswith(f"  {name} ") for line in lines), name
        assert "Exit codes: 0 ok, 1 a claim or a trial failed, 2 usage, 3 interrupted." in lines
        assert max(map(len, lines)) <= 100


def test_every_module_is_a_command_or_supports_them() -> None:
    modules = {module.name for module in pkgutil.iter_modules(assay.cli.__path__)}
    assert modules == {*cli.NAMES, *SUPPORT}


@pytest.mark.parametrize("name", cli.NAMES)
def test_every_command_explains_itself(command: Callable, name: str) -> None:
    ended = command(name, "--help")
    assert ended.code == 0
    assert ended.out.startswith(f"usage: assay {name} ")
    assert "--json" in ended.out
    assert callable(importlib.import_module(f"assay.cli.{name}").main)


def test_help_before_a_command_is_its_help(command: Callable) -> None:
    assert command("help", "plan") == command("plan", "--help")


def test_the_help_of_a_command_fits_the_terminal_and_keeps_its_examples(
    command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    text = command("sweep", "--help").out
    assert "  assay sweep parity n=50 k=3 net=mlp width=10,100,1000 lr=0.1 batch=32 seeds=100\n" in text
    assert "logspace:1e-4:1:9" in text
    folded = [line for line in text.splitlines() if line[:1].isalpha() and not line.startswith("usage")]
    assert folded
    assert max(map(len, folded)) <= 72


def test_the_version_is_printed(command: Callable) -> None:
    assert command("--version").out == f"assay {assay.__version__}\n"


def test_no_command_is_a_mistake_with_the_help_on_stderr(command: Callable) -> None:
    ended = command()
    assert (ended.code, ended.out) == (2, "")
    assert "usage: assay COMMAND" in ended.err


@pytest.mark.parametrize(("typed", "meant"), [("swep", "sweep"), ("reprodce", "reproduce"), ("Plan", "plan")])
def test_a_misspelt_command_gets_a_suggestion(command: Callable, typed: str, meant: str) -> None:
    ended = command(typed)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"assay: unknown command {typed!r}: did you mean {meant!r}")
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["sweep", "parity", "--jsno"], "--json"),
        (["status", "folder", "--jsn"], "--json"),
        (["claims", "--sacle", "smoke"], "--scale"),
        (["figure", "folder", "--kind", "tims"], "'times', 'survival', 'curves'"),
        (["status"], "FOLDER"),
    ],
)
def test_a_misspelt_option_gets_a_suggestion(command: Callable, args: list[str], said: str) -> None:
    ended = command(*args)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_ctrl_c_ends_with_its_own_code(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli.list.main", interrupted)
    assert command("list") == (3, "", "assay: interrupted\n")


def test_an_error_is_one_line_whatever_it_says(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> int:
        raise StoreError("first line\n  second line")

    monkeypatch.setattr("assay.cli.list.main", failing)
    assert command("list") == (2, "", "assay list: first line second line\n")


def test_a_programming_error_is_not_hidden(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.cli.list.main", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        command("list")


def test_asking_for_help_costs_little() -> None:
    """Best of three: a busy machine makes it slower, never faster."""
    script = "import resource, assay.cli.main as m; m.main(['--help']); print(sum(resource.getrusage(0)[:2]))"
    costs = []
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        costs.append(float(ended.stdout.splitlines()[-1]))
    assert min(costs) < MOST_CPU_SECONDS


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-m", "assay.cli.main", "--help"],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert ended.stderr == ""
