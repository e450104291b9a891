"""A quadratic net learns to multiply in S_3: neurons each in one irrep, margins up to the optimum at lambda.

Claim   the normalised margin rises to the maximum but for what the penalty costs; every non-trivial irrep has neurons,
        those of higher dimension more.
Source  Morwani et al. 2023, figure D.2: 30 neurons, 50,000 steps, lambda = 1e-7. What the optimum at that lambda has is
        not in the paper.
Output  table `s3`, in parts: `curves`, `irreps`, `bars`, `bins`, `neurons`, `ends` (see `symmetric`).
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.figures import Display
from assay.studies import Claim, Experiment, Judgement
from assay.studies.feature_emergence import modular, settings, symmetric
from assay.studies.feature_emergence.checks import PAPER

SEEDS = {"smoke": 2, "desk": 5, "paper": 5}

MARGIN = Claim(
    id="C31",
    source=f"{PAPER}, figure D.2 (a)",
    statement="The normalised margin of a net trained on S_3 approaches the maximum; at lambda = 1e-7 the optimum has "
    "0.9805 of it, with shares 0.8332 and 0.1668 of the irreps.",
    kind="experiment",
    criterion="every run: ratio >= 0.95 and <= 0.9825, shares within 0.01 of the optimum's",
)
SINGLE = Claim(
    id="C32-s3",
    source=f"{PAPER}, figure D.2 (d)",
    statement="Each neuron of the net on S_3 ends in a single irrep.",
    kind="experiment",
    criterion="neurons above 10 % of the largest norm: purity > 0.95 for >= 95 %",
)
START = Claim(
    id="C33-s3",
    source=f"{PAPER}, figure D.2 (c)",
    statement="At initialisation the power of neurons on S_3 is spread as of random vectors.",
    kind="experiment",
    criterion="mean purity within 15 % of that of Gaussian vectors, 0.724",
)
MORE = Claim(
    id="C34-s3",
    source=f"{PAPER}, figure D.2 (b)",
    statement="The standard irrep of S_3 has more neurons than the sign.",
    kind="experiment",
    criterion="mean counts over runs: standard > sign > 0 = trivial",
)
EVERY = Claim(
    id="C35-s3",
    source=f"{PAPER}, Theorem 7.9 (2)",
    statement="Both non-trivial irreps of S_3 are used.",
    kind="experiment",
    criterion="count >= 1 of each in every run",
)


def sweep(scale: str) -> ay.Sweep:
    return ay.Sweep(settings.E4, ay.seeds(SEEDS[scale]))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    return symmetric.table(runs)


def figure(table: pl.DataFrame) -> Display:
    return symmetric.figure(table, "S_3", "30 neurons, lambda = 1e-7. Morwani et al. 2023, figure D.2.")


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    ratios, counts = symmetric.ratios(table), symmetric.counted(table)
    optimum = modular.optimum_of("S3", 1e-7)
    shares = table.filter(pl.col("part") == "irreps", pl.col("feature") > 0)
    expected = pl.col("feature").replace_strict({1: optimum.shares[0], 2: optimum.shares[1]}, return_dtype=pl.Float64)
    worst = float(shares.select((pl.col("share") - expected).abs().max()).item())
    holds = ratios[0] >= 0.95 and ratios[-1] <= optimum.ratio + 0.002 and worst <= 0.01
    note = f"value: lowest of {len(ratios)} runs; highest {ratios[-1]:.4f}; shares off by {worst:.4f} at most"
    trivial, standard, sign = counts["(3)"], counts["(2,1)"], counts["(1^3)"]
    return [
        MARGIN.judged(holds, ratios[0], (ratios[0], ratios[-1]), note),
        symmetric.single(SINGLE, table, above=0.1, purity=0.95),
        symmetric.start(START, table, "S3", 0.15),
        MORE.judged(
            standard > sign > 0 and trivial == 0, standard / sign if sign else None, None, symmetric.spelt(table)
        ),
        symmetric.every(EVERY, table),
    ]


experiment = Experiment(
    name="s3",
    title="Multiplication in S_3",
    source="figure D.2",
    claims=(MARGIN, SINGLE, START, MORE, EVERY),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
