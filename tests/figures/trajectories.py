"""Examples of the displays of single runs: two axes, marks that are not everywhere, one neuron beside several."""

from __future__ import annotations

import polars as pl

from assay.figures import TwinCurves, WeightTrajectories


def twin_curves() -> TwinCurves:
    rows = []
    for panel, found in (("B = 1", 300.0), ("B = 4", None)):
        for step in range(0, 500, 50):
            loss = None if step % 100 else 1.0 - step / 1000
            rows.append((panel, step, loss, step**2 / (1e6 if found else 1e3), found))
    table = pl.DataFrame(rows, schema=["panel", "step", "loss", "movement", "ahead"], orient="row")
    return TwinCurves(table, panel="panel", marks=("ahead",), y_label="loss")


def weights_of_a_layer() -> WeightTrajectories:
    rows = [
        (
            panel,
            neuron,
            step,
            coordinate,
            0.1 * coordinate - neuron * (step / 300 if coordinate < 2 else 0),
            coordinate < 2,
        )
        for panel, neurons in (("one", 1), ("three", 3))
        for neuron in range(1, neurons + 1)
        for coordinate in range(5)
        for step in range(0, 400, 100)
    ]
    schema = ["panel", "neuron", "step", "coordinate", "value", "relevant"]
    return WeightTrajectories(pl.DataFrame(rows, schema=schema, orient="row"), panel="panel", neuron="neuron")
