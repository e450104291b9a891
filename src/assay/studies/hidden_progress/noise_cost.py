"""What label noise costs: correlations, gradients and gaps shrink by 1 - 2p, and examples grow by (1 - 2p)^-2.

Claim   E_noisy[y f] = (1 - 2p) E[y f] for labels flipped with probability p; the subset is read off a batch gradient
        once B (1 - 2p)^2 gamma^2 / ln n is a few, whatever p is.
Source  Barak et al. 2022, appendix C.6, with p = 1/2 - eps and the factor printed as eps in place of 2 eps. The
        simulation is ours.
Output  table `noise-cost`, in parts: `factor` (measured factors beside 1 - 2p and 1/2 - p) and `recovery` (how often a
        batch gradient gives the subset away).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from assay.analysis import frames
from assay.analysis.fractions import wilson
from assay.figures import Display, Lines, board
from assay.maths.cube import linear_form
from assay.maths.fourier import character
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity import population_gradient
from assay.theory.parity.gaps import relaxed_gap
from assay.theory.parity.noise import noise_factor, noisy_correlation, printed_noise_factor
from assay.theory.parity.recovery import neuron_gap, simulate_recovery

FLIPS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.49, 0.5)
"""Where factors are measured, by enumeration."""
SIMULATED: Mapping[str, Sequence[float]] = {
    "smoke": (0.0, 0.3),
    "desk": (0.0, 0.1, 0.25, 0.4),
    "paper": (0.0, 0.1, 0.25, 0.4, 0.45),
}
N, K = 51, 2
TRIALS = {"smoke": 150, "desk": 400, "paper": 2000}
_FINE = tuple(2.0 ** (i / 2) for i in range(-4, 5))
SCALED = {"smoke": _FINE[::2], "desk": _FINE, "paper": _FINE}
"""B (1 - 2p)^2 gamma^2 / ln n: from 1/4 to 4."""
FEW, MANY = 0.5, 4.0
BITS = 10

SCALES_CORRELATIONS = Claim(
    id="T15",
    source="Barak et al. 2022, appendix C.6, corrected",
    statement="Labels flipped with probability p scale every correlation E[y f], population gradient and Fourier gap "
    "by 1 - 2p.",
    kind="theorem",
    criterion="n = 10, k = 1, ..., 5, p = 0, 0.1, ..., 0.5: largest |E_noisy[y f] - (1 - 2p) E[y f]| of random f, and "
    "the same of the gradient and the gap of random ReLU neurons, both outcomes of the flip enumerated, <= 1e-12",
)
SCALES_PRINTED = Claim(
    id="T15-printed",
    source="Barak et al. 2022, appendix C.6, as printed",
    statement="Labels flipped with probability p = 1/2 - eps scale correlations by eps.",
    kind="errata",
    criterion="the same correlations: largest |E_noisy[y f] - eps E[y f]| <= 1e-12",
)
COST = Claim(
    id="T15-cost",
    source="Barak et al. 2022, appendix C.6 (statistical limit of the order k log n / eps^2)",
    statement="Under noise p a batch gradient takes (1 - 2p)^-2 times the examples to show the hidden subset.",
    kind="theorem",
    criterion="(n, k) = (51, 2), p = 0, 0.3 (desk: 0, 0.1, 0.25, 0.4; paper: and 0.45), at least 150 trials: at every "
    "B (1 - 2p)^2 gamma^2 / ln n the recovered fractions differ by <= 0.2 between p; at 4 they are >= 90 %, at 0.5 <= "
    "35 %",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    factor = pl.DataFrame([_factor(k, flip, rng) for k in range(1, 6) for flip in FLIPS])
    recovery = pl.DataFrame(
        [_recovery(flip, scaled, TRIALS[scale]) for flip in SIMULATED[scale] for scaled in SCALED[scale]]
    )
    return frames.parts(factor=factor, recovery=recovery)


def _factor(k: int, flip: float, rng: np.random.Generator) -> dict[str, float]:
    """Deviations of enumerated noisy averages from a factor times the clean ones."""
    subset = rng.permutation(BITS)[:k].tolist()
    values = rng.uniform(-1, 1, 1 << BITS)
    clean, noisy = (noisy_correlation(values, subset, p) for p in (0.0, flip))
    weights, bias = rng.standard_normal(BITS), float(rng.standard_normal())
    active = (linear_form(weights, bias) > 0).astype(np.float64)
    gradient = population_gradient(weights, bias, subset, lambda z: z > 0)[0]
    under_noise = np.array([-noisy_correlation(active * character(BITS, 1 << i), subset, flip) for i in range(BITS)])
    gap, noisy_gap = (float(relaxed_gap(each[None], subset)[0]) for each in (gradient, under_noise))
    rho = noise_factor(flip)
    off = max(abs(noisy - rho * clean), float(np.abs(under_noise - rho * gradient).max()), abs(noisy_gap - rho * gap))
    printed = abs(noisy - printed_noise_factor(flip) * clean)
    return {"k": k, "flip": flip, "measured": noisy / clean, "off": off, "off_printed": printed}


def _recovery(flip: float, scaled: float, trials: int) -> dict[str, float]:
    gap, rho = neuron_gap(N, K), noise_factor(flip)
    batch = math.ceil(scaled * math.log(N) / (rho * gap) ** 2)
    rng = np.random.default_rng([round(100 * flip), round(16 * scaled)])
    found = simulate_recovery(N, K, batch, trials, rng, flip).largest
    low, high = wilson(found, trials)
    return {
        "flip": flip, "scaled": scaled, "batch": batch, "trials": trials, "recovered": found / trials,
        "low": low, "high": high,
    }  # fmt: skip


def figure(table: pl.DataFrame) -> Display:
    measured = table.filter(part="factor", k=2).select("flip", line=pl.lit("measured"), value="measured")
    lines = {"1 - 2p": noise_factor, "1/2 - p, as printed": printed_noise_factor}
    theory = pl.DataFrame(
        [{"flip": flip, "line": name, "value": law(flip)} for name, law in lines.items() for flip in FLIPS]
    )
    recovery = table.filter(part="recovery").drop("part").rename({"flip": "p"})
    look: dict[str, Any] = {
        "y": "recovered",
        "line": "p",
        "x_scale": "log",
        "bars": ("low", "high"),
        "y_label": "subset recovered",
    }
    return board(
        Lines(
            pl.concat([theory, measured]), x="flip", y="value", line="line", x_label="p", y_label="factor",
            title="Correlations",
        ),
        Lines(recovery, x="batch", x_label="examples B", title="Against the batch", **look),
        Lines(recovery, x="scaled", x_label=r"$B\,(1-2p)^2\gamma^2/\ln n$", title="Against the gap", **look),
        columns=3,
        title="What label noise costs",
        caption="Left: E[y f] under labels flipped with probability p over that without noise, for a random function. "
        "Middle, right: fraction of trials in which the two largest entries of the batch gradient of a sign neuron are "
        "the hidden bits, (n, k) = (51, 2), with 95 % Wilson intervals. Barak et al. 2022, appendix C.6.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    factor, recovery = table.filter(part="factor"), table.filter(part="recovery")
    off, printed = max(factor["off"]), max(factor["off_printed"])
    spread = recovery.group_by("scaled").agg(pl.col("recovered").max() - pl.col("recovered").min())
    widest = max(spread["recovered"])
    most = max(recovery.filter(scaled=FEW)["recovered"])
    worst = recovery.filter(scaled=MANY).sort("recovered").row(0, named=True)
    return [
        SCALES_CORRELATIONS.judged(off <= 1e-12, off),
        SCALES_PRINTED.judged(printed <= 1e-12, printed, note="eps is 1/2 - p, the factor twice that"),
        COST.judged(
            widest <= 0.2 and worst["recovered"] >= 0.9 and most <= 0.35,
            worst["recovered"],
            (worst["low"], worst["high"]),
            note=f"value: smallest recovered fraction at {MANY:g}; largest at {FEW:g}: {most:.2f}; widest spread "
            f"between noise levels {widest:.2f}",
        ),
    ]


experiment = Experiment(
    name="noise-cost",
    title="What label noise costs",
    source="appendix C.6",
    claims=(SCALES_CORRELATIONS, SCALES_PRINTED, COST),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
