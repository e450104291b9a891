"""The documentation is true as far as a machine can tell: its Python runs and prints what the page says, its links lead
somewhere, its commands are understood."""

from __future__ import annotations

import contextlib
import functools
import io
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tyro

from assay.cli import catalogue, main, settings, targets
from assay.errors import AssayError
from assay.studies import all_studies
from assay.studies.claims import SCALES
from assay.studies.ledger import claims_of
from tests.docs.pages import PAGES, ROOT, Command, anchors, blocks, commands, links, runnable

TEXTS = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}
RUN = [name for name, text in TEXTS.items() if any(True for _ in runnable(text))]
COMMANDS = [(name, command) for name, text in TEXTS.items() for command in commands(text)]
QUESTIONS = ("plan", "run", "sweep")
PRINTED = ("theory", "show", "--version")
"""Commands whose output on a page is compared: quick, and the same on every machine."""


def test_there_is_something_to_check() -> None:
    assert {"README.md", "docs/concepts.md", "docs/tutorial.md"} <= TEXTS.keys()
    assert {"docs/concepts.md", "docs/tutorial.md", "docs/engines.md", "docs/for-pytorch-users.md"} <= set(RUN)
    assert len(COMMANDS) > 20


@pytest.mark.slow
@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize("page", RUN)
def test_the_python_of_a_page_runs_and_prints_what_the_page_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    module = types.ModuleType("page_" + re.sub(r"\W", "_", page))  # one namespace a page, as in a notebook
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for block, expected in runnable(TEXTS[page]):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * block.line + block.body, str(PAGES[page]), "exec"), module.__dict__)
        if expected is not None:
            assert printed.getvalue() == expected, f"{page}, line {block.line + 1}"


@pytest.mark.parametrize("page", TEXTS)
def test_python_on_a_page_is_marked_as_run_or_as_a_sketch(page: str) -> None:
    infos = {block.info for block in blocks(TEXTS[page]) if block.info.startswith("py")}
    assert infos <= {"python run", "python run torch", "python sketch"}


@pytest.mark.parametrize("page", TEXTS)
def test_links_lead_somewhere(page: str) -> None:
    for link in links(TEXTS[page]):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (PAGES[page].parent / path).resolve() if path else PAGES[page]
        assert target.exists(), f"{page}: {link}"
        assert target.is_relative_to(ROOT), f"{page}: {link} leads out of the repository"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{page}: {link}"


def test_the_page_of_a_study_has_its_claims_word_for_word() -> None:
    for study in all_studies().values():
        page = " ".join(TEXTS[f"docs/studies/{study.name}.md"].split())
        for _, claim in claims_of(study):
            assert f"**{claim.id}**" in page
            assert claim.statement in page
            assert all(claim.criterion_at(scale) in page for scale in SCALES), claim.id


@pytest.mark.parametrize(("page", "command"), COMMANDS, ids=lambda item: " ".join(getattr(item, "words", [item])))
def test_a_command_on_a_page_is_understood(
    page: str, command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command.words[1:]
    if command.output.startswith("assay"):  # shown to be refused
        assert main.main(words) == 2
        assert capsys.readouterr().err == command.output, page
        return
    understood(words, monkeypatch)
    if words[0] in PRINTED and command.output:
        capsys.readouterr()
        main.main(words)
        assert capsys.readouterr().out == command.output, page


@pytest.mark.parametrize(
    "words",
    [
        ("swep", "parity"),
        ("sweep", "parity", "n=5", "k=6", "net=mlp", "width=10"),
        ("sweep", "parity", "n=5", "k=2", "net=mlp", "widht=10"),
        ("reproduce", "hidden-progress/glanc"),
        ("reproduce", "hidden-progress", "--scael", "desk"),
        ("show", "paritee"),
        ("theory", "fourier-gap", "--n", "11"),
    ],
)
def test_a_command_that_is_not_understood_is_noticed(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises((AssayError, AssertionError)):
        understood(words, monkeypatch)


def understood(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the command line was parsed to, without running it; questions, studies and names in it are looked up.
    The bare name of a command is one of those there are."""
    if len(words) == 1 and not words[0].startswith("-"):
        assert words[0] in main.NAMES
        return words
    parsed: list[tuple[Any, ...]] = []

    def recording(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def record(*positional: Any, **named: Any) -> None:
            parsed.append((positional, named))

        return record

    real = tyro.cli
    with monkeypatch.context() as patched:
        patched.setattr(tyro, "cli", lambda command, **more: real(recording(command), **more))
        assert main.main(words) == 0
    name = words[0] if words else ""
    if not parsed:
        return None
    positional = parsed[0][0]
    if name in QUESTIONS and not targets.is_study(positional[0]):
        settings.ask(positional[0])
    elif name in QUESTIONS:
        targets.experiments(positional[0])
    elif name == "reproduce":
        targets.experiments([positional[0]])
    elif name == "show":
        catalogue.find(positional[0])
    return parsed[0]
