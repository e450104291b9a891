"""The bound on linear methods beside what the best linear method can do, and what the bound says.

Claims  no bounded linear method over fixed features beats theorem 2.
Source  Daniely and Malach 2020, theorem 2 and section 4, in the form that holds at every n and k,
        1 - B sqrt(2N) C(n, k)^(-1/4) for the mean over A on uniform inputs and half of that for some easy parity; the
        theorem's k <= n/16 puts C(n, k) >= 2^(4k). The step from E||g_A||^2 to E||g_A|| is printed without the root.
Output  table `linear-bound`, in three parts: `least` (for each kind of features, N and B: the mean over subsets A of
        the least hinge loss on uniform inputs, between a dual and a primal value, the largest least loss on easy
        parities, and both bounds), `curve` (the bound between those norms) and `bound` (theorem 2 over N, B and k).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.figures import Display, Lines
from assay.maths.cube import cube
from assay.maths.fourier import character
from assay.maths.subsets import members, subset_masks
from assay.studies import Claim, Experiment, Judgement
from assay.studies.easy_parities.settings import SOURCE
from assay.theory.easy_parity.linear import bounded_features, general_linear_bound, least_loss, linear_bound
from assay.theory.parity import majority_coefficient_float

KINDS = ("relu", "sign", "fourier")
GRID = {  # n, k, features, norms, subsets (None: all)
    "smoke": ((9, 3, (4, 16), (0.1, 0.3, 1.0), 5),),
    "desk": ((9, 3, (4, 16, 64), (0.1, 0.3, 1.0), None), (11, 5, (4, 16, 64), (0.1, 0.3, 1.0), 100)),
    "paper": (
        (9, 3, (4, 16, 64), (0.1, 0.3, 1.0, 3.0), None),
        (11, 5, (4, 16, 64), (0.1, 0.3, 1.0, 3.0), None),
        (13, 5, (4, 16, 64), (0.1, 0.3, 1.0, 3.0), 200),
    ),
}

_BOUND = "ReLU, sign and Fourier features, {}: mean over A of the least loss on uniform inputs >= 1 - B sqrt(2N) "
_BOUND += "C(n, k)^(-1/4), and the largest over A on easy parities >= half of that: smallest margin >= 0"
HOLDS = Claim(
    id="DM4",
    source=f"{SOURCE}, theorem 2, with B outside of the root",
    statement="No linear method over N fixed features with weights of norm B does better than the bound.",
    kind="theorem",
    criterion={
        "smoke": _BOUND.format("(9, 3), 5 subsets"),
        "desk": _BOUND.format("(9, 3), all subsets, and (11, 5), 100 subsets"),
        "paper": _BOUND.format("(9, 3) and (11, 5), all subsets, and (13, 5), 200 subsets"),
    },
)
STEP = Claim(
    id="DM4-printed",
    source=f"{SOURCE}, section 4, equation (1), as printed",
    statement="For k <= n/16 the mean over A of ||g_A|| is at most N / 2^(4k).",
    kind="errata",
    criterion="majority of 49 bits as the one feature, k = 3: |g_A| / 2^(-12) <= 1",
)


def table(runs: None, scale: str) -> pl.DataFrame:
    rows = [row for grid in GRID[scale] for row in _least(*grid)]
    curves = [
        {"part": "curve", "setting": f"n = {n}, k = {k}", "n": n, "k": k, "features": count, "norm": float(norm),
         "bound": max(0.0, 2 * general_linear_bound(n, k, count, norm))}
        for n, k, counts, norms, _ in GRID[scale] for count in counts
        for norm in np.geomspace(norms[0], norms[-1], 60)
    ]  # fmt: skip
    bounds = [
        {"part": "bound", "n": 16 * k, "k": k, "features": features, "norm": norm,
         "bound_mixture": linear_bound(k, features, norm)}
        for k in (3, 5, 7, 9) for norm in (0.1, 1.0, 10.0) for features in (1, 10, 100, 1000, 10_000)
    ]  # fmt: skip
    return pl.concat([pl.DataFrame(part) for part in (rows, curves, bounds)], how="diagonal_relaxed")


def _least(n: int, k: int, counts: tuple[int, ...], norms: tuple[float, ...], subsets: int | None) -> list[dict]:
    points = cube(n).astype(np.float64)
    masks = subset_masks(n, k)
    if subsets is not None:
        masks = np.random.default_rng(0).choice(masks, subsets, replace=False)
    labels = [character(n, int(mask)).astype(np.float64) for mask in masks]
    uniform = np.full(len(points), 1 / len(points))
    rows = []
    for kind in KINDS:
        for count in counts:
            features = bounded_features(kind, points, count)
            for norm in norms:
                plain = [least_loss(features, label, uniform, norm) for label in labels]
                mixed = [
                    least_loss(features, label, _mixture(points, int(mask)), norm).lower
                    for label, mask in zip(labels[:5], masks[:5], strict=True)
                ]
                half = general_linear_bound(n, k, count, norm)
                rows.append(
                    {"part": "least", "setting": f"n = {n}, k = {k}", "n": n, "k": k, "kind": kind, "features": count,
                     "norm": norm, "subsets": len(labels), "loss_low": float(np.mean([each.lower for each in plain])),
                     "loss_high": float(np.mean([each.upper for each in plain])), "worst_mixture": max(mixed),
                     "bound": 2 * half, "bound_mixture": half}
                )  # fmt: skip
    return rows


def _mixture(points: np.ndarray, mask: int) -> np.ndarray:
    """Probabilities of the easy parity of a subset."""
    inside = points[:, list(members(mask))]
    equal = np.abs(inside.sum(axis=1)) == inside.shape[1]
    return (1 / len(points) + equal / equal.sum()) / 2


def figure(table: pl.DataFrame) -> Display:
    setting = table.filter(part="least")["setting"][-1]
    least, curve = (table.filter(part=part, setting=setting) for part in ("least", "curve"))
    drawn = [
        least.select("features", "norm", "kind", "loss_low", bound=pl.lit(None, pl.Float64)),
        curve.select("features", "norm", "bound", kind=pl.lit("theorem 2")),
    ]
    return Lines(
        pl.concat(drawn, how="diagonal_relaxed"),
        panel="features",
        columns=3,
        x="norm",
        y="loss_low",
        line="kind",
        x_scale="log",
        x_label="norm of the weights, B",
        y_label="least hinge loss",
        curve="bound",
        labels={"features": "N", "relu": "ReLU", "sign": "sign", "fourier": "Fourier"},
        title="The least loss of linear methods on parities of uniform bits",
        caption=f"Mean over subsets of the least hinge loss within ||w|| <= B on N random features (points, "
        f"{setting}), and theorem 2's bound below it (line; 0 where it says nothing). A loss of 1 is that of the "
        "answer 0. Daniely and Malach 2020.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    least = table.filter(part="least")
    margins = least.select(
        pl.min_horizontal(pl.col("loss_low") - pl.col("bound"), pl.col("worst_mixture") - pl.col("bound_mixture"))
    ).to_series()
    telling = least.filter(pl.col("bound") > 0)
    words = f"{least.height} settings, the bound above 0 in {telling.height}; largest gap of primal and dual "
    words += f"{(least['loss_high'] - least['loss_low']).max():.1g}"
    ratio = abs(majority_coefficient_float(49, 3)) * 2**12
    smallest = float(margins.to_numpy().min())
    return [
        HOLDS.judged(smallest >= 0, smallest, None, f"value: smallest margin. {words}"),
        STEP.judged(ratio <= 1, ratio, None, "value: |g_A| / 2^(-12). With the root it is at most 1 / 2^(2k): 64 more"),
    ]


experiment = Experiment(
    name="linear-bound",
    title="A bound on every linear method",
    source="theorem 2",
    claims=(HOLDS, STEP),
    sweep=None,
    table=table,
    figure=figure,
    judge=judge,
)
