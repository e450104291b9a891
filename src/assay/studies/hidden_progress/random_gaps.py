"""Fourier gaps of random thresholds: does the gradient of a ReLU neuron know the hidden subset at any initialisation?

Claim   for uniform and Gaussian weights the gap of 1[w.x > 0] is comparable to that of majority, which sign weights
        have, with probability far from 0; at odd k there is none.
Source  Barak et al. 2022, figure 11 and appendix C.1: relaxed gap max_{i in S} |g_i| - max_{i not in S} |g_i| of
        g = E[y x 1[w.x > 0]], n = 15, all 2^15 inputs. The paper does not give k and the number of draws: k = 2, 4, 6
        here. The threshold is 1/2 + sign(w.x)/2, so its reference is half the gap of majority.
Output  table `random-gaps`, in parts: `bins` (histograms of Gamma / reference), `summary` (one row a law and k) and
        `odd` (largest |g_i| at odd k).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.analysis import frames, histogram
from assay.analysis.fractions import wilson
from assay.figures import Display, Histogram
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity import majority_gap, population_gradient
from assay.theory.parity.gaps import WEIGHTS
from assay.theory.parity.threshold import random_gaps

N, EVEN, ODD = 15, (2, 4, 6), (3, 5)
DRAWS = {"smoke": 300, "desk": 3000, "paper": 10_000}
SIGN_DRAWS, ODD_DRAWS = 20, 10
EDGES = histogram.equal_bins(-4.0, 6.0, 40)
RANDOM = ("uniform", "gaussian")

RANDOM_THRESHOLDS = Claim(
    id="T18",
    source="Barak et al. 2022, figure 11 and appendix C.1",
    statement="Thresholds of random weights have Fourier gaps comparable to that of majority with non-negligible "
    "probability; those of sign weights have exactly that of majority, and at odd k there is none without bias.",
    kind="experiment",
    criterion="n = 15; sign weights: |Gamma / reference - 1| <= 1e-12 at k = 2, 4, 6; uniform and Gaussian weights, "
    "k = 2: P[Gamma > 0] >= 0.98, median Gamma / reference in [0.9, 1.4]; k = 4: P[Gamma > 0] >= 0.7, "
    "P[Gamma >= reference] in [0.2, 0.6]; k = 3, 5: every |g_i| <= 1e-12",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    draws = pl.concat([_draws(law, k, DRAWS[scale]) for k in EVEN for law in (*RANDOM, "sign")])
    shown = histogram.counts(draws.filter(pl.col("law") != "sign"), "ratio", by=["k", "law"], edges=EDGES)
    return frames.parts(
        bins=shown.sort("k", _order(), "low").with_columns(majority=pl.lit(1.0)),
        summary=pl.DataFrame([_summary(part) for part in draws.partition_by("k", "law", maintain_order=True)]),
        odd=pl.DataFrame([{"law": law, "k": k, "largest": _largest(law, k)} for k in ODD for law in WEIGHTS]),
    )


def _draws(law: str, k: int, draws: int) -> pl.DataFrame:
    """Gaps over half the gap of majority, one row a draw."""
    rng = np.random.default_rng([list(WEIGHTS).index(law), k])
    gaps = random_gaps(N, k, law, SIGN_DRAWS if law == "sign" else draws, rng)
    reference = float(majority_gap(N, k))  # of sign(w.x), as the gaps are: halving both changes no ratio
    return pl.DataFrame({"ratio": gaps.relaxed / reference, "strict": gaps.strict / reference}).select(
        pl.lit(law).alias("law"), pl.lit(k).alias("k"), pl.all()
    )


def _summary(draws: pl.DataFrame) -> dict[str, object]:
    ratio, count = draws["ratio"].to_numpy(), draws.height
    row: dict[str, object] = {"law": draws["law"][0], "k": draws["k"][0], "draws": count}
    row["reference"] = float(majority_gap(N, draws["k"][0])) / 2
    row |= dict(zip(("q10", "q50", "q90"), np.quantile(ratio, (0.1, 0.5, 0.9)).tolist(), strict=True))
    row["deviation"] = float(np.abs(ratio - 1).max())
    events = {"positive": ratio > 0, "at_reference": ratio >= 1, "strict_positive": draws["strict"].to_numpy() > 0}
    for name, event in events.items():
        low, high = wilson(int(event.sum()), count)
        row |= {name: float(event.mean()), f"{name}_low": low, f"{name}_high": high}
    return row


def _largest(law: str, k: int) -> float:
    """The largest |g_i| over some draws, by enumeration."""
    rng = np.random.default_rng([list(WEIGHTS).index(law), k])
    weights = [WEIGHTS[law](rng, N) for _ in range(ODD_DRAWS)]
    return float(max(np.abs(population_gradient(w, 0.0, range(k), lambda z: z > 0)[0]).max() for w in weights))


def _order() -> pl.Expr:
    """The laws in the order of their list."""
    return pl.col("law").replace_strict({law: i for i, law in enumerate(WEIGHTS)}, return_dtype=pl.Int64)


def figure(table: pl.DataFrame) -> Display:
    return Histogram(
        table.filter(part="bins"),
        panel="k",
        columns=3,
        line="law",
        height="density",
        marks=("majority",),
        x_label="gap / gap of sign weights",
        y_label="density",
        labels={"uniform": "uniform weights", "gaussian": "Gaussian weights", "majority": "sign weights (majority)"},
        title="Fourier gaps of random thresholds, n = 15",
        caption="Relaxed gap of the gradient of a ReLU neuron without bias on a parity of k out of 15 bits, over "
        "the gap that every sign vector has, for random weights; exact for each draw. Barak et al. 2022, figure 11.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    found = {(row["law"], row["k"]): row for row in table.filter(part="summary").rows(named=True)}
    odd = max(table.filter(part="odd")["largest"])
    exact = max(found["sign", k]["deviation"] for k in EVEN)
    two, four = ([found[law, k] for law in RANDOM] for k in (2, 4))
    holds = (
        exact <= 1e-12
        and odd <= 1e-12
        and all(row["positive"] >= 0.98 and 0.9 <= row["q50"] <= 1.4 for row in two)
        and all(row["positive"] >= 0.7 and 0.2 <= row["at_reference"] <= 0.6 for row in four)
    )
    least = min(four, key=lambda row: row["at_reference"])
    words = [
        f"{row['law']} k = {row['k']}: P[gap > 0] = {row['positive']:.3f}, median ratio {row['q50']:.2f}, "
        f"P[gap >= reference] = {row['at_reference']:.3f}, P[strict gap > 0] = {row['strict_positive']:.3f}"
        for row in found.values()
        if row["law"] != "sign"
    ]
    note = (
        f"value: smaller P[gap >= reference] at k = 4; {'; '.join(words)}; "
        f"sign weights: ratio 1 up to {exact:.1e}; odd k: at most {odd:.1e}"
    )
    interval = (least["at_reference_low"], least["at_reference_high"])
    return [RANDOM_THRESHOLDS.judged(holds, least["at_reference"], interval, note)]


experiment = Experiment(
    name="random-gaps",
    title="Fourier gaps of random thresholds",
    source="figure 11",
    claims=(RANDOM_THRESHOLDS,),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
