"""Depth against degree: what the gradient of the first layer of a quadratic net can see of a parity.

Claim   in a net of L layers that squares, the first layer's gradient is zero on parities of more than 2^(L-1) bits, and
        not on smaller ones; trained layer by layer, it is zero from 3 bits on, however deep the net is to be.
Source  Barak et al. 2022, appendix C.7. The degree of the factor df/dz_1 is printed as 2^(L-2) - 1, which is its degree
        in z_1; in x it is 2^(L-1) - 2. Printed f_L(z) = u.z ends in one square and has one sign; nets here end in
        u.z + c. Widths as in the paper's experiment: (2, 1) for L = 3, (10, 10, 1) for L = 4; 10 for L = 2, the head
        that layer-wise training puts on the first layer.
Output  table `depth-algebra`, in parts: `gradients` (over random nets, the largest entry at each k), `degrees` (of
        df/dz_1) and `towers` (nets that are a parity, with and without the output bias).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from assay.analysis import frames
from assay.figures import Display, Lines
from assay.maths.cube import cube
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity.depth import QuadraticNet, gradient_by_degree, random_net, sensitivity_by_degree, tower

BITS = {"smoke": 9, "desk": 10, "paper": 12}
WIDTHS: Mapping[int, Sequence[int]] = {2: (10,), 3: (2, 1), 4: (10, 10, 1)}
"""By the number of layers L; L = 2 is what layer-wise training sees."""
DRAWS = {"smoke": 10, "desk": 30, "paper": 100}
ZERO = 1e-12
LEVELS = (1, 2, 3)
ZERO_FLOOR = 1e-17
"""Where zeros are drawn."""

LAYERWISE = Claim(
    id="T16",
    source="Barak et al. 2022, appendix C.7",
    statement="The first layer of a quadratic net gets no gradient from a parity of k > 2 bits under a linear head of "
    "its own, as in layer-wise training, but does end to end as long as k <= 2^(L-1).",
    kind="theorem",
    criterion="default initialisation, n = 9 (desk: 10, paper: 12), all subsets of k bits: largest entry <= 1e-12 in "
    "every net for L = 2 and k = 3, 4, ..., for L = 3 and k = 5, 6, ..., and for L = 4 and k = 9, ...; > 1e-6 in every "
    "net for L = 3 and k = 3, 4, and for L = 4 and k = 3, ..., 8",
)
DEGREE = Claim(
    id="T16-degree",
    source="Barak et al. 2022, appendix C.7, corrected",
    statement="The factor df/dz_1 of a first-layer gradient has degree 2^(L-1) - 2 in x.",
    kind="theorem",
    criterion="largest |T| with a coefficient > 1e-12 is = 2^(L-1) - 2 in every net, L = 2, 3, 4",
)
DEGREE_PRINTED = Claim(
    id="T16-degree-printed",
    source="Barak et al. 2022, appendix C.7, as printed",
    statement="The factor df/dz_1 of a first-layer gradient has degree 2^(L-2) - 1 in x.",
    kind="errata",
    criterion="largest |T| with a coefficient > 1e-12 is = 2^(L-2) - 1 in every net, L = 2, 3, 4",
)
TOWER = Claim(
    id="T16-output",
    source="Barak et al. 2022, appendix C.7, with an output bias",
    statement="With an output bias, quadratic nets of L layers and widths 2^(L-2), ..., 2, 1 are the parity of 2^(L-1) "
    "bits.",
    kind="theorem",
    criterion="largest |f - chi| over all inputs <= 1e-12 for L = 2, 3, 4",
)
TOWER_PRINTED = Claim(
    id="T16-output-printed",
    source="Barak et al. 2022, appendix C.7, as printed",
    statement="The quadratic nets of the experiment, which end in u.z for a single square z, can represent parities.",
    kind="errata",
    criterion="accuracy > 1/2 + 1e-12 on some parity of k >= 1 bits, for random nets with L = 3, 4 and for the nets of "
    "T16-output without their output bias",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    gradients, degrees = [], []
    for layers, widths in WIDTHS.items():
        rng = np.random.default_rng(layers)
        for draw in range(DRAWS[scale]):
            net = random_net(BITS[scale], widths, rng)
            sizes, spectrum = gradient_by_degree(net), sensitivity_by_degree(net)
            gradients += [{"layers": layers, "draw": draw, "k": k, "entry": sizes[k]} for k in range(1, len(sizes))]
            found = {"degree": int(np.flatnonzero(spectrum > ZERO).max()), "accuracy": _best_accuracy(net, widths)}
            degrees.append({"layers": layers, "draw": draw, **found})
    over = pl.DataFrame(gradients).group_by("layers", "k", maintain_order=True)
    return frames.parts(
        gradients=over.agg(least=pl.min("entry"), entry=pl.median("entry"), most=pl.max("entry"), nets=pl.len()).sort(
            "layers", "k"
        ),
        degrees=pl.DataFrame(degrees, infer_schema_length=None),
        towers=pl.DataFrame([_tower(levels) for levels in LEVELS]),
    )


def _best_accuracy(net: QuadraticNet, widths: Sequence[int]) -> float | None:
    """Of the net without its constant on any parity: outputs of one sign agree with a parity on half of the inputs."""
    if widths[-1] > 1:
        return None
    return _of_one_sign(net(cube(net.weights[0].shape[1])) - net.constant)


def _tower(levels: int) -> dict[str, object]:
    net, x = tower(levels), cube(2**levels)
    error = float(np.abs(net(x) - np.prod(x, axis=1, dtype=np.float64)).max())
    return {"layers": levels + 1, "error": error, "accuracy": _of_one_sign(net(x) - net.constant)}


def _of_one_sign(output: np.ndarray) -> float:
    """The largest accuracy on a parity: half, and half the fraction of what has the less frequent sign on top of it."""
    positive, negative = float(np.mean(output > 0)), float(np.mean(output < 0))
    return 0.5 + min(positive, negative)


def figure(table: pl.DataFrame) -> Display:
    gradients = table.filter(part="gradients").select(
        "k", "layers", *(pl.col(name).clip(ZERO_FLOOR).alias(name) for name in ("entry", "least", "most"))
    )
    return Lines(
        gradients,
        x="k",
        y="entry",
        line="layers",
        bars=("least", "most"),
        y_scale="log",
        x_label="bits of the parity, k",
        y_label="largest entry of the gradient",
        labels={"2": "L = 2 (layer by layer)", "3": "L = 3", "4": "L = 4"},
        title="What the first layer of a quadratic net sees",
        caption="Largest entry of the population gradient of the first layer at default initialisation, over all "
        "parities of k bits; median and range over random nets of L layers. What is below 1e-15 is zero up to "
        "rounding. A first layer with a head of its own sees parities of one and two bits, under deeper nets those of "
        "up to 2^(L-1). Barak et al. 2022, appendix C.7.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    gradients = table.filter((pl.col("part") == "gradients") & (pl.col("k") > 2))
    visible = pl.col("k") <= 2 ** (pl.col("layers") - 1)
    seen, unseen = min(gradients.filter(visible)["least"]), max(gradients.filter(~visible)["most"])
    degrees, towers = table.filter(part="degrees"), table.filter(part="towers")
    found = degrees.select("layers", "degree").unique().sort("layers", "degree").rows()
    right = {layers: 2 ** (layers - 1) - 2 for layers in WIDTHS}
    printed = {layers: 2 ** (layers - 2) - 1 for layers in WIDTHS}
    words = ", ".join(f"{degree} at L = {layers}" for layers, degree in found)
    deepest = max(degree for layers, degree in found if layers == max(WIDTHS))
    best = max([*degrees["accuracy"].drop_nulls(), *towers["accuracy"]])
    return [
        LAYERWISE.judged(
            unseen <= ZERO and seen > 1e-6,
            unseen,
            note=f"value: largest entry that should be 0; smallest of those that should not, of any net: {seen:.1e}",
        ),
        DEGREE.judged(all(right[layers] == degree for layers, degree in found), deepest, note=f"degrees {words}"),
        DEGREE_PRINTED.judged(
            all(printed[layers] == degree for layers, degree in found),
            deepest,
            note=f"value: degree at L = {max(WIDTHS)}, printed {printed[max(WIDTHS)]}; degrees {words}",
        ),
        TOWER.judged(max(towers["error"]) <= ZERO, max(towers["error"])),
        TOWER_PRINTED.judged(best > 0.5 + ZERO, best, note="value: largest accuracy; a square times u has one sign"),
    ]


experiment = Experiment(
    name="depth-algebra",
    title="Depth against degree",
    source="appendix C.7",
    claims=(LAYERWISE, DEGREE, DEGREE_PRINTED, TOWER, TOWER_PRINTED),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
