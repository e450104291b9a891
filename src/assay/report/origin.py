"""Where the numbers of a reproduction come from: versions, machine, trials, time."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import assay
from assay.store import Store
from assay.store.pulse import duration
from assay.studies.base import Study

PACKAGES = ("jax", "jaxlib", "optax", "numpy", "scipy", "polars", "matplotlib")
OUTCOMES = ("solved", "censored", "diverged", "failed")


@dataclasses.dataclass(frozen=True)
class Origin:
    """Names and values, and one row for each folder of runs."""

    facts: Sequence[tuple[str, str]]
    runs: Sequence[Mapping[str, Any]]
    trials: int
    created: str  # of the last launch, or nothing where nothing was trained


def find_origin(folder: Path, study: Study) -> Origin:
    """What the stores in `folder/runs` say of themselves; this machine where nothing was trained."""
    rows, launches = [], []
    for name in dict.fromkeys(experiment.place for experiment in study.experiments):
        place = folder / "runs" / name
        store = Store(place)
        plan = store.plan() if place.is_dir() else None
        if plan is None:
            continue
        launches += plan["launches"]
        sharing = [experiment.name for experiment in study.experiments if experiment.place == name]
        rows.append({"experiment": ", ".join(sharing), **_counted(store)})
    last = max(launches, key=lambda launch: launch["created"]) if launches else _here()
    host, git = last["host"], last.get("git")
    created = last["created"].replace("T", " ").replace("Z", " UTC")
    seconds = sum(row["seconds"] for row in rows)
    facts = [
        (
            "Assay",
            last["assay"]
            + (f", commit {git['commit'][:12]}{' with changes' if git['changed'] else ''}" if git else ""),
        ),
        ("Python", host["python"]),
        ("Packages", ", ".join(f"{name} {version}" for name, version in last["packages"].items())),
        ("Platform", f"{host['platform']}, {host['cpus']} CPUs"),
        ("Training time", f"{duration(seconds)}, the time of all trials together" if rows else "nothing was trained"),
        ("Last launched", created),
    ]
    shown = [{**row, "seconds": duration(row["seconds"])} for row in rows]
    return Origin(facts, shown, sum(row["trials"] for row in rows), created)


def _counted(store: Store) -> dict[str, Any]:
    runs = store.runs()
    outcomes = runs["outcome"].to_list()
    counts = {outcome: outcomes.count(outcome) for outcome in OUTCOMES}
    engines = ", ".join(runs["engine"].unique().sort())
    return {"trials": runs.height, **counts, "engine": engines, "seconds": float(runs["seconds"].sum())}


def _here() -> dict[str, Any]:
    """This machine, in the form of a launch."""
    host = {"python": platform.python_version(), "platform": platform.platform(), "cpus": "-"}
    packages = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {"assay": assay.__version__, "created": "", "host": host, "packages": packages}
