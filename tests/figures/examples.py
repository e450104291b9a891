"""One small example of every display, with the awkward rows: nulls, infinities, unsolved groups, panels."""

from __future__ import annotations

import math

import polars as pl

from assay.figures import (
    AttentionLinks,
    AttentionMaps,
    Bars,
    Board,
    CurveGrid,
    Display,
    HeatTable,
    Lines,
    PanelDisplay,
    ProgressMeasure,
    SolveTimes,
    Spectrum,
    StageCurves,
    SurvivalCurves,
    TrainingCurves,
    WeightTrajectories,
    board,
)
from tests.figures import distributions, trajectories


def training_curves(panels: int = 2) -> TrainingCurves:
    rows = []
    for panel in range(panels):
        for measure, height in (("eval/loss", 1.0), ("eval/error", 0.5)):
            for trial in ("a", "b", None):
                for step in range(0, 1000 * (panel + 1), 100):
                    value = height / (1 + math.exp((step - 600 - 100 * (trial == "b")) / 50))
                    band = (0.9 * value, 1.1 * value) if trial is None else (None, None)
                    rows.append((f"setting {panel}", measure, trial, step, value, *band, 0.5))
    schema = ["setting", "measure", "trial", "step", "value", "low", "high", "chance"]
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return TrainingCurves(table, panel="setting", y_label="loss, error", title="Training curves", caption="Two trials.")


def curve_grid() -> CurveGrid:
    """Two weight decays, three sizes of the training set; runs of one column are longer than those of the others."""
    table = training_curves(1).table.drop("setting")
    cells = [
        table.with_columns(step=(1 + column) * pl.col("step"), decay=pl.lit(0.1 * row), samples=pl.lit(100 * column))
        for row in range(2)
        for column in range(3)
    ]
    return CurveGrid(pl.concat(cells), row="decay", column="samples", labels={"0.1": "much"}, y_label="loss, error")


def solve_times() -> SolveTimes:
    rows = []
    for setting in ("ReLU", "PolyNet"):
        for k in (2, 3, 4):
            for n in (10, 20, 30, 40):
                middle = float(n**k) if n * k < 120 else None
                high = None if middle is None or n * k == 90 else 1.4 * middle
                fraction = 1.0 if n * k < 90 else 0.9995 if n * k == 90 else 0.2
                low = None if middle is None else 0.8 * middle
                rows.append((setting, n, k, fraction, middle, low, high, float(math.comb(n, k))))
    schema = ["net", "task.n", "task.k", "solved_fraction", "q50", "q50_low", "q50_high", "subsets"]
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return SolveTimes(table, panel="net", overlays=("subsets",), labels={"subsets": "C(n, k)"}, title="Solve times")


def survival_curves() -> SurvivalCurves:
    rows = []
    for k in (2, 3):
        for i, survival in enumerate((1.0, 0.75, 0.5, 0.25, 0.25)):
            band = (max(survival - 0.2, 0), min(survival + 0.2, 1)) if 0 < survival < 1 else (None, None)
            rows.append((k, 40 * k * i**2, survival, *band, int(i == 4)))
    schema = ["task.k", "step", "survival", "survival_low", "survival_high", "censored"]
    return SurvivalCurves(pl.DataFrame(rows, schema=schema, orient="row"), line="task.k")


def weight_trajectories() -> WeightTrajectories:
    rows = [
        (step, coordinate, 0.01 * coordinate + (step / 400 if coordinate < 3 else 0.0), coordinate < 3)
        for coordinate in range(12)
        for step in range(0, 500, 50)
    ]
    return WeightTrajectories(pl.DataFrame(rows, schema=["step", "coordinate", "value", "relevant"], orient="row"))


def progress_measure() -> ProgressMeasure:
    rows = [
        (condition, step, 0.8 * speed * step, speed * step, None if step == 450 else 1.2 * speed * step, 200)
        for condition, speed in (("parity labels", 0.002), ("pure noise", 0.001))
        for step in range(0, 500, 50)
    ]
    table = pl.DataFrame(rows, schema=["condition", "step", "q10", "q50", "q90", "mark"], orient="row")
    return ProgressMeasure(table, mark="mark", y_label="movement", labels={"mark": "a tenth solved"})


def spectrum() -> Spectrum:
    rows = [
        (n, degree, value := (0.0 if degree % 2 == 0 else (-1) ** (degree // 2) * 0.3**degree), value + 1e-17)
        for n in (5, 7)
        for degree in range(n + 1)
    ]
    return Spectrum(pl.DataFrame(rows, schema=["n", "degree", "theory", "measured"], orient="row"), panel="n")


def heat_table() -> HeatTable:
    rows = [
        (f"setting {row}", 4**column, None if row + column == 4 else 0.5 + 0.25 * (row + column))
        for row in range(3)
        for column in range(4)
    ]
    table = pl.DataFrame(rows, schema=["setting", "batch", "ratio"], orient="row")
    return HeatTable(table, row="setting", column="batch", value="ratio", reach=2.0)


def heat_panels() -> HeatTable:
    """Steps on a sequential scale, with words of their own, a blank place and a colour bar."""
    rows = [
        (k, f"setting {row}", 4**column, (steps := 10.0 ** (k + row - column)), f"{steps:,.0f}")
        for k in (2, 3)
        for row in range(3)
        for column in range(3)
        if (k, row, column) != (3, 1, 1)
    ]
    table = pl.DataFrame(rows, schema=["k", "setting", "batch", "steps", "text"], orient="row")
    return HeatTable(table, panel="k", row="setting", column="batch", value="steps", centre=None, bar="steps")


def lines() -> Lines:
    rows = [(law, x, float(x) ** power) for law, power in (("a", 1.5), ("b", -0.5)) for x in (1, 3, 9, 27)]
    table = pl.DataFrame(rows, schema=["law", "x", "y"], orient="row")
    return Lines(table, line="law", x_scale="log", y_scale="log", x_label="degree", y_label="scaled size")


def stage_curves() -> StageCurves:
    rows = [
        (panel, 640 * x, name, abs(x - place) / 10, ("uniform", "unigram", "bigram")[x // 4], 0.3)
        for panel in ("k = 2", "k = 3")
        for name, place in (("uniform", 0), ("unigram", 5), ("bigram", 10))
        for x in range(12)
    ]
    schema = ["panel", "sequences", "strategy", "value", "stage", "line"]
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return StageCurves(table, panel="panel", levels=("line",), y_label="distance")


def bars() -> Bars:
    rows = [(panel, lag, 0.5**lag - 0.1, lag % 2 == 1) for panel in ("early", "late") for lag in range(8)]
    table = pl.DataFrame(rows, schema=["panel", "lag", "weight", "odd"], orient="row")
    return Bars(table, x="lag", y="weight", flag="odd", panel="panel", x_label="lag", y_label="weight")


def attention_maps() -> AttentionMaps:
    rows = [
        (f"layer {layer}", query, key, (key + 1) / (query + 1))
        for layer in (1, 2)
        for query in range(9)
        for key in range(query)
    ]
    return AttentionMaps(pl.DataFrame(rows, schema=["panel", "query", "key", "value"], orient="row"), panel="panel")


def attention_links() -> AttentionLinks:
    rows = [
        (step, layer, query, key, 1.0 if query - key == 1 else 0.1, key % 3)
        for step in (10, 20)
        for layer in (0, 1)
        for query in (range(8) if layer == 0 else (7,))
        for key in range(query + 1)
    ]
    schema = ["step", "layer", "query", "key", "weight", "symbol"]
    return AttentionLinks(pl.DataFrame(rows, schema=schema, orient="row"), panel="step")


def two_displays() -> Board:
    return board(progress_measure(), weight_trajectories(), title="Hidden progress", caption="Two measures.")


def tall_board() -> Board:
    return board(
        training_curves(), curve_grid(), columns=1, heights=(1.0, 1.5), size=(6.8, 5.6), title="A slice and all"
    )


PANELS: dict[str, PanelDisplay] = {
    "training curves": training_curves(),
    "curve grid": curve_grid(),
    "solve times": solve_times(),
    "survival curves": survival_curves(),
    "weight trajectories": weight_trajectories(),
    "progress measure": progress_measure(),
    "spectrum": spectrum(),
    "heat table": heat_table(),
    "heat panels": heat_panels(),
    "lines": lines(),
    "stage curves": stage_curves(),
    "bars": bars(),
    "attention maps": attention_maps(),
    "attention links": attention_links(),
    "histogram": distributions.histogram(),
    "histograms on top of each other": distributions.histograms_on_top_of_each_other(),
    "boxes": distributions.boxes(),
    "twin curves": trajectories.twin_curves(),
    "weights of a layer": trajectories.weights_of_a_layer(),
}
DISPLAYS: dict[str, Display] = {
    **PANELS,
    "eight panels": training_curves(8),
    "board": two_displays(),
    "tall board": tall_board(),
}
