"""Theory checks as tables: a row a case, with an error and the limit that it must keep."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assay.studies import Claim, Judgement

PAPER = "Morwani et al. 2023"


class Checks:
    """Rows of a table that decide claims: a claim holds where every value is at most its limit."""

    def __init__(self) -> None:
        self.rows: list[dict[str, object]] = []

    def add(self, claim: Claim, case: str, value: float, limit: float) -> None:
        self.rows.append({"claim": claim.id, "case": case, "value": float(value), "limit": float(limit)})

    def table(self, *others: pl.DataFrame) -> pl.DataFrame:
        return pl.concat([pl.DataFrame(self.rows).with_columns(part=pl.lit("checks")), *others], how="diagonal_relaxed")


def judged(table: pl.DataFrame, claims: Sequence[Claim]) -> list[Judgement]:
    """Each claim by its rows; the value is the one closest to its limit, or furthest beyond it."""
    found = []
    for claim in claims:
        rows = table.filter(pl.col("part") == "checks", pl.col("claim") == claim.id).to_dicts()
        excess = [(row["value"] - row["limit"]) / (abs(row["limit"]) or 1.0) for row in rows]
        worst = rows[max(range(len(rows)), key=excess.__getitem__)]
        holds = bool(rows) and all(row["value"] <= row["limit"] for row in rows)
        note = f"{len(rows)} checks; closest to its limit {worst['limit']:g}: {worst['case']}"
        found.append(claim.judged(holds, worst["value"], None, note))
    return found
