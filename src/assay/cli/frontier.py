"""`assay frontier`: where success begins along one setting, for each value of another, without a full grid."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from assay.cli.codes import FAILED, INTERRUPTED
from assay.cli.options import Engine, Json, Out, Quiet, Threads, Words, parse, settings_first
from assay.cli.output import print_json, print_table, say, with_interval
from assay.errors import ConfigError

SHORT = {"m": "samples", "r": "width"}
RANGE = (100, 100_000)
"""Of what is searched, where no two ends are given."""
DEFAULTS: Mapping[str, str] = {
    "net": "mlp", "data": "offline", "order": "replacement", "lr": "0.1", "wd": "0.01", "batch": "32",
    "budget": "20000", "solve.accuracy": "0.9", "solve.sample": "10000", "solve.every": "200",
}  # fmt: skip
"""The settings of Edelman et al. 2023 where the question does not say otherwise."""
ROWS = {"width": "10,30,100,300"}


def command(
    words: Words = (),
    /,
    *,
    over: str = "m,width",
    runs: int = 40,
    ratio: float = 1.3,
    out: Out = None,
    engine: Engine = "auto",
    threads: Threads = None,
    quiet: Quiet = False,
    json: Json = False,
) -> int:
    """Searches the value at which half of the runs are solved, for each value of a second setting.

    The search is sequential: each round tries the values that are in doubt, so that a frontier takes a fraction of the
    runs of a grid. It ends, row by row, when the 95 % interval is narrow enough or the runs are spent. Runs are kept:
    the same command goes on where it stopped. What is not said is as in Edelman et al. 2023: net=mlp data=offline
    lr=0.1 wd=0.01 batch=32 solve.accuracy=0.9.

    For example:

      assay frontier parity n=30 k=3 --over m,width
      assay frontier parity n=50 k=3 init=sparse m=300..3000 width=100,1000 budget=50000 --over m,width

    Args:
        over: what is searched and what the rows are: two names of settings; m stands for samples, r for width.
        runs: runs a row, at most.
        ratio: upper over lower end of the interval at which a row is done.
    """
    import polars as pl

    from assay.cli.settings import ask
    from assay.cli.targets import HOME
    from assay.figures import Lines
    from assay.sweep import LevelSearch, outcomes_of, run

    searched, row = _over(over)
    given, low, high = _given(words, searched, row)
    question = ask(given)
    path = _path(question.sweep.trials()[0], searched)
    rows = question.sweep.trials()
    search = LevelSearch(rows=rows, path=path, low=low, high=high, most=runs, batch=min(8, max(runs, 1)), ratio=ratio)
    folder = out if out is not None else HOME / f"frontier-{question.name}"
    known: dict[str, str] = {}
    sweep = search.wanted(known)
    assert sweep is not None
    while (more := search.wanted(known)) is not None:
        sweep = sweep + more
        done = run(sweep, folder, engine=engine, threads=threads, progress=not quiet)
        if done.interrupted:
            say(f"interrupted: what was run is kept in {folder}; the same command goes on where it stopped")
            return INTERRUPTED
        known = outcomes_of(done.frame)
    values = [_at(trial, _path(trial, row)) for trial in rows]
    found = [
        {row: value, searched: middle, "low": lowest, "high": highest, "runs": level.runs, "solved": level.solved}
        for value, level in zip(values, search.found(known), strict=True)
        for middle, lowest, highest in [level.interval]
    ]
    display = Lines(
        pl.DataFrame(found).with_columns(line=pl.lit("half of the runs solved")), x=row, y=searched, line="line",
        bars=("low", "high"), x_scale="log", y_scale="log", x_label=row, y_label=searched,
        title="The frontier of success", caption=f"assay frontier {shlex.join(words)} --over {over}",
    )  # fmt: skip
    files = {each.suffix.removeprefix("."): each for each in display.save(folder / "figures", "frontier")}
    if json:
        print_json({"folder": folder, "searched": path, "rows": found, "runs": len(known), "figure": files})
    else:
        print_table(
            [row, f"{searched} [95 %]", "runs", "solved"],
            [
                [r[row], with_interval(r[searched], (r["low"], r["high"]), ",.0f"), r["runs"], r["solved"]]
                for r in found
            ],
        )
        say(f"{len(known):,} runs in all; figure {files['png']}; runs kept in {folder}")
    return FAILED if "failed" in known.values() else 0


def _over(text: str) -> tuple[str, str]:
    names = [SHORT.get(name.strip(), name.strip()) for name in text.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise ConfigError("--over", text, "two settings with a comma between", "for example m,width")
    return names[0], names[1]


def _given(words: Sequence[str], searched: str, row: str) -> tuple[list[str], float, float]:
    """The question with defaults filled in and the searched setting at its lower end, and the two ends."""
    from assay.cli.grammar import scalar
    from assay.cli.settings import SHORT as LONG
    from assay.cli.settings import read

    said = read(words)
    for short, name in SHORT.items():
        if short in said:
            said[name] = said.pop(short)
    ends = [scalar(searched, end) for end in said.pop(searched, f"{RANGE[0]}..{RANGE[1]}").split("..")]
    if len(ends) != 2 or not all(isinstance(end, (int, float)) for end in ends) or not 0 < ends[0] < ends[1]:
        raise ConfigError(
            searched, "..".join(map(str, ends)), "low..high with 0 < low < high", f"{searched}=100..10000"
        )
    filled = {key: text for key, text in (dict(DEFAULTS) | {k: v for k, v in ROWS.items() if k == row}).items()
              if key not in said and LONG.get(key, key) not in said}  # fmt: skip
    if said.get("data", "offline") != "offline":
        filled.pop("order", None)
    task = [said.pop("task")] if "task" in said else []
    return [*task, *(f"{k}={v}" for k, v in (filled | said).items()), f"{searched}={ends[0]}"], *ends


def _path(trial: Any, name: str) -> str:
    """The dotted path of a field that only one component has."""
    from assay.config import leaves

    paths = [path for path in leaves(trial) if path == name or path.endswith(f".{name}")]
    if len(paths) != 1:
        raise ConfigError("--over", name, "the name of one setting of this question", f"it fits {paths or 'none'}")
    return paths[0]


def _at(trial: Any, path: str) -> Any:
    from assay.config import leaves

    return leaves(trial)[path]


def main(args: Sequence[str]) -> int:
    return parse(command, "frontier", settings_first(args))
