"""plan, run, sweep, status, stop: from a question to numbers, and back to them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import assay as ay

QUESTION = ("parity", "n=6,8", "k=1,2", "net=mlp", "width=16", "lr=0.5", "solve.sample=64", "budget=400")
ONE = ("parity", "n=6", "k=1", "net=mlp", "width=16", "lr=0.5", "solve.sample=64", "budget=400")
QUANTILES = [f"{q}{end}" for q in ("q10", "q50", "q90") for end in ("", "_low", "_high")]


def test_a_plan_counts_trials_and_packs_and_starts_nothing(command: Callable, tmp_path: Path) -> None:
    ended = command("plan", *QUESTION, "seeds=5", "--count")
    assert ended.code == 0
    first, *rest = ended.out.splitlines()
    assert first.endswith(": 20 trials in 2 packs, 8,000 run-steps at most")
    assert sum("task.n=6" in line or "task.n=8" in line for line in rest) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_plan_as_json_has_its_packs_and_a_time(command: Callable) -> None:
    plan = json.loads(command("plan", *QUESTION, "seeds=5", "--json", "--threads", "1").out)
    assert plan.keys() == {"name", "trials", "run_steps", "packs", "estimate"}
    assert plan["trials"] == sum(pack["trials"] for pack in plan["packs"]) == 20
    assert {pack["shape"]["task.n"] for pack in plan["packs"]} == {6, 8}
    assert plan["estimate"]["seconds"] > 0
    assert plan["estimate"]["threads"] == 1


@pytest.mark.usefixtures("toy")
def test_a_plan_of_a_study_takes_its_scale(command: Callable) -> None:
    plan = json.loads(command("plan", "toy", "--scale", "desk", "--count", "--json").out)
    assert (plan["name"], plan["trials"], plan["estimate"]) == ("toy/learn", 6, None)
    assert "toy/learn: 120,000 trials" in command("plan", "toy/learn", "--scale", "paper", "--count", "--yes").out


def test_a_run_says_how_it_ended(command: Callable, tmp_path: Path) -> None:
    ended = command("run", *ONE, "seed=3", "--out", "one", "--quiet")
    assert ended.code == 0
    row = ay.Store(tmp_path / "one").runs().row(0, named=True)
    assert row["outcome"] == "solved"
    assert ended.out.startswith(f"solved at step {row['step']}, ")
    assert f"(seed 3, {row['engine']}, " in ended.out
    assert ended.err == "kept in one\n"


def test_a_run_as_json_has_its_config_and_curves(command: Callable) -> None:
    args = ("run", *ONE, "measures=eval/error", "points=3", "--quiet", "--json")
    first, again = (json.loads(command(*args).out) for _ in range(2))
    assert first == again  # the second is read from the folder
    assert ay.Trial.from_json(first["config"]).identity == first["trial"]
    assert first["outcome"] == "solved"
    assert list(first["curves"]) == ["step", "eval/error"]
    assert first["curves"]["step"][-1] == first["step"]
    assert first["curves"]["eval/error"][0] > first["curves"]["eval/error"][-1]
    assert first["folder"].startswith("out/parity-")


def test_a_run_that_is_not_solved_says_so(command: Callable) -> None:
    ended = command("run", *ONE[:-1], "budget=1", "--quiet")
    assert (ended.code, ended.out.split(",")[0]) == (0, "not solved within 1 steps")


def test_a_sweep_ends_in_a_table_and_a_figure(command: Callable, tmp_path: Path) -> None:
    ended = command("sweep", *QUESTION, "seeds=3", "--quiet")
    assert ended.code == 0
    head, rule, *rows = ended.out.splitlines()
    assert head.split() == [
        "n",
        "k",
        "runs",
        "solved",
        "median",
        "steps",
        "[95",
        "%]",
        "10th",
        "percentile",
        "[95",
        "%]",
    ]
    assert set(rule.strip()) == {"─"}
    assert [row.split()[:4] for row in rows] == [[n, k, "3", "100.0%"] for n in "68" for k in "12"]
    (folder,) = (tmp_path / "out").iterdir()
    assert f"figure out/{folder.name}/figures/solve-times.png" in ended.err
    names = {path.name for path in (folder / "figures").iterdir()}
    assert names == {f"solve-times.{kind}" for kind in ("png", "svg", "pdf", "csv", "parquet", "md")}
    assert "assay sweep parity n=6,8" in (folder / "figures" / "solve-times.md").read_text()


def test_the_table_of_a_sweep_is_the_summary_of_its_runs(command: Callable) -> None:
    told = json.loads(command("sweep", *QUESTION, "seeds=3", "--quiet", "--json").out)
    assert told.keys() == {"folder", "trials", "times", "figure"}
    assert told["trials"] == 12
    runs = ay.Store(told["folder"]).runs()
    for row in told["times"]:
        own = runs.filter((pl.col("task.n") == row["task.n"]) & (pl.col("task.k") == row["task.k"]))
        assert row["n"] == own.height == 3
        assert row["q50"] == own["step"].median()
        assert set(QUANTILES) <= row.keys()
    assert {Path(path).suffix for path in told["figure"].values()} == {
        ".png",
        ".svg",
        ".pdf",
        ".csv",
        ".parquet",
        ".md",
    }
    assert all(Path(path).is_file() for path in told["figure"].values())


def test_what_was_not_solved_has_no_median(command: Callable) -> None:
    ended = command("sweep", *ONE[:-1], "budget=1", "seeds=3", "--quiet")
    assert ended.code == 0
    assert ended.out.splitlines()[-1].split() == ["3", "0.0%", "not", "reached", "not", "reached"]
    told = json.loads(command("sweep", *ONE[:-1], "budget=1", "seeds=3", "--quiet", "--json").out)
    assert told["times"][0]["q50"] is None


def test_more_seeds_go_on_where_the_fewer_ended(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    first = json.loads(command("sweep", *QUESTION, "seeds=2", "--quiet", "--json").out)
    trained: list[int] = []
    run = ay.run.__globals__["Inline"]
    monkeypatch.setitem(
        ay.run.__globals__,
        "Inline",
        lambda store, packs, threads: trained.append(sum(len(p.trials) for p in packs)) or run(store, packs, threads),
    )
    second = json.loads(command("sweep", *QUESTION, "seeds=3", "--quiet", "--json").out)
    assert second["folder"] == first["folder"]
    assert (first["trials"], second["trials"], trained) == (8, 12, [4])


def test_a_sweep_that_is_interrupted_keeps_what_is_done_and_says_so(
    command: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stop that is asked for at once, where nothing is learnt and the budgets take minutes."""
    monkeypatch.setitem(ay.run.__globals__, "stop_requested", lambda place: True)
    endless = ("parity", "n=6", "k=1", "net=mlp", "width=4", "lr=0", "solve.sample=64", "budget=10000000")
    ended = command("sweep", *endless, "seeds=3", "--quiet")
    assert (ended.code, ended.out) == (3, "")
    assert "interrupted: 0 of 3 trials have ended and are kept in out/parity-" in ended.err
    assert ended.err.splitlines()[-1] == "the same command goes on where it stopped"


def test_trials_that_fail_are_counted_and_the_code_says_it(command: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("out of luck")

    monkeypatch.setattr("assay.engine.xla.tile.Tile.run", broken)
    ended = command("sweep", *ONE, "seeds=3", "--quiet", "--engine", "xla")
    assert ended.code == 1
    assert "3 trials failed, the first with: RuntimeError: out of luck" in ended.err
    ended = command("run", *ONE, "seed=9", "--quiet", "--engine", "xla")
    assert ended.code == 1
    assert ended.out.startswith("failed: ")


def test_progress_and_notes_never_go_to_stdout(command: Callable) -> None:
    assert json.loads(command("sweep", *QUESTION, "seeds=2", "--json").out)["trials"] == 8


def test_status_counts_the_trials_of_a_folder(command: Callable, swept: Path) -> None:
    assert command("status", swept).out == "8 of 8 trials, 8 solved\n"
    told = json.loads(command("status", swept, "--json").out)
    assert told["folder"] == str(swept)
    assert (told["total"], told["done"], told["solved"], told["waiting"], told["alive"]) == (8, 8, 8, 0, False)


def test_nobody_is_asked_to_stop_where_nobody_works(command: Callable, swept: Path) -> None:
    assert command("stop", swept) == (0, f"no process is at work on {swept}\n", "")
    assert json.loads(command("stop", swept, "--json").out) == {"folder": str(swept), "asked": False}
