"""The Fourier spectrum of majority: closed form against enumeration, and how large the coefficients are.

Source  Barak et al. 2022, Lemma 1 and its proof (appendix B.2): xi_k = 0 for even k, and for odd k
        xi_k = (-1)^((k-1)/2) C((n-1)/2, (k-1)/2) / C(n-1, k-1) 2^-(n-1) C(n-1, (n-1)/2).
        Its size law C(n,k) xi_k^2 ~ k^(-2/3) is misprinted: the exponent is -3/2. Both are judged.
Output  table `majority`, in two parts: `spectrum` (closed form and enumeration) and `size` (the law, n = 1001).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.figures import Display, Lines, Spectrum, board
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity import majority_table

ENUMERATED = {"smoke": (5, 9, 13), "desk": (5, 9, 13, 17), "paper": (5, 9, 13, 17, 21)}
LARGE_N = {"smoke": 1001, "desk": 1001, "paper": 5203}
LARGE_DEGREE = {"smoke": 9, "desk": 9, "paper": 51}
BOUNDS = (0.50, 0.65)
"""Where C(n,k) xi_k^2 k^(3/2) lies for n >= 2 k^2; its limit is (2/pi)^(3/2) = 0.508."""

CLOSED_FORM = Claim(
    id="T2",
    source="Barak et al. 2022, Lemma 1",
    statement="The Fourier coefficients of majority have the stated closed form.",
    kind="theorem",
    criterion={
        "smoke": "largest |closed form - enumeration| <= 1e-12 for odd n <= 13, all degrees",
        "desk": "largest |closed form - enumeration| <= 1e-12 for odd n <= 17, all degrees",
        "paper": "largest |closed form - enumeration| <= 1e-12 for odd n <= 21, all degrees",
    },
)
SIZE_LAW = Claim(
    id="T3",
    source="Barak et al. 2022, Lemma 1, corrected",
    statement="C(n,k) xi_k^2 is of the order k^(-3/2): times k^(3/2) it stays between constants.",
    kind="theorem",
    criterion="C(n,k) xi_k^2 k^(3/2) in [0.50, 0.65] for odd k with n >= 2 k^2 (k <= 9, n = 1001; paper: k <= 51)",
)
SIZE_LAW_PRINTED = Claim(
    id="T3-printed",
    source="Barak et al. 2022, Lemma 1, as printed",
    statement="C(n,k) xi_k^2 is of the order k^(-2/3): times k^(2/3) it stays between constants.",
    kind="errata",
    criterion="largest / smallest value of C(n,k) xi_k^2 k^(2/3) <= 0.65 / 0.50 over the same degrees",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    """Rows of `assay.theory.parity.majority_table` with an odd degree; even coefficients are zero."""
    spectrum = pl.DataFrame(majority_table(ENUMERATED[scale]))
    size = pl.DataFrame(majority_table([LARGE_N[scale]], max_degree=LARGE_DEGREE[scale]), infer_schema_length=None)
    parts = [
        part.select(pl.lit(name).alias("part"), pl.all()) for name, part in (("spectrum", spectrum), ("size", size))
    ]
    return pl.concat(parts, how="vertical_relaxed").filter(pl.col("degree") % 2 == 1)


def figure(table: pl.DataFrame) -> Display:
    spectrum = table.filter(part="spectrum").drop("part").rename({"closed_form": "theory", "enumerated": "measured"})
    size = table.filter(part="size").unpivot(
        ["scaled_size", "scaled_size_printed"], index=["n", "degree"], variable_name="exponent", value_name="scaled"
    )
    return board(
        Spectrum(
            spectrum.with_columns(n=pl.format("n = {}", "n")),
            line="n",
            title="Coefficients of majority",
            y_label=r"$|\xi_k|$",
            labels={"theory": "closed form", "measured": "enumeration"},
        ),
        Lines(
            size,
            x="degree",
            y="scaled",
            line="exponent",
            title=f"Size law, n = {size['n'][0]}",
            x_label="degree k",
            y_label=r"$\binom{n}{k}\,\xi_k^2\,k^{a}$",
            x_scale="log",
            y_scale="log",
            labels={"scaled_size": "a = 3/2 (corrected)", "scaled_size_printed": "a = 2/3 (as printed)"},
        ),
        columns=2,
        title="Fourier spectrum of majority",
        caption="Left: closed form (open) and enumeration (filled) of the coefficients of majority on n bits; markers "
        "up are positive, down negative. Right: with the exponent 3/2 the scaled size is constant up to a factor 1.3, "
        "with the printed 2/3 it falls. Barak et al. 2022, Lemma 1.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    error = table.filter(part="spectrum")["abs_error"].to_numpy().max()
    size = table.filter((pl.col("part") == "size") & pl.col("in_range"))
    low, high = np.quantile(size["scaled_size"], (0, 1)).tolist()
    smallest, largest = np.quantile(size["scaled_size_printed"], (0, 1)).tolist()
    printed = largest / smallest
    return [
        CLOSED_FORM.judged(bool(error <= 1e-12), float(error)),
        SIZE_LAW.judged(BOUNDS[0] <= low and high <= BOUNDS[1], high, (low, high)),
        SIZE_LAW_PRINTED.judged(
            printed <= BOUNDS[1] / BOUNDS[0],
            printed,
            note=f"falls by a factor {printed:.2f}; with -3/2 by {high / low:.2f}",
        ),
    ]


experiment = Experiment(
    name="majority",
    title="Fourier spectrum of majority",
    source="Lemma 1",
    claims=(CLOSED_FORM, SIZE_LAW, SIZE_LAW_PRINTED),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
