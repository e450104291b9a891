"""`assay sweep`: many trials, a table of solve times, a figure."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.cli.codes import FAILED, INTERRUPTED
from assay.cli.options import Engine, Json, Out, Quiet, Threads, Words, Yes, parse, settings_first
from assay.cli.output import print_json, print_table, say, with_interval

if TYPE_CHECKING:
    import polars as pl

FIGURE = "solve-times"


def command(
    words: Words = (),
    /,
    *,
    out: Out = None,
    engine: Engine = "auto",
    threads: Threads = None,
    yes: Yes = False,
    quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Trains every trial of a question, prints their solve times and draws them.

    Trials that the folder holds already are not trained again; Ctrl-C once saves, and the same command goes on.

    A setting is key=value; the key is a field of the task, net, loss, optimiser or trial (`assay show` lists them), lr
    and wd are short for learning_rate and weight_decay, and a dotted path (net.scale) is always clear. Several values
    make an axis:

      10,100,1000         these
      10..40..5           from 10 to 40 in steps of 5, ends included
      logspace:1e-4:1:9   9 values at a constant ratio; linspace: evenly spaced
      [0,3,5]             a list, as one value (quote it for your shell)
      seeds=100           the seeds 0 to 99

    For example:

      assay sweep parity n=50 k=3 net=mlp width=10,100,1000 lr=0.1 batch=32 seeds=100
      assay sweep parity n=20..50..10 k=2,3 net=mlp,polynet width=100 lr=0.05 seeds=50 --out out/question
      assay sweep parity n=30 k=3 net=mlp width=100 lr=1 data=offline samples=500,1000,2000 wd=0,1e-3 seeds=20
    """
    from assay.cli.settings import ask
    from assay.cli.targets import folder_of
    from assay.report import times
    from assay.sweep import run

    question = ask(words)
    folder = folder_of(question, out)
    runs = run(question.sweep, folder, engine=engine, threads=threads, progress=not quiet, yes=yes)
    if runs.interrupted:
        say(
            f"interrupted: {runs.frame.height:,} of {len(runs.identities):,} trials have ended and are kept in {folder}"
        )
        say("the same command goes on where it stopped")
        return INTERRUPTED
    line = shlex.join(sorted(words, key=lambda word: "=" in word))
    varied = [path for path in question.varied if path in runs.frame.columns]
    table = times.summary(runs.frame, varied)
    files, failures = {}, runs.failures
    if len(failures) < runs.frame.height:
        display = times.display(runs.frame, varied, caption=f"assay sweep {line}")
        files = {path.suffix.removeprefix("."): path for path in display.save(folder / "figures", FIGURE)}
    if json:
        print_json({"folder": folder, "trials": runs.frame.height, "times": table.to_dicts(), "figure": files})
    else:
        _print(table, times.short_names(varied))
        drawn = f"figure {files['png']} (svg, pdf and its table beside it); " if files else ""
        say(f"{drawn}runs kept in {folder}")
    if failures:
        say(f"{len(failures):,} trials failed, the first with: {failures[0]}")
    return FAILED if failures else 0


def _print(table: pl.DataFrame, names: dict[str, str]) -> None:
    rows = []
    for row in table.iter_rows(named=True):
        quantiles = [
            with_interval(row[q], (row[f"{q}_low"], row[f"{q}_high"]), ",.0f") if row[q] is not None else "not reached"
            for q in ("q50", "q10")
        ]
        rows.append([*(row[path] for path in names), row["n"], f"{row['solved_fraction']:.1%}", *quantiles])
    print_table([*names.values(), "runs", "solved", "median steps [95 %]", "10th percentile [95 %]"], rows)


def main(args: Sequence[str]) -> int:
    return parse(command, "sweep", settings_first(args))
