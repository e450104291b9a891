"""What else attention does: broad averages, one bit among very many, alphabets, real numbers.

Claim   with a scale that grows like log T attention stays sensitive to a single token, which no fixed scale does.
Source  Edelman, Goel, Kakade, Zhang 2022, section 4.3 and appendix A.2.4; Hahn 2020.
Output  table `beyond`, in parts: `sensitivity` (of the output to one relevant bit) and `checks`.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from scipy import stats

from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement
from assay.theory.constructions import beyond

LENGTHS = (10, 100, 1000, 10_000, 100_000)
SPARSITY, FIXED = 3, 2.0
ALPHABETS = {"smoke": ((3, 6),), "desk": ((3, 6), (3, 8), (4, 6)), "paper": ((3, 6), (3, 8), (4, 6), (4, 8))}
SOURCE = "Edelman, Goel, Kakade, Zhang 2022, "

SENSITIVE = Claim(
    id="C22",
    source=SOURCE + "section 4.3, with Hahn 2020",
    statement="Flipping one relevant bit changes the output by about 2/s however long the input, if the scale is "
    "log(8T/gamma); "
    "at a fixed scale the change vanishes like 1/T. Attention can also average all tokens, or those of a subspace.",
    kind="theorem",
    criterion="s = 3, T = 10..1e5: weights agree with 2 e^R / (s e^R + T + 1 - s), and averages with their formula, "
    "within "
    "1e-9; fixed R: log-log slope -1 +- 0.05 over the three largest T; R = log(8T/gamma): change >= 0.85 (2/s) for "
    "all T",
)
DOMAINS = Claim(
    id="C23",
    source=SOURCE + "appendix A.2.4",
    statement="Functions of s tokens of an alphabet are computed exactly as those of bits are, and single numbers of "
    "[0, 1]^T "
    "are selected with an error of at most 2T / e^R.",
    kind="theorem",
    criterion={
        "smoke": "M = 3, T = 6, s = 2, all M^T inputs: largest error < 1e-9; continuous: error / (2T/e^R) <= 1",
        "desk": "M = 3, T = 6 and 8, M = 4, T = 6, s = 2, all M^T inputs: largest error < 1e-9; continuous: error / "
        "(2T/e^R) "
        "<= 1",
        "paper": "M = 3, 4, T = 6 and 8, s = 2, all M^T inputs: largest error < 1e-9; continuous: error / (2T/e^R) "
        "<= 1",
    },
)


def table(runs: None, scale: str) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    rows: list[dict[str, object]] = []
    for length in LENGTHS:
        for line, given in (("R = log(8T/gamma)", None), (f"R = {FIXED:g}", FIXED)):
            at = math.log(4 * SPARSITY * length) if given is None else given
            rows.append(
                {
                    "part": "sensitivity", "line": line, "x": length,
                    "value": beyond.measured_sensitivity(length, SPARSITY, given),
                    "formula": beyond.sensitivity(length, SPARSITY, at),
                }
            )  # fmt: skip

    def check(name: str, value: float) -> None:
        rows.append({"part": "checks", "line": name, "x": None, "value": value})

    check("average", beyond.uniform_average_error(50, 6, rng))
    check("subspace", beyond.subspace_average_error(60, 20, 3, rng))
    for alphabet, length in ALPHABETS[scale]:
        values = rng.normal(size=alphabet**2)
        check("alphabet", beyond.categorical_error(alphabet, length, (1, length - 1), values))
    for length, at in ((50, 10.0), (1000, 12.0)):
        check("continuous", beyond.continuous_error(length, at, 200, rng) / (2 * length / math.exp(at)))
    return pl.DataFrame(rows, infer_schema_length=None)


def figure(table: pl.DataFrame) -> Display:
    return Lines(
        table.filter(part="sensitivity"),
        x="x", y="value", line="line", curve="formula", x_scale="log", y_scale="log",
        x_label="length T", y_label="change of the output",
        title="One bit among T",
        caption="Change of the output of one attention head when one of 3 relevant bits is flipped, from the weights "
        "(markers) "
        "and by the formula (lines). Edelman, Goel, Kakade, Zhang 2022, section 4.3.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="sensitivity").sort("x")
    off = float((rows["value"] - rows["formula"]).abs().max())  # type: ignore[arg-type]
    fixed, own = rows.filter(line=f"R = {FIXED:g}"), rows.filter(line="R = log(8T/gamma)")
    slope = float(stats.linregress(np.log(fixed["x"].to_numpy()[-3:]), np.log(fixed["value"].to_numpy()[-3:])).slope)
    least = float(own["value"].to_numpy().min()) / (2 / SPARSITY)
    checks = table.filter(part="checks")
    worst = {str(name): float(part["value"].to_numpy().max()) for (name,), part in checks.group_by("line")}
    holds = off < 1e-9 and worst["average"] < 1e-9 and worst["subspace"] < 1e-9
    return [
        SENSITIVE.judged(
            holds and abs(slope + 1) <= 0.05 and least >= 0.85, least, note=f"slope at a fixed scale {slope:.3f}"
        ),
        DOMAINS.judged(worst["alphabet"] < 1e-9 and worst["continuous"] <= 1, worst["alphabet"]),
    ]


experiment = Experiment(
    name="beyond",
    title="One bit among very many, alphabets, real numbers",
    source="section 4.3, appendix A.2.4",
    claims=(SENSITIVE, DOMAINS),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
