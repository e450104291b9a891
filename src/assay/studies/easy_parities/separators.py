"""After one step the parity is linear: the shortest output weights with margin 1, and the ramps they are made of.

Claims  after the exact first step the parity is a linear function of the features; lemma 10.
Source  Daniely and Malach 2020, lemmas 10 to 12. Lemma 10 is printed with u on [-r/k, r/k], on which the neuron is
flat,
        and a ramp of ReLU6, which ends at 6; it is meant for u on [-n/k, n/k], as initialised, and ReLU.
Output  table `separators`, in two parts: `separators` (for each n, k, q the length of the output weights, the margin
and
        the errors on the whole cube) and `ramps` (for each k, r, alpha and eps the part of the initial output weights
        that make a ramp, in closed form and drawn, with the printed range as well, and the lemma's bound).
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.studies.easy_parities.settings import SOURCE
from assay.theory.easy_parity import ramps
from assay.theory.easy_parity.population import Net, Population
from assay.theory.easy_parity.separator import separator

GRID = {  # (n, k) -> q
    "smoke": {(11, 3): (16, 32, 64), (11, 5): (32, 64)},
    "desk": {(11, 3): (16, 32, 64, 128, 256), (11, 5): (32, 64, 128, 256), (13, 7): (256,)},
    "paper": {(11, 3): (16, 32, 64, 128, 256), (11, 5): (32, 64, 128, 256), (13, 7): (256, 512), (15, 7): (256,)},
}
SEEDS = {"smoke": 1, "desk": 3, "paper": 5}
N = 101
DRAWS = 4000

_CRITERION = "output weights with y g >= 1 and no error on the whole cube for (n, k, q) = {}, every seed"
SEPARABLE = Claim(
    id="DM1b",
    source=f"{SOURCE}, lemma 12",
    statement="After one exact step the parity is linearly separable in the features.",
    kind="theorem",
    criterion={
        "smoke": _CRITERION.format("(11, 3, 16 to 64), (11, 5, 32 and 64)"),
        "desk": _CRITERION.format("(11, 3, 16 to 256), (11, 5, 32 to 256), (13, 7, 256)"),
        "paper": _CRITERION.format("(11, 3, 16 to 256), (11, 5, 32 to 256), (13, 7, 256 and 512), (15, 7, 256)"),
    },
)
RAMPS = Claim(
    id="DM5-lemma10",
    source=f"{SOURCE}, lemma 10, corrected",
    statement="Of the output weights drawn at the start a part of eps/(8k^2) or more makes each ramp up to eps.",
    kind="theorem",
    criterion="k = 3, 5, 7, all r, alpha in {1/4, 1/2, 1}, eps in {0.1, 1}, u on [-n/k, n/k]: both ends of the "
    "interval within eps of the ramp, its probability >= eps/(8k^2), and the fraction of 4000 draws within 5 standard "
    "errors",
)
PRINTED = Claim(
    id="DM5-lemma10-printed",
    source=f"{SOURCE}, lemma 10, as printed",
    statement="Of the numbers u on [-r/k, r/k] a part of eps/(8k^2) or more makes each ReLU6 ramp up to eps.",
    kind="errata",
    criterion="the same k, r, alpha, eps, u on [-r/k, r/k], ramp ended at 6: smallest fraction of 4000 draws over "
    "eps/(8k^2) >= 1",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    rows = []
    for (n, k), widths in GRID[scale].items():
        on = Population.of(n, k)
        for q in widths:
            for seed in range(SEEDS[scale]):
                found = separator(Net.start(n, k, q, seed).leap(on), on)
                rows.append(
                    {"part": "separators", "setting": f"n = {n}, k = {k}", "n": n, "k": k, "q": q, "seed": seed,
                     "norm": found.norm if math.isfinite(found.norm) else None, "margin": found.margin,
                     "errors": found.errors}
                )  # fmt: skip
    return pl.concat([pl.DataFrame(rows), pl.DataFrame(_ramps())], how="diagonal_relaxed")


def _ramps() -> list[dict]:
    rng = np.random.default_rng(0)
    uniform = rng.uniform(-1, 1, size=DRAWS)
    rows = []
    for k in (3, 5, 7):
        for r in range(-k, k + 1, 2):
            for alpha in (0.25, 0.5, 1.0):
                ideal = ramps.ideal_output_weight(N, k, r, alpha)
                near = [u for u in uniform * N / k if u * ideal > 0 and abs(u / ideal - 1) < 1]
                errors = np.array([ramps.ramp_error(N, k, r, alpha, u) for u in near])
                flat = [ramps.ramp_error(N, k, r, alpha, u * abs(r) / k, 6) for u in uniform[:: DRAWS // 20]]
                for eps in (0.1, 1.0):
                    ends = [ramps.ramp_error(N, k, r, alpha, ideal * (1 + side * eps / k)) for side in (-1, 1)]
                    rows.append(
                        {"part": "ramps", "k": k, "r": r, "alpha": alpha, "eps": eps, "bound": eps / (8 * k**2),
                         "probability": ramps.ramp_probability(k, r, alpha, eps), "end_error": max(ends),
                         "drawn": float((errors <= eps).sum() / DRAWS), "least_printed_error": min(flat),
                         "drawn_printed": float(np.mean(np.array(flat) <= eps))}
                    )  # fmt: skip
    return rows


def figure(table: pl.DataFrame) -> Display:
    rows = table.filter(pl.col("part") == "separators", pl.col("norm").is_not_null())
    middle = rows.group_by("setting", "q", maintain_order=True).agg(pl.median("norm"))
    return Lines(
        middle,
        x="q",
        y="norm",
        line="setting",
        x_scale="log",
        y_scale="log",
        x_label="q, half the number of neurons",
        y_label="length of the output weights",
        title="The parity, read off the features of step 1",
        caption="Length of the shortest output weights with margin 1 on the whole cube, on the features that one exact "
        "gradient step makes: median over initial weights. It falls about as 1/sqrt q, as in lemma 12. Daniely and "
        "Malach 2020.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="separators")
    separable = bool((rows["errors"] == 0).all() and rows["norm"].is_not_null().all())
    slopes = {
        part["setting"][0]: float(np.polyfit(np.log(part["q"]), np.log(part["norm"].to_numpy()), 1)[0])
        for part in rows.drop_nulls("norm").partition_by("setting", maintain_order=True)
        if part["q"].n_unique() > 1
    }
    words = "; ".join(f"{setting}: length falls as q^{slope:.2f}" for setting, slope in slopes.items())
    lines = table.filter(part="ramps")
    least = float((lines["probability"] / lines["bound"]).to_numpy().min())
    within = float((lines["end_error"] / lines["eps"]).to_numpy().max())
    spread = (lines["probability"] * (1 - lines["probability"]) / DRAWS).sqrt()
    far = float(((lines["drawn"] - lines["probability"]).abs() / spread).to_numpy().max())
    printed = float((lines["drawn_printed"] / lines["bound"]).to_numpy().min())
    nearest = float(lines["least_printed_error"].to_numpy().min())
    return [
        SEPARABLE.judged(
            separable, float(rows["errors"].sum()), None, f"value: errors on the cubes, {rows.height} nets. {words}"
        ),
        RAMPS.judged(
            least >= 1 - 1e-12 and within <= 1 + 1e-9 and far <= 5, least, None,
            f"value: smallest probability over bound. Error at the ends at most {within:.6f} eps; draws at most "
            f"{far:.1f} standard errors away",
        ),
        PRINTED.judged(
            printed >= 1, printed, None,
            f"value: smallest fraction over bound. The nearest of all is {nearest:.2f} away",
        ),
    ]  # fmt: skip


experiment = Experiment(
    name="separators",
    title="The parity in the features of step 1",
    source="lemmas 10 to 12",
    claims=(SEPARABLE, RAMPS, PRINTED),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
