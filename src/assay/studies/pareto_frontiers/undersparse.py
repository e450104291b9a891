"""Under-sparse initial weights: one truncated step completes a neuron whose ones lie in the subset.

Claim   after one step the good neurons compute the parity, and examples grow like n^(k-s-1), n^s fewer than from dense
        weights, at n^s more neurons.
Source  Edelman et al. 2023, Theorem 5 and appendix B.3. The threshold lies midway between the two sizes of gradients:
        the printed one needs more precision than the claimed examples give. In samples: the k - s largest entries
        outside S'.
Output  table `undersparse`, in two parts: `population` (correlation with the parity for each n, k, s) and `samples`
        (fraction recovered for each n and m) with `price`, the m_90 of each n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from assay.analysis import powerlaw
from assay.analysis.boundary import crossings
from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.theory.frontiers.undersparse import correlation_after, sample_finds_rest

K, S, EPS = 4, 2, 1e-3
CUBES: Mapping[str, Sequence[tuple[int, int, int]]] = {
    "smoke": ((11, 4, 2), (13, 4, 2), (13, 6, 2)),
    "desk": ((13, 4, 2), (15, 4, 2), (15, 6, 2), (15, 6, 4)),
    "paper": ((13, 4, 2), (15, 4, 2), (17, 4, 2), (15, 6, 2), (15, 6, 4), (17, 6, 4)),
}
SIZES: Mapping[str, Sequence[int]] = {
    "smoke": (15, 21, 25), "desk": (15, 19, 21, 25, 31, 41), "paper": (15, 21, 25, 31, 41, 51, 75, 101)
}  # fmt: skip
TRIALS = {"smoke": 60, "desk": 200, "paper": 400}
EXAMPLES = tuple(round(2 ** (i / 2)) for i in range(18, 31))

COMPLETES = Claim(
    id="C14",
    source="Edelman et al. 2023, Theorem 5",
    statement="From under-sparse rows one truncated step yields a subnetwork that computes the parity, and its "
    "examples grow like n^(k-s-1).",
    kind="theorem",
    criterion={
        "smoke": "correlation >= 0.99 on the population for eps = 10^-3; k = 4, s = 2, n = 15 to 25: the rest of S is "
        "found in >= 90 % of trials at some m; slope of log m_90 in log (n-s) in [0.5, 1.7]",
        "desk": "correlation >= 0.99 on the population for eps = 10^-3; k = 4, s = 2, n = 15 to 41: the rest of S is "
        "found in >= 90 % of trials at some m; slope of log m_90 in log (n-s) in [0.7, 1.4]",
        "paper": "correlation >= 0.99 on the population for eps = 10^-3; k = 4, s = 2, n = 15 to 101: the rest of S is "
        "found in >= 90 % of trials at some m; slope of log m_90 in log (n-s) in [0.8, 1.2]",
    },
)
RANGE = {"smoke": (0.5, 1.7), "desk": (0.7, 1.4), "paper": (0.8, 1.2)}


def table(runs: None, scale: str) -> pl.DataFrame:
    rng = np.random.default_rng(14)
    population = [
        {"bits": n, "k": k, "s": s, "correlation": correlation_after(n, k, s, EPS)} for n, k, s in CUBES[scale]
    ]
    samples = pl.DataFrame([row for n in SIZES[scale] for row in _found(n, TRIALS[scale], rng)])
    price = crossings(samples, "m", by=["bits"], level=0.9)
    return pl.concat(
        [
            pl.DataFrame(population).with_columns(part=pl.lit("population")),
            samples.with_columns(fraction=pl.col("solved") / pl.col("n"), part=pl.lit("samples")),
            price.with_columns(part=pl.lit("price")),
        ],
        how="diagonal_relaxed",
    )


def _found(n: int, trials: int, rng: np.random.Generator) -> list[dict[str, int]]:
    return [
        {"bits": n, "m": m, "n": trials, "solved": sum(sample_finds_rest(n, K, S, m, rng) for _ in range(trials))}
        for m in EXAMPLES
    ]


def figure(table: pl.DataFrame) -> Display:
    return Lines(
        table.filter(part="samples").sort("bits", "m"),
        x="m",
        y="fraction",
        line="bits",
        x_scale="log",
        x_label="examples m",
        y_label="rest of S found",
        labels={"bits": "n"},
        title="Under-sparse rows: a step completes the subset",
        caption="Fraction of good neurons with s = 2 ones whose gradient on m examples has its k - s largest entries, "
        "outside the ones, on the rest of the subset; k = 4. Edelman et al. 2023, Theorem 5.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    least = min(table.filter(part="population")["correlation"])
    price = table.filter(part="price").sort("bits")
    low, high = RANGE[scale]
    law = powerlaw.fit(price["bits"].to_numpy() - S, price["crossing"].cast(pl.Float64).fill_null(np.inf).to_numpy())
    holds = least >= 0.99 and law.halted == 0 and low <= law.exponent <= high
    words = ", ".join(f"n = {n}: {m or float('nan'):.0f}" for n, m in price.select("bits", "crossing").iter_rows())
    note = f"value: slope of m_90; {words}; least correlation {least:.4f}"
    return [COMPLETES.judged(holds, law.exponent, (law.exponent_low, law.exponent_high), note)]


experiment = Experiment(
    name="undersparse",
    title="Under-sparse rows: a step completes the subset",
    source="Theorem 5",
    claims=(COMPLETES,),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
