"""query and figure: columns by their short names, expressions, SQL, pictures."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import assay as ay
from assay.cli.columns import QueryError, condition, filtered, find_column, full_names, sql_with_full_names
from assay.errors import UnknownName

FRAME = pl.DataFrame(
    {
        "trial": ["a", "b", "c", "d"],
        "task.k": [2, 3, 3, 4],
        "net.kind": ["mlp", "mlp", "polynet", "neuron"],
        "net.width": [10, 100, None, None],
        "net.scale": [1.0, 1.0, None, 2.0],
        "init.scale": [1.0, 1.0, 1.0, 1.0],
        "optimiser.learning_rate": [0.1, 1e-3, 0.1, 1.0],
        "outcome": ["solved", "censored", "solved", "diverged"],
        "step": [10, 1000, 30, 40],
        "final.loss": [0.1, 0.2, 0.3, None],
    }
)


@pytest.mark.parametrize(
    ("expression", "trials"),
    [
        ("k==3", "bc"),
        ("k==3 & width>64", "b"),
        ("k=3 and width > 64", "b"),
        ("k!=3", "ad"),
        ("k<>3", "ad"),
        ("outcome==solved", "ac"),
        ("outcome == 'solved' | step>=1000", "abc"),
        ("net==mlp & ~(k==2)", "b"),
        ("net in (mlp, polynet)", "abc"),
        ("k in (2, 4) && lr<0.5", "a"),
        ("not outcome==solved", "bd"),
        ("net.scale==2.0 || lr==1e-3", "bd"),
        ("width is null", "cd"),
        ("k*10 > step", "a"),
        ("step between 20 and 50", "cd"),
        ("final.loss > 0.15", "bc"),
        ('"task.k" = 2', "a"),
        ("(k==2 | k==4) & (step==10 | step==40)", "ad"),
    ],
)
def test_an_expression_keeps_the_rows_for_which_it_holds(expression: str, trials: str) -> None:
    assert "".join(filtered(FRAME, expression)["trial"]) == trials


def test_the_documented_expression_becomes_sql() -> None:
    assert condition("k==3 & width>64", FRAME.columns) == '"task.k" = 3 AND "net.width" > 64'


def test_a_column_is_called_by_its_last_part_where_that_is_clear() -> None:
    names = full_names(FRAME.columns)
    assert names["k"] == "task.k"
    assert names["net"] == names["net.kind"] == "net.kind"
    assert names["lr"] == "optimiser.learning_rate"
    assert "scale" not in names
    assert names["net.scale"] == "net.scale"
    assert find_column("width", FRAME.columns) == "net.width"
    with pytest.raises(UnknownName, match="unknown column 'widht': did you mean 'width'"):
        find_column("widht", FRAME.columns)


@pytest.mark.parametrize(
    ("expression", "error", "said"),
    [
        ("widht>3", UnknownName, "did you mean 'width'"),
        ("k==3 &", QueryError, "cannot answer 'k==3 &'"),
        ("k==three", QueryError, "cannot compare string with numeric type"),
        ("k", QueryError, "Boolean"),
        ("k @ 3", QueryError, "cannot read '@ 3'"),
    ],
)
def test_a_bad_expression_is_said_in_one_line(expression: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as caught:
        filtered(FRAME, expression)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_short_names_in_sql_are_replaced_but_not_text_or_names_that_the_query_gives() -> None:
    query = "select k, step as width, 'k' from runs where net='mlp' order by width"
    wanted = "select \"task.k\", step as width, 'k' from runs where \"net.kind\"='mlp' order by width"
    assert sql_with_full_names(query, FRAME.columns) == wanted


def test_a_filter_prints_runs_and_leaves_out_what_is_the_same_in_all(command: Callable, swept: Path) -> None:
    ended = command("query", swept, "k==2")
    assert ended.code == 0
    head, _, *rows = ended.out.splitlines()
    assert {"trial", "task.n", "seed", "outcome", "step"} <= set(head.split())
    assert "net.width" not in head
    assert len(rows) == 4


def test_every_form_has_the_same_rows(command: Callable, swept: Path) -> None:
    runs = ay.Store(swept).runs().filter(pl.col("task.k") == 2)
    rows = json.loads(command("query", swept, "k==2", "--json").out)
    assert rows == json.loads(json.dumps(runs.to_dicts()))
    csv = pl.read_csv(io.StringIO(command("query", swept, "k==2", "--csv").out))
    assert csv["trial"].to_list() == runs["trial"].to_list()
    assert csv.columns == runs.columns
    assert len(json.loads(command("query", swept, "--json").out)) == 8


def test_sql_sees_runs_and_curves(command: Callable, swept: Path) -> None:
    query = "select n, k, count(*) as runs, max(step) as slowest from runs group by n, k order by n, k"
    rows = json.loads(command("query", swept, query, "--json").out)
    runs = ay.Store(swept).runs()
    assert [(row["task.n"], row["task.k"], row["runs"]) for row in rows] == [(n, k, 2) for n in (6, 8) for k in (1, 2)]
    assert max(row["slowest"] for row in rows) == runs["step"].max()
    query = 'select count(*) as rows from curves where "eval/error" < 0.5'
    expected = ay.Store(swept).curves().filter(pl.col("eval/error") < 0.5).height
    assert json.loads(command("query", swept, query, "--json").out) == [{"rows": expected}]


def test_the_curves_of_the_runs_that_a_filter_leaves(command: Callable, swept: Path) -> None:
    rows = json.loads(command("query", swept, "k==2 & seed==0", "--curves", "--json").out)
    assert rows
    assert set(rows[0]) == {"trial", "step", "eval/error", "eval/loss"}
    assert len({row["trial"] for row in rows}) == 2


def test_a_long_answer_is_cut_and_says_so(command: Callable, swept: Path) -> None:
    ended = command("query", swept, "--limit", "3")
    assert len(ended.out.splitlines()) == 2 + 3
    assert ended.err == "5 more rows; --limit 0 shows all, --csv and --json print all\n"
    assert len(command("query", swept, "--limit", "0").out.splitlines()) == 2 + 8


@pytest.mark.parametrize(
    ("query", "said"),
    [("select nope from runs", 'unable to find column "nope"'), ("select 1 from nowhere", "'nowhere' was not found")],
)
def test_bad_sql_is_one_line(command: Callable, swept: Path, query: str, said: str) -> None:
    ended = command("query", swept, query)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--kind", "times", "--x", "n", "--line", "k"),
        ("--kind", "times", "--where", "k==2"),
        ("--kind", "survival", "--line", "n", "--panel", "k"),
        ("--kind", "curves", "--measures", "eval/error", "--panel", "task.n"),
    ],
)
def test_a_figure_is_written_with_its_table(command: Callable, swept: Path, options: tuple[str, ...]) -> None:
    told = json.loads(command("figure", swept, *options, "--out", "drawn", "--name", "it", "--json").out)
    assert [Path(path).name for path in told["files"]] == [
        f"it.{k}" for k in ("csv", "parquet", "md", "png", "svg", "pdf")
    ]
    assert all(Path(path).stat().st_size > 0 for path in told["files"])


def test_the_table_of_a_figure_is_the_summary_that_it_shows(command: Callable, swept: Path) -> None:
    assert command("figure", swept, "--x", "n", "--line", "k", "--out", "drawn").code == 0
    table = pl.read_parquet("drawn/times.parquet")
    runs = ay.Store(swept).runs()
    for row in table.iter_rows(named=True):
        own = runs.filter((pl.col("task.n") == row["task.n"]) & (pl.col("task.k") == row["task.k"]))
        assert row["q50"] == own["step"].median()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--x", "nn"), "unknown column 'nn': did you mean 'n'"),
        (("--x", "outcome"), "x must be a column of positive numbers, got 'outcome'"),
        (("--kind", "survival", "--x", "n"), "--x has no meaning for --kind survival"),
        (("--kind", "curves", "--measures", "eval/eror"), "did you mean 'eval/error'"),
        (("--where", "n>100"), "there is no run to draw in"),
        (("--name", "a/b"), "a plain file name"),
    ],
)
def test_a_figure_that_cannot_be_drawn(command: Callable, swept: Path, options: tuple[str, ...], said: str) -> None:
    ended = command("figure", swept, *options, "--out", "drawn")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert not Path("drawn").exists()
