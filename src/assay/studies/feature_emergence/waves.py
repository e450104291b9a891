"""Neurons of trained nets: each a cosine, with one spike in its spectrum.

Claim   the three weight vectors of a quadratic neuron are cosines of one frequency, of equal size, whose phases obey
        th_u + th_v = th_w.
Source  Morwani et al. 2023, figure 7.1 (a), (b) and Theorem 7.7 (1). Which neurons are shown there is not said: here
        the first ones above half of the largest norm.
Output  table `waves`, in parts: `weights` (u of some neurons, and the curve with the same Fourier coefficients),
        `power` (their spectra) and `neurons` (one row a quadratic neuron above 10 % of the largest norm).
"""

from __future__ import annotations

import numpy as np
import polars as pl

import assay as ay
from assay.figures import Display, Lines, board
from assay.maths.groups import irreps, named, power
from assay.studies import Claim, Experiment, Judgement
from assay.studies.feature_emergence import modular
from assay.studies.feature_emergence.checks import PAPER

SHOWN = 2

PHASES = Claim(
    id="C22",
    source=f"{PAPER}, Theorem 7.7 (1), figure 7.1 (b)",
    statement="u, v and w of a trained quadratic neuron have one frequency, equal norms, and phases th_u + th_v = "
    "th_w.",
    kind="experiment",
    criterion="neurons above 10 % of the largest norm: same frequency in all; phase defect < 2e-2; mean shares of the "
    "squared norm 0.333 +- 0.002",
)


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    neurons = modular.neurons(runs, -1)
    strong = neurons.filter((pl.col("activation") == "power") & (pl.col("relative") > 0.1))
    shown = neurons.filter(pl.col("group") == modular.largest(neurons), pl.col("seed") == 0, pl.col("relative") > 0.5)
    waves, spectra = [], []
    for kind, activation in (("ReLU", "relu"), ("quadratic", "power")):
        for row in shown.filter(activation=activation).sort("neuron").head(SHOWN).rows(named=True):
            u = modular.network(runs, row["trial"], -1).u[row["neuron"]]
            label = f"{kind}, neuron {row['neuron']}"
            waves.append(_wave(u).with_columns(panel=pl.lit(label)))
            spectra.append(_spectrum(u, row["group"]).with_columns(panel=pl.lit(label)))
    parts = {"weights": pl.concat(waves), "power": pl.concat(spectra), "neurons": strong}
    return pl.concat([part.with_columns(part=pl.lit(name)) for name, part in parts.items()], how="diagonal_relaxed")


def _wave(u: np.ndarray) -> pl.DataFrame:
    """The weights, and between them the real trigonometric polynomial with the same Fourier coefficients."""
    p = len(u)
    fine = np.arange(0, p, 1 / 8)
    j = np.arange(-(p // 2), p // 2 + 1)
    curve = (np.fft.fft(u)[j] @ np.exp(2j * np.pi * np.outer(j, fine) / p)).real / p
    at = np.full(len(fine), np.nan)
    at[::8] = u
    return pl.DataFrame({"x": fine, "weight": at, "curve": curve}).with_columns(pl.col("weight").fill_nan(None))


def _spectrum(u: np.ndarray, group: str) -> pl.DataFrame:
    found = power(u, irreps(named(group)))
    return pl.DataFrame({"x": np.arange(len(found), dtype=float), "power": found / found.sum()})


def figure(table: pl.DataFrame) -> Display:
    p = modular.largest(table.filter(part="neurons"))
    weights = Lines(
        table.filter(part="weights").drop("part").with_columns(line=pl.lit("weights")),
        x="x", y="weight", line="line", curve="curve", panel="panel", columns=4, x_label="element a", y_label="u(a)",
        labels={"weights": "weights, and the curve with their Fourier coefficients"}, title="Weights",
    )  # fmt: skip
    spectra = Lines(
        table.filter(part="power").drop("part").with_columns(line=pl.lit("power")),
        x="x", y="power", line="line", panel="panel", columns=4, x_label="frequency", y_label="part of the power",
        labels={"power": "power"}, title="Spectra",
    )  # fmt: skip
    return board(
        weights,
        spectra,
        columns=1,
        title=f"Neurons that add modulo {p[1:]}",
        caption="Weights u of trained neurons, the first ones above half of the largest norm, and their power at each "
        "frequency. Morwani et al. 2023, figures 7.1 (a) and (b).",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="neurons")
    defect = float(rows["phase_defect"].to_numpy().max())
    shares = [float(rows[name].to_numpy().mean()) for name in ("share_u", "share_v", "share_w")]
    holds = bool(rows["same"].all()) and defect < 2e-2 and max(abs(share - 1 / 3) for share in shares) <= 0.002
    note = f"{rows.height} neurons; shares {', '.join(f'{share:.4f}' for share in shares)}"
    return [PHASES.judged(holds, defect, None, f"value: largest phase defect. {note}")]


experiment = Experiment(
    name="waves",
    title="Neurons are waves",
    source="figure 7.1 (a), (b)",
    claims=(PHASES,),
    sweep=modular.sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs=modular.PLACE,
)
