"""`assay plan`: what a sweep comes to, before anything runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import arg

from assay.cli.options import QUIET_HINT, Engine, Json, Scale, Threads, Words, Yes, parse, settings_first
from assay.cli.output import print_json, print_table

if TYPE_CHECKING:
    from assay.sweep import Plan, Sweep

PilotSeconds = Annotated[
    float,
    arg(name="pilot", metavar="SECONDS", help="train some trials for so long, to say what is likely", **QUIET_HINT),
]
Count = Annotated[bool, arg(help="count only: no timing of the packs", **QUIET_HINT)]

MOST_PACKS = 30
"""Packs that are printed; --json has all."""


def command(
    words: Words = (),
    /,
    *,
    scale: Scale = "smoke",
    engine: Engine = "auto",
    threads: Threads = None,
    count: Count = False,
    pilot: PilotSeconds = 0.0,
    yes: Yes = False,
    json: Json = False,
) -> int:
    """Prints the trials, packs and estimated time of a question, or of a study at a scale, and starts nothing.

    The time is an upper bound from a short calibration: what it takes if every trial uses its whole budget. With
    --pilot some trials, drawn at random, are trained as well, and what they use of their budgets says what is likely.

    For example:

      assay plan parity n=50 k=3 net=mlp width=10,100,1000 lr=0.1 seeds=100
      assay plan hidden-progress/solve-times --scale paper --yes --pilot 20
    """
    from assay.errors import PlanError
    from assay.sweep import make_plan

    if pilot < 0 or (pilot and count):
        raise PlanError(f"--pilot must be a number of seconds from 0 on, and without --count; got {pilot:g}")

    plans: dict[str, Plan] = {}
    for name, sweep in _sweeps(words, scale).items():
        plans[name] = make_plan(sweep, engine=engine, threads=threads, yes=yes, calibrate=not count)
    told = [_told(name, plan) | _tried(plan, pilot) for name, plan in plans.items()]
    if json:
        print_json(told[0] if len(told) == 1 else told)
        return 0
    for i, plan in enumerate(told):
        if i:
            print()
        _print(plan)
    return 0


def _sweeps(words: Sequence[str], scale: str) -> dict[str, Sweep]:
    """By name: the question, or the sweeps of the experiments of a study that train something."""
    from assay.cli import targets

    if not targets.is_study(words):
        from assay.cli.settings import ask

        question = ask(words)
        return {question.name: question.sweep}
    from assay.errors import PlanError
    from assay.studies.base import check_scale

    check_scale(scale)
    study, chosen = targets.experiments(words)
    found = {f"{study.name}/{each.name}": each.sweep(scale) for each in chosen if each.sweep is not None}
    if not found:
        raise PlanError(f"{words[0]} trains nothing: it checks theory; `assay reproduce {words[0]}` does that")
    return found


def _told(name: str, plan: Plan) -> dict[str, Any]:
    packs = [
        {"engine": pack.engine, "trials": len(pack.trials), "run_steps": pack.run_steps, "shape": shape}
        for pack, shape in zip(plan.packs, _shapes(plan), strict=True)
    ]
    estimate = dataclasses.asdict(plan.estimate) if plan.estimate else None
    return {"name": name, "trials": len(plan.trials), "run_steps": plan.run_steps, "packs": packs, "estimate": estimate}


def _tried(plan: Plan, seconds: float) -> dict[str, Any]:
    """What a pilot says, if one is asked for."""
    if not seconds:
        return {}
    from assay.sweep.pilot import pilot

    return {"likely": dataclasses.asdict(pilot(plan, seconds))}


def _shapes(plan: Plan) -> list[dict[str, Any]]:
    """Of each pack, the leaves that tell it from the others."""
    from assay.config import leaves

    firsts = [leaves(pack.trials[0]) for pack in plan.packs]
    own = [_common(pack.trials, first) for pack, first in zip(plan.packs, firsts, strict=True)]
    paths = list(dict.fromkeys(path for each in own for path in each))
    differing = [path for path in paths if len({str(each[path]) for each in own if path in each}) > 1]
    return [{path: each[path] for path in differing if path in each} for each in own]


def _common(trials: Sequence[Any], first: dict[str, Any]) -> dict[str, Any]:
    """The leaves that all trials of a pack share, seen by a few of them."""
    from assay.config import leaves

    several = [leaves(trial) for trial in trials[:: max(1, len(trials) // 16)]]
    return {path: value for path, value in first.items() if all(each.get(path) == value for each in several)}


def _print(plan: dict[str, Any]) -> None:
    from assay.store.pulse import duration

    packs = plan["packs"]
    plural = "" if len(packs) == 1 else "s"
    packed = f"{plan['trials']:,} trials in {len(packs):,} pack{plural}"
    print(f"{plan['name']}: {packed}, {plan['run_steps']:,} run-steps at most")
    if estimate := plan["estimate"]:
        timed = "" if estimate["measured"] == len(packs) else f" ({estimate['measured']} of {len(packs)} packs timed)"
        threads = f"{estimate['threads']} thread{'s' * (estimate['threads'] > 1)}"
        print(f"at most {duration(estimate['seconds'])} on {threads}{timed}; solved trials end sooner")
    if likely := plan.get("likely"):
        ends = dict.fromkeys(duration(likely[end]) for end in ("low", "high"))  # one of them where they read the same
        print(f"likely {' to '.join(ends)}, by {likely['tried']} trials drawn at random")
    rows = [
        (
            pack["trials"],
            f"{pack['run_steps']:,}",
            pack["engine"],
            " ".join(f"{k}={v}" for k, v in pack["shape"].items()),
        )
        for pack in packs[:MOST_PACKS]
    ]
    print()
    print_table(["trials", "run-steps", "engine", "shape"], rows)
    if len(packs) > MOST_PACKS:
        print(f"and {len(packs) - MOST_PACKS:,} more packs (--json prints all)")


def main(args: Sequence[str]) -> int:
    return parse(command, "plan", settings_first(args))
