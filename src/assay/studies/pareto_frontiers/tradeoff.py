"""Over-sparse initial weights trade examples for width: the more ones a row, the likelier a good neuron, and the weaker
its gradient.

Claim   a good neuron needs about 1 / (|C| - |c|)^2 examples, s^(k-1), and is met once in about (n/s)^k neurons; with
        the rest of its support cut off, or with many ones, one step and a linear read-out compute the parity.
Source  Edelman et al. 2023, Theorem 4, footnote on truncation, and appendix B.2. The simulation is ours: S is found if
        the k largest entries of the gradient are on it. The theorem's own constants are astronomically large.
Output  table `tradeoff`, in three parts: `samples` (fraction found for each k, s and m), `price` (m_50 and neurons
        needed, in one row for each s) and `mechanism` (error of the read-out for each s and offset of the biases).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from assay.analysis import powerlaw
from assay.analysis.boundary import crossings
from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.theory.frontiers.one_step import oversparse_train
from assay.theory.frontiers.oversparse import (
    OFFSET,
    coefficients,
    finds_subset,
    good_probability,
    mechanism_error,
    sample_gradient,
)

N = 60
SIZES: Mapping[str, Mapping[int, Sequence[int]]] = {
    "smoke": {2: (9, 17, 33, 59), 4: (9,)},
    "desk": {2: (5, 9, 13, 17, 33, 59), 4: (9, 13, 17)},
    "paper": {2: (5, 9, 13, 17, 33, 59), 4: (9, 13, 17, 21)},
}
TRIALS = {"smoke": {2: 60, 4: 16}, "desk": {2: 200, 4: 30}, "paper": {2: 400, 4: 60}}
FACTORS = tuple(2 ** (i / 2) for i in range(1, 9))
"""m in units of 1 / (|C| - |c|)^2: from 1.4 to 16."""
MECHANISM = {"smoke": (17, 33, 65), "desk": (17, 33, 65, 129), "paper": (17, 33, 65, 129, 257)}
SMALL_K = 2

_CRITERION = (
    "n = 60: m_50 (|C| - |c|)^2 in [2, 12] for k = 2 and 4 at every s; slope of log m_50 in log s in [0.8, 1.2] for k "
    "= 2, s = 9 to 59; slope of log P(good) in log s = k +- 0.3 for k = 2 and 4, 2k < s <= n/4"
)
TRADE_OFF = Claim(
    id="C13",
    source="Edelman et al. 2023, Theorem 4",
    statement="Denser rows trade width for examples: neurons fall like s^-k and examples grow like s^(k-1).",
    kind="theorem",
    criterion=_CRITERION,
)
ONE_STEP = Claim(
    id="C13-step",
    source="Edelman et al. 2023, Theorem 4 and its footnote",
    statement="After one step a linear read-out computes the parity: at once with truncation, and the better the more "
    "ones a row without.",
    kind="theorem",
    criterion="k = 4, population step: test error 0 with truncation at every s; without, error at the largest s <= "
    "half of that at s = 17 (offset 1/2); k = 2, n = 34, s = 17, 60 neurons, 4,000 examples, from start to end: test "
    "error <= 0.1, with truncation <= 0.01",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    rng = np.random.default_rng(13)
    samples = pl.DataFrame(
        [row for k, sizes in SIZES[scale].items() for s in sizes for row in _found(k, s, TRIALS[scale][k], rng)]
    )
    price = crossings(samples, "m", by=["k", "s", "unit"]).with_columns(
        neurons=pl.struct("k", "s").map_elements(
            lambda cell: 1 / good_probability(N, cell["k"], cell["s"]), return_dtype=pl.Float64
        ),
        scaled=pl.col("crossing") / pl.col("unit"),
    )
    mechanism = [
        {"s": s, "offset": name, "error": mechanism_error(4, s, 10, rng, offset, truncate)}
        for s in MECHANISM[scale]
        for name, offset, truncate in (("1/2", 0.5, False), ("1/16", OFFSET, False), ("1/2, truncated", 0.5, True))
    ]
    whole = [
        {"s": 17, "offset": name, "error": oversparse_train(34, 2, 17, 60, rng, samples=4000, truncate=cut).test_error}
        for name, cut in (("start to end", False), ("start to end, truncated", True))
    ]
    return pl.concat(
        [
            samples.with_columns(part=pl.lit("samples")),
            price.with_columns(part=pl.lit("price")),
            pl.DataFrame(mechanism).with_columns(part=pl.lit("mechanism")),
            pl.DataFrame(whole).with_columns(part=pl.lit("whole")),
        ],
        how="diagonal_relaxed",
    )


def _found(k: int, s: int, trials: int, rng: np.random.Generator) -> list[dict[str, float]]:
    big, small = coefficients(k, s)
    unit = (abs(big) - abs(small)) ** -2
    rows = []
    for factor in FACTORS:
        m = math.ceil(factor * unit)
        solved = sum(finds_subset(sample_gradient(N, k, s, m, rng), k) for _ in range(trials))
        rows.append({"k": k, "s": s, "unit": unit, "m": m, "n": trials, "solved": solved})
    return rows


def figure(table: pl.DataFrame) -> Display:
    price = table.filter(part="price").drop("part").sort("k", "s")
    mechanism = table.filter(part="mechanism").drop("part").sort("offset", "s")
    shown = mechanism.with_columns(pl.max_horizontal("error", pl.lit(1e-4)))
    return board(
        Lines(
            price, x="s", y="crossing", line="k", bars=("crossing_low", "crossing_high"), x_scale="log", y_scale="log",
            x_label="ones a row s", y_label=r"examples $m_{50}$", title="Examples of a good neuron",
        ),
        Lines(
            price, x="crossing", y="neurons", line="k", x_scale="log", y_scale="log", x_label=r"examples $m_{50}$",
            y_label="neurons 1 / P(good)", title="The trade-off",
        ),
        Lines(
            shown, x="s", y="error", line="offset", x_scale="log", y_scale="log", x_label="ones a row s",
            y_label="test error", title="Read-out after a step",
        ),
        title="Over-sparse rows: examples against neurons",
        caption="Left: examples at which half of the good neurons' gradients have their k largest entries on S, n = 60 "
        "(95 % intervals). Middle: against the neurons it takes to meet a good one, along s. Right: test error of a "
        "linear read-out of good neurons after a population step, k = 4, with two offsets of the biases and with "
        "truncation (0 is drawn at 10^-4). Edelman et al. 2023, Theorem 4.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    price = table.filter(part="price").sort("k", "s")
    scaled = price["scaled"].to_list()
    inside = None not in scaled and all(2 <= value <= 12 for value in scaled)
    steep = price.filter((pl.col("k") == SMALL_K) & pl.col("s").is_between(9, 59))
    slope = powerlaw.fit(steep["s"].to_numpy(), steep["crossing"].to_numpy())
    growth = {k: _growth(k) for k in (2, 4)}
    right = all(abs(value - k) <= 0.3 for k, value in growth.items())
    note = f"value: slope of m_50 in s for k = 2; m_50 (|C| - |c|)^2: {', '.join(f'{value:.1f}' for value in scaled)}; "
    note += f"slopes of P(good): {growth[2]:.2f}, {growth[4]:.2f}"
    errors = table.filter(part="mechanism").sort("s")
    plain = errors.filter(offset="1/2")["error"].to_list()
    cut = max(errors.filter(offset="1/2, truncated")["error"])
    whole = dict(table.filter(part="whole").select("offset", "error").iter_rows())
    sound = cut == 0 and plain[-1] <= plain[0] / 2
    sound &= whole["start to end"] <= 0.1 and whole["start to end, truncated"] <= 0.01
    return [
        TRADE_OFF.judged(
            inside and 0.8 <= slope.exponent <= 1.2 and right, slope.exponent,
            (slope.exponent_low, slope.exponent_high), note,
        ),
        ONE_STEP.judged(
            sound, plain[-1],
            note=f"value: error at the largest s without truncation; at s = 17: {plain[0]:.3f}; with truncation: "
            f"{cut:g}; start to end: {whole['start to end']:.3f}, truncated {whole['start to end, truncated']:.3f}",
        ),
    ]  # fmt: skip


def _growth(k: int) -> float:
    """The slope of log P(good) in log s over 2k < s <= n/4, for a large n."""
    n = 400
    sizes = np.arange(4 * k + 1, n // 4, 2)
    return powerlaw.fit(sizes, np.array([good_probability(n, k, int(s)) for s in sizes])).exponent


experiment = Experiment(
    name="tradeoff",
    title="Over-sparse rows: examples against neurons",
    source="Theorem 4",
    claims=(TRADE_OFF, ONE_STEP),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
