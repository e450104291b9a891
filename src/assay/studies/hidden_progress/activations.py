"""Activations: the functions of one neuron that can compute a parity, and two of them as they are printed.

Claim   on the sum of k hidden bits the k-zigzag, the oscillating polynomial, the infinite zigzag and the sinusoid are
        their parity.
Source  Barak et al. 2022, figure 18 and appendix D.1.2. The infinite zigzag is printed through (2i, +1), (2i+1, -1),
        which has half the period of the sinusoid that shall share its points; the k-zigzag is printed with the k + 2
        intervals between its points and beyond, where it has k pieces. Both are judged.
Output  table `activations`, in parts: `curves` (what is drawn), `parities` (values on the sums of k bits beside their
        parity) and `pieces` (linear pieces of the k-zigzag).
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import polars as pl

import assay as ay
from assay.figures import Display, Lines
from assay.studies import Claim, Experiment, Judgement

PARITIES = ("zigzag", "polynomial", "triangle", "sinusoid")
DRAWN = (2, 3, 4)
DEGREES = {"smoke": 6, "desk": 8, "paper": 8}
"""Largest k that is checked."""
TOP = 2.2
"""Where drawing ends."""
NAMES = {
    "relu": "ReLU", "power": "$z^k$", "zigzag": "k-zigzag", "polynomial": "oscillating polynomial",
    "triangle": "infinite zigzag", "sinusoid": "sinusoid",
}  # fmt: skip

ARE_PARITIES = Claim(
    id="F18",
    source="Barak et al. 2022, appendix D.1.2",
    statement="The k-zigzag, the oscillating polynomial, the infinite zigzag and the sinusoid, at the sum of the k "
    "hidden bits, are their parity.",
    kind="theorem",
    criterion={
        scale: f"largest |s(x_1 + ... + x_k) - x_1 ... x_k| <= 1e-4 over the four, all x and k = 1, ..., {top}"
        for scale, top in DEGREES.items()
    },
)
TRIANGLE_PRINTED = Claim(
    id="F18-triangle-printed",
    source="Barak et al. 2022, appendix D.1.2, as printed",
    statement="The wave that joins the points (2i, +1) and (2i + 1, -1) can express parities of any degree on sums of "
    "signs.",
    kind="errata",
    criterion="with a bias of 0 or 1 it agrees with the parity on a fraction = 1 of the inputs, at every k >= 2",
)
PIECES_PRINTED = Claim(
    id="F18-zigzag-printed",
    source="Barak et al. 2022, appendix D.1.2, as printed",
    statement="The linear regions of the k-zigzag are the k + 2 intervals that its k + 1 points make.",
    kind="errata",
    criterion="pieces of the k-zigzag - k = 2, at k = 1, 2, ...",
)


def evaluate(activation: str, k: int, z: np.ndarray) -> np.ndarray:
    """s(z) as the neuron of weight 1 and bias 0 computes it."""
    neuron = ay.Neuron(activation=activation, inputs=1, degree=k)
    params = {"neuron": {"weight": jnp.ones(1), "bias": jnp.zeros(())}}
    return np.asarray(neuron.apply(params, jnp.asarray(z, jnp.float32)[:, None]), dtype=np.float64)


def printed_triangle(z: np.ndarray) -> np.ndarray:
    """The triangle wave through (2i, +1) and (2i + 1, -1)."""
    return 4 * np.abs(np.mod(z, 2) - 1) / 2 - 1


def table(runs: None, scale: str) -> pl.DataFrame:
    degrees = range(1, DEGREES[scale] + 1)
    z = np.linspace(-6, 6, 961)
    curves = [_curve(name, k, z) for name in NAMES for k in (DRAWN if name != "relu" else (1,))]
    parts = {
        "curves": pl.concat(curves),
        "parities": pl.concat([_parities(k) for k in degrees]),
        "pieces": pl.DataFrame({"k": list(degrees), "pieces": [_pieces(k) for k in degrees]}),
    }
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def _curve(name: str, k: int, z: np.ndarray) -> pl.DataFrame:
    value = evaluate(name, k, z)
    drawn = pl.Series("value", np.where(np.abs(value) <= TOP, value, np.nan)).fill_nan(None)
    at_sums = np.isin(z, k - 2 * np.arange(k + 1)) & (name in PARITIES)
    point = pl.Series("point", np.where(at_sums, value, np.nan)).fill_nan(None)
    line = "any k" if name == "relu" else f"k = {k}"
    return pl.DataFrame({"activation": name, "line": line, "z": z, "value": drawn, "point": point})


def _parities(k: int) -> pl.DataFrame:
    """One row for each number j of hidden bits that are -1: their sum is k - 2 j, their parity (-1)^j."""
    minus = np.arange(k + 1)
    z = (k - 2 * minus).astype(np.float64)
    values = {name: evaluate(name, k, z) for name in PARITIES}
    shifted = {f"printed triangle, bias {bias}": printed_triangle(z + bias) for bias in (0, 1)}
    return pl.DataFrame({"k": k, "z": z, "parity": (-1.0) ** minus, **values, **shifted})


def _pieces(k: int) -> int:
    """Changes of slope on a fine grid beyond all points, and one."""
    z = np.arange(-k - 4, k + 4, 0.25)
    slope = np.diff(evaluate("zigzag", k, z)) / 0.25
    return 1 + int(np.sum(np.abs(np.diff(slope)) > 1e-3))


def figure(table: pl.DataFrame) -> Display:
    return Lines(
        table.filter(part="curves"),
        panel="activation",
        columns=3,
        x="z",
        y="point",
        curve="value",
        line="line",
        x_label="z",
        y_label="activation",
        labels=NAMES,
        title="Activations",
        caption="Functions of one neuron, for parities of k bits. The last four are marked at the sums of k signs, "
        "where they are the parity: 1 at z = k, and of the other sign every 2. Barak et al. 2022, figure 18.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    parities = table.filter(part="parities")
    error = {name: float((parities[name] - parities["parity"]).abs().to_numpy().max()) for name in PARITIES}
    worst = max(error, key=lambda name: error[name])
    agreeing = {
        k: max(_agreement(parities.filter(pl.col("k") == k), bias) for bias in (0, 1))
        for k in range(2, DEGREES[scale] + 1)
    }
    most = max(agreeing, key=lambda k: agreeing[k])
    surplus = [pieces - k for k, pieces in table.filter(part="pieces").select("k", "pieces").rows()]
    return [
        ARE_PARITIES.judged(error[worst] <= 1e-4, error[worst], note=f"value: of the {NAMES[worst]}"),
        TRIANGLE_PRINTED.judged(
            min(agreeing.values()) == 1, agreeing[most], note=f"value: largest fraction over k, at k = {most}; the "
            "wave is constant on sums of k signs, which are all even or all odd"
        ),
        PIECES_PRINTED.judged(
            all(more == 2 for more in surplus), max(surplus), note="value: pieces - k; the outer pieces go on for ever"
        ),
    ]  # fmt: skip


def _agreement(rows: pl.DataFrame, bias: int) -> float:
    """Fraction of the inputs on which the printed wave, or its negative, is the parity: j signs of k are -1 in
    binom(k, j) of them."""
    k = rows.height - 1
    weight = np.array([1.0])
    for _ in range(k):
        weight = np.convolve(weight, [0.5, 0.5])
    same = float(weight @ (rows[f"printed triangle, bias {bias}"] == rows["parity"]).to_numpy())
    return max(same, 1 - same)


experiment = Experiment(
    name="activations",
    title="Activations",
    source="figure 18 and appendix D.1.2",
    claims=(ARE_PARITIES, TRIANGLE_PRINTED, PIECES_PRINTED),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
