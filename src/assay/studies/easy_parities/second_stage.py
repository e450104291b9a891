"""What the second stage may move, and what online gradient descent guarantees.

Claims  theorem 13 on random sequences; lemmas 14, 15 and 16 along exact runs.
Source  Daniely and Malach 2020, theorem 13 and lemmas 14 to 16. The third term of lemma 15 is printed garbled; lemma 16
        has eta t lambda n/k, which the regulariser lambda ||w||^2 doubles.
Output  table `second-stage`, in three parts: `moves` (at each step the largest |u|, ||w - w^(1)|| and |b - b^(1)|
beside
        what lemma 15 allows), `drift` (the slack of lemma 16, and lemma 14) and `descent` (the slack of theorem 13).
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.studies.easy_parities.settings import SOURCE
from assay.theory.easy_parity.descent import drift_slack, movements, regret_slack
from assay.theory.easy_parity.population import Net, Population
from assay.theory.easy_parity.separator import separator

N, K, Q = 11, 3, 32
STEPS = {"smoke": 60, "desk": 400, "paper": 400}
SEEDS = {"smoke": 1, "desk": 3, "paper": 10}
RATES = {"eta = 0.5": (0.5, 0.0), "eta = 0.05, lambda = k/n": (0.05, K / N)}
QUANTITIES = {"u": "|u|", "w": "||w - w(1)||", "b": "|b - b(1)|"}

DESCENT = Claim(
    id="DM5-theorem13",
    source=f"{SOURCE}, theorem 13",
    statement="Online gradient descent on convex losses keeps its bound against every fixed point.",
    kind="theorem",
    criterion="1000 random sequences of 50 hinge losses in 5 dimensions, random starts, points and rates: smallest "
    "slack >= 0",
)
LEMMA_14 = Claim(
    id="DM5-lemma14",
    source=f"{SOURCE}, lemma 14",
    statement="After step 1 no output weight is larger than k / sqrt n.",
    kind="theorem",
    criterion="(11, 3), exact: largest |u| sqrt n / k <= 1",
)
LEMMA_15 = Claim(
    id="DM5-lemma15",
    source=f"{SOURCE}, lemma 15, its third term as in lemma 16 and doubled",
    statement="Afterwards weights and biases stay within 6 eta^2 t^2 + eta t k/sqrt n of where step 1 left them.",
    kind="theorem",
    criterion="(11, 3), exact, two rates, with and without lambda: |u|, ||w - w(1)|| and |b - b(1)| at most what is "
    "allowed at every step: largest share <= 1",
)
LEMMA_16 = Claim(
    id="DM5-lemma16",
    source=f"{SOURCE}, lemma 16",
    statement="So the loss of fixed output weights changes by no more than that times their norms.",
    kind="theorem",
    criterion="(11, 3), exact, output weights of margin 1 after step 1, steps 2 to 20 at eta = 0.01: smallest slack "
    ">= 0",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    on = Population.of(N, K)
    moves, drift = [], []
    for seed in range(SEEDS[scale]):
        start = Net.start(N, K, Q, seed)
        for rates, (rate, decay) in RATES.items():
            for row in movements(on, start, rate, decay, STEPS[scale]):
                for short, name in QUANTITIES.items():
                    common = {"part": "moves", "seed": seed, "rates": rates, "step": row["step"], "quantity": name}
                    moves += [common | {"which": "measured", "value": row[short]},
                              common | {"which": "allowed", "value": row[f"{short}_allowed"]}]  # fmt: skip
        first = now = start.leap(on)
        weights = separator(first, on).u
        assert weights is not None
        common = {"part": "drift", "seed": seed, "largest_u": float(np.abs(first.u).max()) * math.sqrt(N) / K}
        for t in range(2, 21):
            now = now.step(on, 0.01)
            drift.append(common | {"step": t, "slack": drift_slack(on, first, now, weights, t, 0.01)})
    return pl.concat(
        [pl.DataFrame(moves), pl.DataFrame(drift), pl.DataFrame(_descent())], how="diagonal_relaxed"
    ).with_columns(pl.col("step").cast(pl.Int64))


def _descent() -> list[dict]:
    rng = np.random.default_rng(0)
    return [
        {"part": "descent", "seed": i, "slack": regret_slack(
            rng.normal(size=(50, 5)), rng.normal(size=50), rng.normal(size=5), 2 * rng.normal(size=5),
            float(10 ** rng.uniform(-2, 0)),
        )}
        for i in range(1000)
    ]  # fmt: skip


def figure(table: pl.DataFrame) -> Display:
    last = table.filter(part="moves")["step"].to_numpy().max()
    chosen = np.unique(np.geomspace(2, last, 14).round())
    moves = table.filter(
        pl.col("part") == "moves", pl.col("seed") == 0, pl.col("rates") == next(iter(RATES)),
        pl.col("step").is_in(chosen.astype(int).tolist()), pl.col("value") > 0,
    )  # fmt: skip
    return Lines(
        moves,
        panel="quantity",
        columns=3,
        x="step",
        y="value",
        line="which",
        x_scale="log",
        y_scale="log",
        x_label="step",
        y_label="largest over neurons",
        title="What the second stage moves, and what it may",
        caption="The largest output weight, and how far first-layer weights and biases have moved since step 1, "
        "beside what lemma 15 allows: exact gradients, (n, k) = (11, 3), 64 neurons, rate 0.5, no regulariser. "
        "Daniely and Malach 2020.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    moves = table.filter(part="moves").select("seed", "rates", "step", "quantity", "which", "value")
    wide = moves.pivot("which", index=["seed", "rates", "step", "quantity"], values="value")
    share = float((wide["measured"] / wide["allowed"]).to_numpy().max())
    drift = table.filter(part="drift")
    largest, slack = float(drift["largest_u"].to_numpy().max()), float(drift["slack"].to_numpy().min())
    regret = float(table.filter(part="descent")["slack"].to_numpy().min())
    return [
        DESCENT.judged(regret >= 0, regret, None, "value: smallest slack"),
        LEMMA_14.judged(largest <= 1, largest, None, "value: largest |u| sqrt n / k"),
        LEMMA_15.judged(share <= 1, share, None, f"value: largest share of what is allowed, {wide.height} comparisons"),
        LEMMA_16.judged(slack >= 0, slack, None, "value: smallest slack"),
    ]


experiment = Experiment(
    name="second-stage",
    title="What the second stage may move",
    source="theorem 13, lemmas 14 to 16",
    claims=(DESCENT, LEMMA_14, LEMMA_15, LEMMA_16),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
