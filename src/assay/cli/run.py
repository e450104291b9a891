"""`assay run`: one trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.cli.codes import FAILED, INTERRUPTED
from assay.cli.options import Engine, Json, Out, Quiet, Threads, Words, parse, settings_first
from assay.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from assay.sweep import Runs


def command(
    words: Words = (),
    /,
    *,
    out: Out = None,
    engine: Engine = "auto",
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Trains one trial and says how it ended. What was recorded is printed as a table.

    For example:

      assay run parity n=20 k=3 net=mlp width=100 lr=1 seed=7
      assay run parity n=20 k=3 net=mlp width=100 lr=1 measures=eval/loss,eval/error points=20
    """
    from assay.cli.grammar import SettingError
    from assay.cli.settings import ask
    from assay.cli.targets import folder_of
    from assay.sweep import run

    question = ask(words)
    if len(question.sweep) != 1:
        raise SettingError(f"run takes one trial, got {len(question.sweep):,}; `assay sweep` takes many")
    folder = folder_of(question, out)
    runs = run(question.sweep, folder, engine=engine, threads=threads, progress=not quiet)
    if runs.interrupted:
        say(f"interrupted: the state is kept in {folder}; the same command goes on")
        return INTERRUPTED
    if json:
        print_json(_told(runs) | {"folder": folder, "config": question.sweep.trials()[0].to_json()})
    else:
        _print(runs, question.sweep.trials()[0].seed)
        say(f"kept in {folder}")
    return FAILED if runs.frame["outcome"][0] == "failed" else 0


def _told(runs: Runs) -> dict[str, Any]:
    """How the trial ended, and its curves column by column."""
    from assay.store.schema import FINAL, RESULT

    row = runs.frame.to_dicts()[0]
    final = {name.removeprefix(FINAL): value for name, value in row.items() if name.startswith(FINAL)}
    curves = runs.curves.drop("trial").to_dict(as_series=False)
    return {"trial": row["trial"], **{name: row[name] for name, _ in RESULT}, "final": final, "curves": curves}


def _print(runs: Runs, seed: int) -> None:
    told = _told(runs)
    why = {
        "solved": f"solved at step {told['step']:,}",
        "censored": f"not solved within {told['step']:,} steps",
        "diverged": f"diverged at step {told['step']:,} ({told['quantity']})",
        "failed": f"failed: {told['message']}",
    }[told["outcome"]]
    numbers = "".join(f", {name} {value:.4g}" for name, value in told["final"].items() if value is not None)
    print(f"{why}{numbers} (seed {seed}, {told['engine']}, {told['seconds']:.2g} s)")
    curves = told["curves"]
    if curves["step"]:
        print()
        print_table(list(curves), zip(*curves.values(), strict=True))


def main(args: Sequence[str]) -> int:
    return parse(command, "run", settings_first(args))
