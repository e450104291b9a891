"""Plans: everything checked, counted, packed and timed before anything runs; frozen in the store when it is launched.

Rule for a folder that holds a plan already: it is extended. `plan.json` becomes the union of the plans that were
launched there, each trial once; a run trains what its own plan asks for and the folder does not hold yet.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.errors import PlanError, StoreError
from assay.store import Store
from assay.store.schema import PLAN, SCHEMA
from assay.sweep.engines import AUTO, choose_engine
from assay.sweep.estimate import Estimate, estimated
from assay.sweep.grid import Sweep
from assay.sweep.pack import Pack
from assay.sweep.provenance import provenance
from assay.trial import Trial

GUARD = 100_000
"""Trials beyond which a plan wants to be confirmed."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """What will be trained, each trial once, and how it is packed."""

    trials: tuple[Trial, ...]
    packs: tuple[Pack, ...]  # the one with the most work first
    engine: str  # as asked for
    estimate: Estimate | None = None

    @functools.cached_property
    def identities(self) -> tuple[str, ...]:
        return tuple(trial.identity for trial in self.trials)

    @property
    def run_steps(self) -> int:
        """Steps of all trials together, if every one used its whole budget."""
        return sum(trial.budget for trial in self.trials)


def make_plan(
    sweep: Sweep | Iterable[Trial],
    *,
    engine: str = AUTO,
    threads: int | None = None,
    guard: int = GUARD,
    yes: bool = False,
    calibrate: bool = True,
) -> Plan:
    """Checks, counts and packs the trials; with `calibrate` times some steps of the largest packs.

    More trials than `guard` are refused unless `yes` says that they are meant."""
    points = sweep if isinstance(sweep, Sweep) else list(sweep)
    if len(points) > guard and not yes:
        raise PlanError(
            f"a sweep must have at most {guard:,} trials unless confirmed, got {len(points):,}; "
            "pass yes=True (--yes), or narrow an axis"
        )
    once = points.trials() if isinstance(points, Sweep) else {trial.identity: trial for trial in points}.values()
    trials = tuple(once)
    if not trials:
        raise PlanError("a sweep must have at least one trial, got none; name the trials or use a Sweep")
    packs = _packed(trials, engine)
    return Plan(trials, packs, engine, estimated(packs, threads) if calibrate else None)


def freeze(store: Store, plan: Plan) -> dict[str, Any]:
    """What plan.json becomes: what it is, the trials that are new to it, and this launch."""
    old = store.plan() or {"launches": [], "families": []}
    known = {identity for family in old["families"] for identity in family["identities"]}
    new = [trial for trial in plan.trials if trial.identity not in known]
    launch = provenance() | {"engine": plan.engine, "trials": len(plan.trials), "new": len(new)}
    return {"schema": SCHEMA, "launches": [*old["launches"], launch], "families": [*old["families"], *_families(new)]}


def write_plan(store: Store, frozen: Mapping[str, Any]) -> None:
    store.place.write(PLAN, json.dumps(frozen, separators=(",", ":")).encode())


def read_plan(store: Store) -> list[Trial]:
    """The trials of the plan in a store; StoreError where there is none or where it means other trials by now."""
    frozen = store.plan()
    if frozen is None:
        raise StoreError(f"{store.folder} must be the folder of a sweep, but it has no {PLAN}; check the path")
    trials = []
    for family in frozen["families"]:
        first = Trial.from_json(family["config"] | {"seed": family["seeds"][0]})
        if first.identity != family["identities"][0]:
            raise StoreError(
                f"{store.folder}/{PLAN} was frozen by Assay {frozen['launches'][0]['assay']}, in which configs meant "
                "something else; go on with that version, or launch the sweep in another folder"
            )
        trials += [first.reseeded(seed) for seed in family["seeds"]]
    return trials


def _packed(trials: Sequence[Trial], engine: str) -> tuple[Pack, ...]:
    members: dict[str, list[Trial]] = {}
    for trial in trials:
        members.setdefault(trial.pack_key, []).append(trial)
    packs = [Pack(key, choose_engine(engine, own[0]), tuple(own)) for key, own in members.items()]
    return tuple(sorted(packs, key=lambda pack: -pack.work))


def _families(trials: Iterable[Trial]) -> list[dict[str, Any]]:
    """Trials that differ in nothing but their seed are one entry."""
    members: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        members.setdefault(trial.around_seed, []).append(trial)
    families = []
    for own in members.values():
        config = own[0].to_json()
        del config["seed"]
        families.append({"config": config, "seeds": [t.seed for t in own], "identities": [t.identity for t in own]})
    return families
