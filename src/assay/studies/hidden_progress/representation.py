"""Which few ReLUs say a parity: two constructions of the paper as they are printed, and as they work.

Claim   k + 1 threshold features, with kinks one step apart, are twice the parity of k bits (Claim 5 within Lemma 4, in
        which k are printed); k ReLUs and an output bias are the parity (the nets of width k, printed without the bias).
Source  Barak et al. 2022, appendix B.1, Lemma 4, Claim 5, and the proof of Lemma 5, which prints other biases;
        section 3 and appendix D.1.1 for f = u.relu(W x + b) with r = k.
Output  table `representation`, in parts: `values` (of the readouts, exact, at each number m of hidden bits that are +1)
        and `checks` (one row a construction and k).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.analysis import frames
from assay.figures import Display, Lines
from assay.maths.cube import cube
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity.readout import Readout, bias_grid, corrected_readout, printed_readout
from assay.theory.parity.representation import relu_parity, two_relu_margin

ORDERS = (2, 4, 6, 8)
CORRECTED, PRINTED, PROOF = "corrected, k + 1 neurons", "as printed in Claim 5", "as drawn in Lemma 5"
RELU_ORDERS = {"smoke": 8, "desk": 10, "paper": 14}
"""Largest k of the nets of k ReLUs."""

READOUT = Claim(
    id="T6",
    source="Barak et al. 2022, Lemma 4, Claim 5, corrected",
    statement="On the features of Lemma 4, k + 1 neurons with kinks at m = -1, 0, ..., k - 1 and output weights 2k, "
    "-6k, 8k, -8k, ... are twice the parity of the k hidden bits; for k = 2 neurons of both orientations are.",
    kind="theorem",
    criterion="k = 2, 4, 6, 8: largest |f - 2 chi| = 0 in exact arithmetic, every bias among the 2k - 1 that are "
    "drawn, |u_i| <= 8k, ||u|| <= 8k sqrt(k + 1)",
)
READOUT_PRINTED = Claim(
    id="T6-printed",
    source="Barak et al. 2022, Lemma 4, Claim 5, as printed",
    statement="k neurons with biases -1/2 + (i+1)/k, or with those of Lemma 5, -1/2 + i/k, and output weights "
    "8k (-1)^(i+1), then 6k and -2k, are twice the parity of the k hidden bits.",
    kind="errata",
    criterion="one of the two readings has largest |f - 2 chi| = 0 at every k = 2, 4, 6, 8",
)
RELUS = Claim(
    id="T6-relus",
    source="Barak et al. 2022, section 3 (nets of width k), with an output bias",
    statement="k ReLUs and an output bias are the parity of k bits.",
    kind="theorem",
    criterion="largest |f - chi| over all inputs <= 1e-12 for k = 1, ..., 8 (desk: 10, paper: 14); margin of two ReLUs "
    "and an output bias on the parity of 2 bits >= 1 - 1e-9 for some net",
)
RELUS_PRINTED = Claim(
    id="T6-relus-printed",
    source="Barak et al. 2022, section 3 and appendix D.1.1, as printed",
    statement="Nets u.relu(W x + b) of width k, without an output bias, can represent the parity of k bits.",
    kind="errata",
    criterion="largest margin min y f > 0 of two ReLUs on the parity of 2 bits, over all nets (a linear program for "
    "each pair of activation patterns)",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    readouts = [(name, k, readout) for k in ORDERS for name, readout in _readouts(k).items()]
    values = [
        {"k": k, "line": name, "m": m, "value": float(readout(m))}
        for name, k, readout in readouts
        for m in range(k + 1)
    ]
    checks: list[dict[str, object]] = [_check(name, k, readout) for name, k, readout in readouts]
    for k in range(1, RELU_ORDERS[scale] + 1):
        checks.append({"line": "k ReLUs", "k": k, "error": _relu_error(k)})
    for name, constant in (("two ReLUs", False), ("two ReLUs, output bias", True)):
        checks.append({"line": name, "k": 2, "margin": two_relu_margin(constant)})
    return frames.parts(values=pl.DataFrame(values), checks=pl.DataFrame(checks, infer_schema_length=None))


def _readouts(k: int) -> dict[str, Readout]:
    return {CORRECTED: corrected_readout(k), PRINTED: printed_readout(k), PROOF: printed_readout(k, shift=0)}


def _check(name: str, k: int, readout: Readout) -> dict[str, object]:
    drawn = set(readout.biases) <= set(bias_grid(k))
    small = readout.largest <= 8 * k and readout.norm <= 8 * k * (k + 1) ** 0.5 * (1 + 1e-12)
    return {"line": name, "k": k, "error": float(readout.error), "allowed": drawn and small}


def _relu_error(k: int) -> float:
    weights, biases, output, constant = relu_parity(k)
    x = cube(k).astype(np.float64)
    return float(np.abs(np.maximum(x @ weights.T + biases, 0) @ output + constant - np.prod(x, axis=1)).max())


def figure(table: pl.DataFrame) -> Display:
    values = table.filter((pl.col("part") == "values") & (pl.col("k") > 2)).drop("part")
    return Lines(
        values,
        panel="k",
        columns=3,
        x="m",
        y="value",
        line="line",
        x_label="hidden bits at +1",
        y_label="f",
        title="Reading a parity off threshold features: Claim 5",
        caption="Output of the second layer of Claim 5 on features relu(m/k - 1/2 + b), against the number m of the k "
        "hidden bits that are +1. It has to be 2 and -2 in turn. Barak et al. 2022, appendix B.1, Lemma 4.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    checks = table.filter(part="checks")
    error = {name: checks.filter(line=name)["error"].to_list() for name in (CORRECTED, PRINTED, PROOF, "k ReLUs")}
    allowed = bool(checks.filter(line=CORRECTED)["allowed"].all())
    without, with_bias = (checks.filter(line=name)["margin"].item() for name in ("two ReLUs", "two ReLUs, output bias"))
    printed = min(max(error[PRINTED]), max(error[PROOF]))
    return [
        READOUT.judged(max(error[CORRECTED]) == 0 and allowed, max(error[CORRECTED])),
        READOUT_PRINTED.judged(
            printed == 0,
            printed,
            note=f"value: smaller of the largest errors of the two readings, of size {max(error[PRINTED]):g} and "
            f"{max(error[PROOF]):g}",
        ),
        RELUS.judged(
            max(error["k ReLUs"]) <= 1e-12 and with_bias >= 1 - 1e-9,
            max(error["k ReLUs"]),
            note=f"value: largest error; margin of two ReLUs and an output bias {with_bias:.3f}",
        ),
        RELUS_PRINTED.judged(without > 1e-9, without, note="no net is right on all four points"),
    ]


experiment = Experiment(
    name="representation",
    title="Which few ReLUs say a parity",
    source="Lemma 4, Claim 5; section 3",
    claims=(READOUT, READOUT_PRINTED, RELUS, RELUS_PRINTED),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
