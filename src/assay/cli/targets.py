"""What a command is about: a question in settings, or a study. Store folders that must be there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import StoreError, UnknownName

if TYPE_CHECKING:
    from assay.cli.settings import Question
    from assay.store import Store
    from assay.studies import Experiment, Study

HOME = Path("out")
"""Where folders lie that were not named."""


def is_study(words: Sequence[str]) -> bool:
    """Whether the words name a study rather than ask a question; an unknown name is an error with both lists."""
    from assay.cli.settings import is_task
    from assay.studies.base import all_studies
    from assay.tasks import Task

    names = [word for word in words if "=" not in word]
    if not names or is_task(names[0]):
        return False
    study = names[0].partition("/")[0].replace("_", "-")
    if study not in all_studies():
        raise UnknownName("task or study", names[0], [*Task.members, *all_studies()])
    return True


def experiments(words: Sequence[str]) -> tuple[Study, list[Experiment]]:
    """The study that the words name, and those of its experiments that are meant."""
    from assay.cli.catalogue import find_study
    from assay.cli.grammar import SettingError

    name = next(word for word in words if "=" not in word)
    if rest := [word for word in words if word != name]:
        raise SettingError(f"a study takes no settings, got {' '.join(rest)}; its scales are smoke, desk, paper")
    return find_study(name)


def folder_of(question: Question, out: Path | None) -> Path:
    """Where the runs of a question are kept: the same question, with more seeds or fewer, has the same folder."""
    return out if out is not None else HOME / question.name


def open_store(folder: str) -> Store:
    """The store in a folder; StoreError where there is none."""
    from assay.store import Store

    store = Store(folder)
    if store.plan() is None:
        raise StoreError(f"{folder} must be the folder of a sweep, but it has no plan.json; check the path")
    return store
