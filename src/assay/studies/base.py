"""A study: the experiments of one paper. An experiment is a module that reads from top to bottom: the claims and their
sources; `sweep(scale)`, what is run, and where later runs depend on earlier ones `then(runs, scale)`;
`table(runs, scale)`, what it comes to; `figure(table)`, how it is shown; `judge(table, scale)`, what it says of the
claims. Theory checks are experiments that run nothing.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import UnknownName
from assay.studies.claims import SCALES, Claim, Judgement

if TYPE_CHECKING:
    import polars as pl

    from assay.figures import Display
    from assay.sweep import Sweep


@dataclasses.dataclass(frozen=True, kw_only=True)
class Experiment:
    """A figure of a paper: what to run, and what to make of it."""

    name: str
    title: str
    source: str
    claims: Sequence[Claim]
    sweep: Callable[[str], Sweep] | None  # None: nothing is trained
    table: Callable[[Any, str], pl.DataFrame]  # of Runs, or None where nothing is trained
    figure: Callable[[pl.DataFrame], Display]
    judge: Callable[[pl.DataFrame, str], list[Judgement]]
    then: Callable[[Any, str], Sweep | None] | None = None  # what the runs so far ask for; again until it is None
    runs: str | None = None  # folder of the runs: experiments that share runs name the same one; None: its own

    @property
    def place(self) -> str:
        """The folder of its runs, below the folder of all runs."""
        return self.runs or self.name


@dataclasses.dataclass(frozen=True, kw_only=True)
class Study:
    """The experiments of one paper."""

    name: str
    title: str
    paper: str
    experiments: Sequence[Experiment]

    def experiment(self, name: str) -> Experiment:
        by_name = {experiment.name: experiment for experiment in self.experiments}
        if name not in by_name:
            raise UnknownName(f"experiment of {self.name}", name, by_name)
        return by_name[name]


def all_studies() -> dict[str, Study]:
    """All studies by name: each package below `assay.studies` is one and holds it as `study`."""
    import assay.studies as home

    found = [
        importlib.import_module(f"assay.studies.{m.name}").study for m in pkgutil.iter_modules(home.__path__) if m.ispkg
    ]
    return {study.name: study for study in found}


def find_study(name: str) -> Study:
    """The study of a name."""
    known = all_studies()
    if name not in known:
        raise UnknownName("study", name, known)
    return known[name]


def check_scale(scale: str) -> str:
    if scale not in SCALES:
        raise UnknownName("scale", scale, SCALES)
    return scale
