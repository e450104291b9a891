"""The first step in closed form: what it knows at any n, and the lemmas that say why.

Claims  the weights of hidden bits outgrow all others the more, the larger n, but for one fall; lemmas 5, 7, 8 and 9.
Source  Daniely and Malach 2020, lemmas 5 to 9. Lemma 9 has its constants unnamed; here alpha is asked for in
        [0.24, 1]. Its regime, n >= (2 sqrt 2 k)^4, is n = 153,664 at k = 7, beyond every run and within the closed
        form. All of them assume that the net's output is 0 at the start, so that the hinge gradient is the correlation
        with the label: as printed the initialisation has it large.
Output  table `first-step`, in five parts: `weights` (mean |w^(1)/u| on and off A), `lemma-5` (mean square correlation
        of the gate and its bound), `lemma-7` (largest correlation on hinted inputs), `lemma-8` (its constant),
        `lemma-9` (alpha, weights off A, bias, for balanced initial weights).
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.studies.easy_parities.settings import SOURCE
from assay.theory.easy_parity import first_step as theory
from assay.theory.easy_parity.population import Net, Population

DEGREES = (3, 5, 7)
SIZES = {
    "smoke": (51, 101, 301, 1001),
    "desk": (51, 101, 201, 301, 501, 701, 1001),
    "paper": (51, 101, 301, 1001, 3001),
}
NEURONS = {"smoke": 100, "desk": 1000, "paper": 1000}
REGIME = 160_001
"""An n at which lemma 9 holds for k = 7 by its own conditions."""

GROWS = Claim(
    id="DM2-grows",
    source=f"{SOURCE}, lemma 9",
    statement="The first step tells hidden bits from others the better, the larger n.",
    kind="theorem",
    criterion="closed form, k = 3, 5, 7: (mean |w| on A) / (mean |w| off A) increases from n = 51 to n = 1001",
)
CROSSING = Claim(
    id="DM2-crossing",
    source=f"beyond {SOURCE}, lemma 9",
    statement="It grows with n on either side of n = (8k)^2, and falls there.",
    kind="theorem",
    criterion="closed form, k = 3, 5, 7: the ratio increases over all n <= 1001 on one side of (8k)^2; k = 3: at n = "
    "577 at most half of what it is at n = 575",
)
LEMMA_5 = Claim(
    id="DM5-lemma5",
    source=f"{SOURCE}, lemma 5",
    statement="On uniform inputs the gate is hardly correlated with the label times an irrelevant bit.",
    kind="theorem",
    criterion="exact mean over w of E[s_j f gate]^2 <= 1 / C(n-1, k) for k = 3, 5, 7 and n = 11, ..., 201",
)
LEMMA_7 = Claim(
    id="DM5-lemma7",
    source=f"{SOURCE}, lemma 7",
    statement="Where the initial weights of the hidden bits add up to 0, hinted inputs move no "
    "other weight and no bias.",
    kind="theorem",
    criterion="enumeration at (11, 3) and (11, 5), 100 weights each: largest |E[x_j f gate]|, |E[f gate]| <= 1e-15",
)
LEMMA_8 = Claim(
    id="DM5-lemma8",
    source=f"{SOURCE}, lemma 8",
    statement="Functions of the hidden bits are almost independent of the gate: up to C k / sqrt|J|.",
    kind="theorem",
    criterion="closed form, products of up to k hidden signs, k = 3, 5, 7, all n, random weights: largest C <= 5",
)
LEMMA_9 = Claim(
    id="DM5-lemma9",
    source=f"{SOURCE}, lemma 9",
    statement="With probability Omega(1/sqrt k) a neuron's weights become alpha u / sqrt n on A, alpha in [1/4, 1], "
    "and next to nothing elsewhere.",
    kind="theorem",
    criterion="(11, 3), q = 64: alpha in [0.24, 1] on A for all neurons, weights off A and change of bias < 1e-15 for "
    "those with sum_A w = 0; P[sum_A w = 0] >= 1/(14 sqrt k) for odd k <= 101; k = 7, n = 160,001: alpha in [0.24, 1]",
)
INITIAL = Claim(
    id="DM5-printed",
    source=f"{SOURCE}, section 2 and the proof of lemma 9, as printed",
    statement="At the printed initialisation the hinge gradient is the correlation with the label.",
    kind="errata",
    criterion="(11, 3), q = 64: y g(x) < 1 for every input, so that the mean hinge loss is 1 - E[y g]: loss <= 2",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    parts = [_weights(scale), _lemma_5(), _lemma_7(), _lemma_8(scale), _lemma_9()]
    return pl.concat([pl.DataFrame(rows) for rows in parts], how="diagonal_relaxed")


def sizes(scale: str, k: int) -> list[int]:
    """With both sides of (8k)^2, where the gate's threshold passes a sum of signs."""
    crossing, usual = (8 * k) ** 2, SIZES[scale]
    return sorted([*usual, crossing - 1, crossing + 1] if crossing < usual[-1] else usual)


def _weights(scale: str) -> list[dict]:
    rows = []
    for k in DEGREES:
        for n in sizes(scale, k):
            on, off = theory.relevance(n, k, NEURONS[scale])
            common = {"part": "weights", "n": n, "k": k, "ratio": on / off}
            rows += [common | {"where": "on A", "weight": on}, common | {"where": "off A", "weight": off}]
    return rows


def _lemma_5() -> list[dict]:
    return [
        {"part": "lemma-5", "n": n, "k": k, "mean_square": theory.mean_square_correlation(n, k),
         "bound": 1 / math.comb(n - 1, k)}
        for k in DEGREES for n in (11, 21, 51, 101, 201)
    ]  # fmt: skip


def _lemma_7() -> list[dict]:
    rows = []
    for n, k in ((11, 3), (11, 5)):
        on = Population.of(n, k)
        every = np.random.default_rng(0).integers(-1, 2, size=(4000, n))
        balanced = every[every[:, :k].sum(axis=1) == 0][:100].astype(np.float64)
        form = on.x @ balanced.T + 1 / (8 * k)
        signed = ((form > 0) & (form < 6)) * (on.y * on.told)[:, None]
        largest = max(np.abs(signed.T @ on.x[:, k:]).max(), np.abs(signed.sum(axis=0)).max())
        rows.append({"part": "lemma-7", "n": n, "k": k, "draws": len(balanced), "largest": float(largest)})
    return rows


def _lemma_8(scale: str) -> list[dict]:
    rng = np.random.default_rng(1)
    rows = []
    for k in DEGREES:
        for n in SIZES[scale]:
            draws = rng.integers(-1, 2, size=(30, n))
            constant = max(theory.gate_deviation(w, k, size) for w in draws for size in range(k + 1))
            rows.append({"part": "lemma-8", "n": n, "k": k, "draws": len(draws), "largest": constant})
    return rows


def _lemma_9() -> list[dict]:
    on = Population.of(11, 3)
    net = Net.start(11, 3, 64)
    first = net.leap(on)
    alphas = first.w[:, :3] * math.sqrt(11) / net.u[:, None]
    balanced = net.w[:, :3].sum(axis=1) == 0
    rest = max(np.abs(first.w[balanced][:, 3:]).max(), np.abs(first.b - net.b)[balanced].max())
    rows = [_alphas(11, 3, alphas, float(rest), net.loss(on))]
    literal = Net.start(11, 3, 64, pairs="literal")
    rows[0]["printed_loss"] = literal.loss(on)
    rng = np.random.default_rng(2)
    every = rng.integers(-1, 2, size=(40, REGIME))
    chosen = [w for w in every if w[:7].sum() == 0][:5]
    found = [theory.slopes(w, 7) for w in chosen]
    alphas = np.array([slope[:7] for slope in found]) * math.sqrt(REGIME)
    off = max(float(np.abs(slope[7:]).max()) for slope in found) * REGIME / 7  # |u| is at most n/k
    rows.append(_alphas(REGIME, 7, alphas, off, None))
    return rows + [
        {"part": "lemma-9", "k": k, "balanced": theory.balanced_probability(k), "bound": 1 / (14 * math.sqrt(k))}
        for k in range(3, 102, 2)
    ]


def _alphas(n: int, k: int, alphas: np.ndarray, rest: float, loss: float | None) -> dict:
    return {"part": "lemma-9", "n": n, "k": k, "alpha_low": float(alphas.min()), "alpha_high": float(alphas.max()),
            "largest": rest, "loss": loss}  # fmt: skip


def figure(table: pl.DataFrame) -> Display:
    return Lines(
        table.filter(part="weights"),
        panel="k",
        columns=3,
        x="n",
        y="weight",
        line="where",
        x_scale="log",
        y_scale="log",
        x_label="n",
        y_label="mean |w / u| after step 1",
        title="What the first gradient step knows",
        caption="Mean size of a weight after the first step over that of its neuron's output weight, for hidden bits "
        "(on A) and all others, in closed form; mean over random initial weights. Daniely and Malach 2020, lemma 9.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    parts = {name: table.filter(part=name) for name in ("weights", "lemma-5", "lemma-7", "lemma-8", "lemma-9")}
    ratios = parts["weights"].filter(pl.col("where") == "on A", pl.col("n") <= 1001).sort("k", "n")
    usual = ratios.filter(pl.col("n").is_in(SIZES[scale]))
    growth = [np.diff(part["ratio"].to_numpy()).min() for part in usual.partition_by("k")]
    sides = ratios.with_columns(beyond=pl.col("n") > (8 * pl.col("k")) ** 2).partition_by("k", "beyond")
    steady = min(np.diff(part["ratio"].to_numpy()).min() for part in sides)
    before, after = ratios.filter(pl.col("k") == 3, pl.col("n").is_in([575, 577]))["ratio"]
    words = "; ".join(f"k = {part['k'][0]}: {part['ratio'][0]:.3g} to {part['ratio'][-1]:.3g}"
                      for part in ratios.partition_by("k"))  # fmt: skip
    fifth = (parts["lemma-5"]["mean_square"] / parts["lemma-5"]["bound"]).to_numpy().max()
    seventh, eighth = (parts[name]["largest"].to_numpy().max() for name in ("lemma-7", "lemma-8"))
    small, large = parts["lemma-9"].drop_nulls("alpha_low").rows(named=True)
    chances = parts["lemma-9"].drop_nulls("balanced")
    often = float((chances["balanced"] / chances["bound"]).to_numpy().min())
    inside = all(row["alpha_low"] >= 0.24 and row["alpha_high"] <= 1 for row in (small, large))
    ninth = f"alpha in [{small['alpha_low']:.4f}, {small['alpha_high']:.4f}] at n = 11, [{large['alpha_low']:.4f}, "
    ninth += f"{large['alpha_high']:.4f}] at n = {REGIME:,}; off A and bias at most {small['largest']:.1g} at n = 11; "
    ninth += f"off A at most {large['largest']:.2g} at n = {REGIME:,}; P[sum_A w = 0] at least {often:.1f} bounds"
    return [
        GROWS.judged(min(growth) > 0, float(ratios["ratio"].to_numpy().max()), None, f"value: largest ratio. {words}"),
        CROSSING.judged(
            bool(steady > 0) and after <= before / 2, after / before, None,
            f"value: ratio at n = 577 over that at n = 575, k = 3; {before:.0f} and {after:.0f}",
        ),
        LEMMA_5.judged(bool(fifth <= 1), float(fifth), None, "value: largest mean square over bound"),
        LEMMA_7.judged(bool(seventh <= 1e-15), float(seventh), None, "value: largest correlation"),
        LEMMA_8.judged(bool(eighth <= 5), float(eighth), None, "value: largest C"),
        LEMMA_9.judged(
            inside and small["largest"] < 1e-15 and often >= 1, small["alpha_low"], None,
            f"value: smallest alpha. {ninth}",
        ),
        INITIAL.judged(
            small["printed_loss"] <= 2, small["printed_loss"], None,
            f"value: mean hinge loss. With partners (w, b, -u) it is {small['loss']:.3f}",
        ),
    ]  # fmt: skip


experiment = Experiment(
    name="first-step",
    title="The first step in closed form",
    source="lemmas 5 to 9",
    claims=(GROWS, CROSSING, LEMMA_5, LEMMA_7, LEMMA_8, LEMMA_9, INITIAL),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
