"""Everything that has a name, in groups: what `assay list` prints and where `assay show` looks."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.config import Config
from assay.errors import UnknownName
from assay.studies import Experiment, Study

PLURALS = {
    "task": "tasks", "net": "nets", "init": "inits", "loss": "losses", "optimiser": "optimisers",
    "schedule": "schedules", "data": "data",
}  # fmt: skip

SENTENCE = re.compile(r"(?<=\w\.|[)\]\"`]\.) (?=[A-Z])")
"""Between two sentences: the dot of a product has a space before it, and "et al." a year behind it."""


@dataclasses.dataclass(frozen=True)
class Named:
    """A thing with a name: what it is called, in one line what it is, and the thing itself."""

    group: str
    name: str
    summary: str
    thing: Any


def families() -> Iterator[Named]:
    """The members of every family of configs."""
    import assay.trial  # noqa: F401  # which imports every family

    members: dict[str, Mapping[str, type[Config]]] = {
        family.family: family.members for family in Config.__subclasses__() if family.family
    }
    for family in sorted(members, key=[*PLURALS, *members].index):
        for kind, cls in sorted(members[family].items()):
            yield Named(PLURALS.get(family, family), kind, first_sentence(cls), cls)


def activations() -> Iterator[Named]:
    from assay.nets.activations import ACTIVATIONS

    for name, function in sorted(ACTIVATIONS.items()):
        yield Named("activations", name, first_sentence(function), function)


def measures() -> Iterator[Named]:
    from assay.measures import MEASURES

    for name, function in sorted(MEASURES.items()):
        yield Named("measures", name, first_sentence(function), function)


def theory() -> Iterator[Named]:
    from assay.theory.commands import theory_commands

    for name, query in theory_commands().items():
        yield Named("theory", name, first_sentence(query), query)


def studies() -> Iterator[Named]:
    for study in _studies():
        yield Named("studies", study.name, study.title, study)


def experiments() -> Iterator[Named]:
    for study in _studies():
        for experiment in study.experiments:
            yield Named("experiments", f"{study.name}/{experiment.name}", experiment.title, (study, experiment))


def claims() -> Iterator[Named]:
    for study in _studies():
        for experiment in study.experiments:
            for claim in experiment.claims:
                yield Named("claims", claim.id, claim.statement, (study, experiment, claim))


SOURCES: tuple[Callable[[], Iterator[Named]], ...] = (
    families, activations, measures, theory, studies, experiments, claims,
)  # fmt: skip


def everything() -> list[Named]:
    return [named for source in SOURCES for named in source()]


def group(name: str) -> list[Named]:
    """The named things of a group; singular and plural both do."""
    groups: dict[str, list[Named]] = {}
    for named in everything():
        groups.setdefault(named.group, []).append(named)
    for title, members in groups.items():
        if name in (title, *(singular for singular, plural in PLURALS.items() if plural == title), title[:-1]):
            return members
    raise UnknownName("group", name, groups)


def find(name: str) -> list[Named]:
    """What a name means, by name, by the name of its class, or by the last part of `study/experiment`."""
    known = everything()
    found = [named for named in known if name in _names(named)] or [
        named for named in known if _folded(name) in map(_folded, _names(named))
    ]
    if not found:
        raise UnknownName("name", name, {named.name for named in known})
    return found


def find_study(target: str) -> tuple[Study, list[Experiment]]:
    """STUDY or STUDY/EXPERIMENT; underscores and dashes both do."""
    from assay.studies import base

    name, slash, experiment = target.partition("/")
    study = base.find_study(_known(name, base.all_studies()))
    if not slash:
        return study, list(study.experiments)
    return study, [study.experiment(_known(experiment, {each.name: each for each in study.experiments}))]


def first_sentence(thing: Any) -> str:
    """Of the docstring, in one line."""
    paragraph = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    return SENTENCE.split(paragraph, maxsplit=1)[0]


def _studies() -> list[Study]:
    from assay.studies import base

    return list(base.all_studies().values())


def _names(named: Named) -> set[str]:
    names = {named.name}
    if isinstance(named.thing, type):
        names.add(named.thing.__name__)
    if named.group == "experiments":
        names.add(named.name.partition("/")[2])
    return names


def _known(name: str, known: Mapping[str, Any]) -> str:
    return next((each for each in known if _folded(each) == _folded(name)), name)


def _folded(name: str) -> str:
    return name.replace("_", "-").lower()
