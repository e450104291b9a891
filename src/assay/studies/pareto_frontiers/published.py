"""The paper's table of test errors on sixteen tables, and what follows from it.

Claim   tuned MLPs beat tuned forests on 7 of 16 tables with all data, on 5 with a tenth, on 2 with a hundredth.
Source  Edelman et al. 2023, tables 1 and 2 (medians of 100 runs, in percent); G are errors of Grinsztajn et al. 2022.
Output  table `published`: one row a table and column.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from assay.figures import Display, HeatTable
from assay.studies import Claim, Experiment, Judgement

COLUMNS = ("MLP full", "MLP 10%", "MLP 1%", "RF full", "RF 10%", "RF 1%", "G.MLP", "G.RF", "G.best")
ERRORS: Mapping[str, tuple[float, ...]] = {
    "credit": (24.5, 27.8, 34.2, 22.0, 22.9, 24.8, 22.9, 23.6, 22.5),
    "electricity": (18.9, 23.2, 25.1, 15.4, 18.0, 23.0, 23.6, 13.7, 12.8),
    "covertype": (6.3, 13.7, 23.2, 19.1, 18.9, 21.4, 21.6, 17.1, 17.1),
    "pol": (1.4, 4.2, 12.3, 2.1, 4.0, 10.0, 6.3, 1.9, 1.7),
    "house-16h": (12.7, 14.9, 20.0, 12.4, 13.9, 17.4, 12.1, 12.0, 11.1),
    "magic-telescope": (14.6, 16.5, 23.1, 14.8, 16.8, 21.9, 14.6, 14.5, 13.9),
    "bank-marketing": (20.2, 21.8, 25.9, 19.7, 21.1, 25.2, 20.9, 20.1, 19.5),
    "miniboone": (7.2, 10.0, 14.4, 7.7, 8.6, 10.5, 6.7, 7.3, 6.2),
    "higgs": (26.1, 28.7, 33.7, 28.5, 28.7, 29.9, 31.4, 29.1, 28.6),
    "eye-movements": (39.9, 43.9, 46.3, 35.8, 43.0, 47.8, 41.8, 34.8, 33.4),
    "diabetes-130us": (39.1, 39.3, 40.7, 39.1, 39.4, 40.6, 39.5, 39.5, 39.4),
    "jannis": (23.0, 26.1, 28.7, 22.0, 23.8, 27.2, 25.5, 22.7, 22.0),
    "default-of-credit-card-clients": (28.7, 30.1, 33.5, 28.2, 29.2, 31.9, 28.9, 28.0, 28.0),
    "bioresponse": (19.5, 28.9, 37.6, 22.2, 29.2, 39.8, 23.4, 20.5, 20.5),
    "california": (12.2, 14.8, 20.8, 11.2, 13.8, 18.4, 12.9, 10.6, 9.7),
    "heloc": (27.1, 28.0, 31.3, 27.8, 28.6, 31.0, 27.8, 28.1, 27.4),
}
SIZES = ("full", "10%", "1%")
EXPECTED = {"full": (7, 1, 8), "10%": (5, 1, 10), "1%": (2, 0, 14)}

COUNTS = Claim(
    id="C20",
    source="Edelman et al. 2023, table 2",
    statement="By the published errors MLPs win on 7, 5 and 2 of 16 tables with all, a tenth and a hundredth of the "
    "data, and every MLP gets better with more data.",
    kind="experiment",
    criterion="MLP below, equal to and above RF on (7, 1, 8), (5, 1, 10) and (2, 0, 14) tables; all 16 MLP errors fall "
    "with the data",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    rows = [
        {"table": name, "column": column, "error": error}
        for name, errors in ERRORS.items()
        for column, error in zip(COLUMNS, errors, strict=True)
    ]
    return pl.DataFrame(rows)


def figure(table: pl.DataFrame) -> Display:
    return HeatTable(
        table,
        row="table",
        column="column",
        value="error",
        centre=None,
        number=".1f",
        title="Published test errors",
        caption="Test error in percent, medians of 100 runs: best MLP and best random forest (RF) with all, a tenth "
        "and a hundredth of the training pool, and the errors of Grinsztajn et al. (G). Edelman et al. 2023, table 2.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    wide = table.pivot("column", index="table", values="error")
    found = {}
    for size in SIZES:
        ours, theirs = wide[f"MLP {size}"], wide[f"RF {size}"]
        found[size] = (int((ours < theirs).sum()), int((ours == theirs).sum()), int((ours > theirs).sum()))
    falls = int(((wide["MLP full"] < wide["MLP 10%"]) & (wide["MLP 10%"] < wide["MLP 1%"])).sum())
    means = ", ".join(f"{size} {wide[f'MLP {size}'].mean():.2f} / {wide[f'RF {size}'].mean():.2f}" for size in SIZES)
    note = f"value: MLPs that get better with data; wins, ties, losses {found}; mean errors MLP / RF: {means}"
    return [COUNTS.judged(found == EXPECTED and falls == 16, falls, note=note)]


experiment = Experiment(
    name="published",
    title="The published errors on tables",
    source="tables 1 and 2",
    claims=(COUNTS,),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
