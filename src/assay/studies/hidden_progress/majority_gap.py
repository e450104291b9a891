"""The Fourier gap of majority: how much more a gradient says of a hidden bit than of another.

Claim   |xi_{k-1}| = (n-k)/(k-1) |xi_{k+1}|, so that the gap |xi_{k-1}| - |xi_{k+1}| is of the order n^(-(k-1)/2), and
        at least 0.03 (n-1)^(-(k-1)/2) for n >= 4k.
Source  Barak et al. 2022, Lemma 2 and its proof (appendix B.2), section 4.1. Equation (6) of the proof bounds
        (xi_{k+1}/xi_{k-1})^2 by 8 (c2/c1) k^2/n^2; from Lemma 1 follows (c2/c1)^2, exact is ((k-1)/(n-k))^2.
Output  table `majority-gap`, in parts: `gap` (gap and bound against n) and `checks` (one row an n and k).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import polars as pl

from assay.analysis import frames, powerlaw
from assay.figures import Display, Lines, board
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity import gap_by_identity, majority_coefficient, majority_gap
from assay.theory.parity.majority import log_majority_gap, majority_gap_bound

ORDERS = (2, 4, 6, 8)
"""Drawn and fitted."""
SIZES: Sequence[int] = (201, 319, 505, 801, 1267, 2001)
CHECKED: Mapping[str, tuple[int, int, int]] = {"smoke": (20, 200, 20), "desk": (20, 200, 2), "paper": (30, 400, 2)}
"""Largest k, how far n goes beyond 4k, and in what steps."""

IDENTITY = Claim(
    id="T4",
    source="Barak et al. 2022, Lemma 2 and its proof",
    statement="Majority has |xi_{k-1}| = (n-k)/(k-1) |xi_{k+1}|, and a Fourier gap of at least 0.03 (n-1)^(-(k-1)/2) "
    "at every set of k coordinates, n >= 4k.",
    kind="theorem",
    criterion={
        "smoke": "gap equal to (n-2k+1)/(k-1) |xi_{k+1}| as a rational and >= the bound for even k <= 20 and every "
        "tenth odd n in [4k+1, 4k+200]",
        "desk": "gap equal to (n-2k+1)/(k-1) |xi_{k+1}| as a rational and >= the bound for all even k <= 20 and odd n "
        "in [4k+1, 4k+200]",
        "paper": "gap equal to (n-2k+1)/(k-1) |xi_{k+1}| as a rational and >= the bound for all even k <= 30 and odd n "
        "in [4k+1, 4k+400]",
    },
)
SLOPE = Claim(
    id="T4-slope",
    source="Barak et al. 2022, section 4.1",
    statement="The gap of majority is of the order n^(-(k-1)/2).",
    kind="theorem",
    criterion="log-log slope of the gap in n, from 201 to 2001, within 0.05 of -(k-1)/2 for k = 2, 4, 6, 8",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    drawn = (9, 13, 19, 31, 51, 79, 127, *SIZES)
    gap = [
        {"k": k, "n": n, "gap": math.exp(log_majority_gap(n, k)[1]), "bound": majority_gap_bound(n, k)}
        for k in ORDERS
        for n in drawn
        if n >= 4 * k
    ]
    most, beyond, step = CHECKED[scale]
    places = [(n, k) for k in range(2, most + 1, 2) for n in range(4 * k + 1, 4 * k + beyond + 1, step)]
    return frames.parts(gap=pl.DataFrame(gap), checks=pl.DataFrame([_check(n, k) for n, k in places]))


def _check(n: int, k: int) -> dict[str, object]:
    """Rationals: the identity of coefficients holds or does not, without rounding."""
    gap = majority_gap(n, k)
    below, above = (abs(majority_coefficient(n, k + step)) for step in (-1, 1))
    exact = gap == gap_by_identity(n, k) and below * (k - 1) == above * (n - k)
    rounded = math.exp(log_majority_gap(n, k)[1]) / float(gap) - 1
    return {
        "n": n,
        "k": k,
        "exact": exact,
        "over_bound": float(gap) / majority_gap_bound(n, k),
        "log_form": abs(rounded),
    }


def figure(table: pl.DataFrame) -> Display:
    gap = table.filter(part="gap").drop("part")
    checks = table.filter((pl.col("part") == "checks") & pl.col("k").is_in(ORDERS))
    return board(
        Lines(
            gap,
            x="n",
            y="gap",
            curve="bound",
            line="k",
            x_scale="log",
            y_scale="log",
            x_label="n",
            y_label=r"$|\xi_{k-1}| - |\xi_{k+1}|$",
            title="Gap, and bound of Lemma 2",
        ),
        Lines(
            checks.select("k", "n", "over_bound"),
            x="n",
            y="over_bound",
            line="k",
            y_scale="log",
            x_label="n",
            y_label="gap / bound",
            title="How loose the bound is",
        ),
        columns=2,
        title="The Fourier gap of majority",
        caption="Left: gap of majority on n bits between degrees k - 1 and k + 1 (points) and the bound 0.03 "
        "(n-1)^(-(k-1)/2) (lines); a batch gradient shows a hidden set of k bits with about ln n / gap^2 examples. "
        "Right: gap over bound. Barak et al. 2022, Lemma 2.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    checks, gap = table.filter(part="checks"), table.filter(part="gap")
    least, off = min(checks["over_bound"]), max(checks["log_form"])
    laws = []
    for k in ORDERS:
        points = gap.filter((pl.col("k") == k) & pl.col("n").is_in(SIZES))
        laws.append(powerlaw.fit(points["n"].cast(pl.Float64).to_numpy(), points["gap"].to_numpy()))
    away = [law.exponent + (k - 1) / 2 for law, k in zip(laws, ORDERS, strict=True)]
    words = ", ".join(f"{law.exponent:.3f} at k = {k}" for law, k in zip(laws, ORDERS, strict=True))
    return [
        IDENTITY.judged(
            bool(checks["exact"].all()) and least >= 1 and off <= 1e-10,
            least,
            note=f"value: smallest gap over bound of {checks.height} (n, k); logarithmic form off by {off:.1e}",
        ),
        SLOPE.judged(max(map(abs, away)) <= 0.05, max(away, key=abs), note=f"value: slope + (k-1)/2; slopes {words}"),
    ]


experiment = Experiment(
    name="majority-gap",
    title="The Fourier gap of majority",
    source="Lemma 2",
    claims=(IDENTITY, SLOPE),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
