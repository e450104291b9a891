"""Examples of the displays of distributions: histograms with empty bins and a law's tails, boxes open above."""

from __future__ import annotations

import math

import polars as pl

from assay.figures import Boxes, Histogram


def histogram(panels: int = 2) -> Histogram:
    rows = []
    for panel in range(panels):
        for i in range(12):
            low, high = 10 * 2.0**i, 20 * 2.0**i
            height = [0, 0, 0, 3, 40, 0, 10, 1, 0, 0, 0, 0][(i - panel) % 12] / 100
            law = math.exp(-low / 2000) - math.exp(-high / 2000)
            rows.append((f"setting {panel}", low, high, height, law, None if i == 11 else law / 2, 300.0 + panel))
    schema = ["setting", "low", "high", "fraction", "search", "half", "median"]
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return Histogram(
        table,
        panel="setting",
        laws=("search", "half"),
        marks=("median",),
        x_scale="log",
        y_scale="log",
        x_label="steps",
        y_label="fraction of runs",
        labels={"fraction": "runs", "search": "random search"},
    )


def histograms_on_top_of_each_other() -> Histogram:
    rows = [
        (family, -1 + 0.25 * i, -0.75 + 0.25 * i, (i + shift) % 5, 2.0, 0.1 + shift)
        for shift, family in enumerate(("sign", "Gaussian"))
        for i in range(8)
    ]
    table = pl.DataFrame(rows, schema=["family", "low", "high", "count", "flat", "median"], orient="row")
    return Histogram(table, line="family", height="count", laws=("flat",), marks=("median",), x_label="gap")


def boxes() -> Boxes:
    rows = []
    for n in (30, 40):
        for r in (1, 2, 3, 4, 30, 1000):
            box = [100.0, 150.0, 300.0 + n, 400.0 + n, 600.0 + n, 900.0 + n, 2000.0 + n]
            infinite = {1: 6, 2: 4, 3: 3}.get(r, 0)  # how many of the seven are infinite
            shown = [None if i >= 7 - infinite else value for i, value in enumerate(box)]
            rows.append((n, r, r < 3, *shown, 1 - infinite / 8, 4060 / r))
    numbers = ["low", "whisker_low", "q25", "q50", "q75", "whisker_high", "high", "solved_fraction", "search"]
    table = pl.DataFrame(rows, schema=["n", "r", "narrow", *numbers], orient="row")
    labels = {"q50": "r >= k", "narrow": "r < k", "search": "random search"}
    return Boxes(table, x="r", panel="n", flag="narrow", overlays=("search",), labels=labels)
