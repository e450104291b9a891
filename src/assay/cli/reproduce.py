"""`assay reproduce STUDY[/EXPERIMENT]`: figures, tables, verdicts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import arg

from assay.cli.codes import FAILED, INTERRUPTED
from assay.cli.options import QUIET_HINT, Engine, Json, Out, Quiet, Scale, Threads, Yes, parse
from assay.cli.output import print_json, say

if TYPE_CHECKING:
    from assay.studies import Experiment
    from assay.studies.reproduce import Reproduction

Target = Annotated[str, arg(metavar="STUDY[/EXPERIMENT]", help="as in `assay list experiments`", **QUIET_HINT)]
Page = Annotated[bool, arg(help="write index.html: figures, tables and verdicts on one page", **QUIET_HINT)]


def command(
    target: Target,
    /,
    *,
    scale: Scale = "smoke",
    out: Out = None,
    page: Page = False,
    engine: Engine = "auto",
    threads: Threads = None,
    yes: Yes = False,
    quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Runs the experiments of a paper, draws their figures, judges their claims, and writes all of it to a folder.

    The folder gets EXPERIMENT.png, .svg and .pdf, its table as .csv and .parquet, and claims.json. What was run before
    is kept and not run again. Ends with 1 if a claim fails, but not where it is wrong as printed (errata).

    For example:

      assay reproduce hidden-progress --scale smoke --page
      assay reproduce hidden-progress/solve-times --scale desk --out out/desk
    """
    from assay.cli import targets
    from assay.cli.claims import print_verdicts
    from assay.studies.base import check_scale
    from assay.studies.ledger import contradicted
    from assay.studies.reproduce import reproduce

    study, chosen = targets.experiments([target])
    check_scale(scale)
    if not yes:
        _check_sizes(chosen, scale)
    folder = out if out is not None else targets.HOME / f"{study.name}-{scale}"
    made = reproduce(
        study, chosen, scale=scale, out=folder, engine=engine, threads=threads, progress=not quiet, yes=yes
    )  # fmt: skip
    entries = [entry for entry in made.entries if entry.experiment in made.experiments]
    path = (
        _page(made, shlex.join(["assay", "reproduce", target, "--scale", scale])) if page and made.experiments else None
    )
    if json:
        print_json(_told(made, path) | {"claims": [entry.to_json() for entry in entries]})
    else:
        print_verdicts(entries)
        print(f"page: {path}" if path else f"figures, tables and claims.json: {folder}")
    if made.interrupted:
        say(f"interrupted: what was done is kept in {folder}; the same command goes on")
        return INTERRUPTED
    return FAILED if contradicted(entries) else 0


def _check_sizes(experiments: Sequence[Experiment], scale: str) -> None:
    """Before the first experiment starts: the last one must not stop at the guard hours later."""
    from assay.errors import PlanError
    from assay.sweep import GUARD

    for experiment in experiments:
        count = len(experiment.sweep(scale)) if experiment.sweep else 0
        if count > GUARD:
            raise PlanError(
                f"{experiment.name} at scale {scale} has {count:,} trials, and more than {GUARD:,} must be confirmed: "
                "pass --yes, or choose another experiment or scale"
            )


def _page(made: Reproduction, command_line: str) -> Path:
    from assay.report.page import write_page

    return write_page(made.folder, command=command_line)


def _told(made: Reproduction, page: Path | None) -> dict[str, Any]:
    return {
        "study": made.study.name,
        "scale": made.scale,
        "folder": made.folder,
        "experiments": made.experiments,
        "interrupted": made.interrupted,
        "page": page,
    }


def main(args: Sequence[str]) -> int:
    return parse(command, "reproduce", args)
