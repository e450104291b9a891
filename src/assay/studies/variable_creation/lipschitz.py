"""The lemmas that keep the length out: how much attention changes with its weights, on random weights.

Claim   every bound holds, and none of the ratios grows with T.
Source  Edelman, Goel, Kakade, Zhang 2022, lemma 4.7, lemmas A.13 to A.16 and the proof of theorem A.17; proposition
        4.8.
Output  table `lipschitz`, in parts: `ratios` (largest change over its bound) and `shattering` (unbounded heads).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.theory.capacity.lipschitz import Layer, head_ratio, inputs_ratio, stack_ratio, to_ball, weights_ratio
from assay.theory.capacity.shattering import PROVED, decisions_right, shattering

DRAWS = {"smoke": 60, "desk": 500, "paper": 3000}
LENGTHS = (2, 10, 100, 1000)
DEPTHS = (1, 2, 3, 4)
SHATTERED = {"smoke": 9, "desk": 10, "paper": 11}
SOURCE = "Edelman, Goel, Kakade, Zhang 2022, "

HEAD = Claim(
    id="C4",
    source=SOURCE + "lemma 4.7",
    statement="A head changes with its weights by no more than its scores and values do, without a factor T.",
    kind="theorem",
    criterion="T = 2, 10, 100, 1000: every ratio of the two sides <= 1 + 1e-9; the largest at T = 1000 at most that "
    "at T = 2",
)
LAYER = Claim(
    id="C5",
    source=SOURCE + "lemmas A.13, A.14, A.15",
    statement="A layer changes with its weights and with its input by no more than the lemmas say.",
    kind="theorem",
    criterion="every ratio of the two sides <= 1 + 1e-9",
)
DEPTH = Claim(
    id="C6",
    source=SOURCE + "lemma A.16 and the proof of theorem A.17",
    statement="Errors of the weights of L layers add up as in the proof of the capacity bound.",
    kind="theorem",
    criterion="L = 1, 2, 3, 4: every ratio of the change to the error that is added up <= 1 + 1e-9",
)
SHATTERS = Claim(
    id="C11",
    source=SOURCE + "proposition 4.8",
    statement="Heads of unbounded norm in 3 dimensions shatter log2 T inputs, so without bounds capacity is at least "
    "log2 T.",
    kind="theorem",
    criterion={
        "smoke": "T = 2..512: every threshold decision right for all s and i; smallest weight at s >= 0.614758",
        "desk": "T = 2..1024: every threshold decision right for all s and i; smallest weight at s >= 0.614758",
        "paper": "T = 2..2048: every threshold decision right for all s and i; smallest weight at s >= 0.614758",
    },
)


def table(runs: None, scale: str) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    rows: list[dict[str, object]] = []

    def largest(line: str, x: int, ratios: list[float]) -> None:
        rows.append({"part": "ratios", "line": line, "x": x, "value": max(ratios)})

    for length in LENGTHS:
        heads, weights, inputs = [], [], []
        for _ in range(DRAWS[scale]):
            z, near, one, other = _drawn(length, rng)
            heads.append(head_ratio(z, z[0], one, other))
            if length <= 10:
                weights.append(weights_ratio(z, one, other))
                inputs.append(inputs_ratio(z, near, one))
        largest("head (4.7)", length, heads)
        if weights:
            largest("weights of a layer (A.13)", length, weights)
            largest("input of a layer (A.14)", length, inputs)
    for depth in DEPTHS:
        stacks = []
        for _ in range(DRAWS[scale]):
            z = to_ball(rng.normal(size=(6, 4)))
            ones = [Layer.random(4, 3, 10 ** rng.uniform(-1, 0.5), rng) for _ in range(depth)]
            step = 10 ** rng.uniform(-3, 0)
            w = rng.normal(size=4)
            stacks.append(stack_ratio(z, ones, [o.near(step, rng) for o in ones], w, w + step * rng.normal(size=4)))
        largest("layers (A.15, A.16)", depth, stacks)
    for log in range(1, SHATTERED[scale] + 1):
        weight = shattering(2**log)[1]
        rows.append({"part": "shattering", "line": "smallest weight", "x": 2**log, "value": weight})
        rows.append({"part": "decisions", "line": "all right", "x": 2**log, "value": float(decisions_right(2**log))})
    return pl.DataFrame(rows, infer_schema_length=None)


def _drawn(length: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, Layer, Layer]:
    d, k = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    one = Layer.random(d, k, 10 ** rng.uniform(-1, 0.6), rng)
    z = to_ball(rng.normal(size=(length, d)))
    step = 10 ** rng.uniform(-3, 0)
    return z, to_ball(z + step * rng.normal(size=z.shape)), one, one.near(step, rng)


def figure(table: pl.DataFrame) -> Display:
    ratios = table.filter(part="ratios").drop("part")
    by_depth = ratios.filter(pl.col("line").str.starts_with("layers"))
    by_length = ratios.filter(~pl.col("line").str.starts_with("layers"))
    return board(
        Lines(
            by_length, x="x", y="value", line="line", x_scale="log", title="Against the length",
            x_label="length T", y_label="largest change / bound",
        ),
        Lines(by_depth, x="x", y="value", line="line", title="Against the depth", x_label="layers L",
              y_label="largest change / bound"),
        Lines(
            table.filter(part="shattering").drop("part"), x="x", y="value", line="line", x_scale="log",
            title="Unbounded heads", x_label="length T", y_label="smallest weight at s",
        ),
        title="What attention can and cannot change by",
        caption="Largest ratio of a change to its bound over random weights: none exceeds 1 or grows with T. Right: "
        "heads of "
        "norm T^2 attend to any one position, with a weight that stays far above the 0.615 that is proved. Edelman, "
        "Goel, "
        "Kakade, Zhang 2022, lemmas 4.7, A.13 to A.16, proposition 4.8.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    ratios = table.filter(part="ratios")
    head = ratios.filter(line="head (4.7)").sort("x")["value"].to_list()
    layer = ratios.filter(pl.col("line").str.contains(r"A\.1[34]\)"))["value"].to_list()
    depth = ratios.filter(line="layers (A.15, A.16)")["value"].to_list()
    weight = float(table.filter(part="shattering")["value"].to_numpy().min())
    right = bool((table.filter(part="decisions")["value"] == 1).all())
    return [
        HEAD.judged(max(head) <= 1 + 1e-9 and head[-1] <= head[0], max(head)),
        LAYER.judged(max(layer + depth[:1]) <= 1 + 1e-9, max(layer + depth[:1])),
        DEPTH.judged(max(depth) <= 1 + 1e-9, max(depth)),
        SHATTERS.judged(right and weight >= PROVED, weight),
    ]


experiment = Experiment(
    name="lipschitz",
    title="What attention can and cannot change by",
    source="lemmas 4.7, A.13 to A.16, proposition 4.8",
    claims=(HEAD, LAYER, DEPTH, SHATTERS),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
