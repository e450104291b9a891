"""The tangent kernel of a small net fits few parities: what is learnt needs the features to move.

Claim   features of norm at most 1 and weights of norm at most R have hinge loss at least 1 - R / sqrt(C(n,k)) on some
        parity of k bits; a net of the same size that trains its features learns them all.
Source  Barak et al. 2022, Theorem 5, for features of dimension D with D R^2 < eps^2 C(n,k), "0-1 or hinge loss". For
        the hinge loss D is not needed; for the 0-1 loss it cannot hold. Features are the gradient of a ReLU net at its
        default initialisation over its largest norm; n = 12, all inputs. The nets that are trained have batch 32 and
        learning rate 1 (0.3 at width 8).
Output  table `kernel`, in parts: `correlations` (c_S^2 by the size of S), `losses` (least hinge loss on the hardest
        subset within R) and `trained` (one row a width and k).
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import frames
from assay.figures import Display, Lines, board
from assay.maths.fourier import coefficients_of_degree
from assay.maths.subsets import members
from assay.studies import Claim, Experiment, Judgement
from assay.theory.parity.kernel import (
    hardest_subset,
    kernel_bound,
    least_hinge_loss,
    sign_errors,
    squared_correlations,
    tangent_features,
)

N = {"smoke": 10, "desk": 12, "paper": 14}
WIDTHS, TRAINED = (2, 8, 32), (8, 32)
ORDERS = (2, 3, 4)
RADII = (1.0, 3.0, 10.0, 30.0, 100.0)
RUNS = {"smoke": 3, "desk": 20, "paper": 100}

CORRELATIONS = Claim(
    id="T13",
    source="Barak et al. 2022, Theorem 5, for the hinge loss and without its factor D",
    statement="Of features of norm at most 1, some parity of k bits has hinge loss at least 1 - R c_S >= 1 - R / "
    "sqrt(C(n,k)) within weights of norm R, since sum_S c_S^2 <= 1.",
    kind="theorem",
    criterion="n = 12 (smoke: 10, paper: 14), widths 2, 8, 32: sum of c_S^2 over all S <= 1; smallest c_S^2 at k = 2, "
    "3, 4 <= 1 / C(n,k); least hinge loss found for that S >= 1 - R c_S (up to 1e-9) at R = 1, 3, 10, 30, 100",
)
ZERO_ONE = Claim(
    id="T13-printed",
    source="Barak et al. 2022, Theorem 5, as printed",
    statement="The same holds of the 0-1 loss: some parity of k bits has more than 1 - eps errors under all weights.",
    kind="errata",
    criterion="eps = 1/4 and R so small that D R^2 < eps^2 C(n,k), widths 8, 32, k = 2, 3, 4: for some S both of w and "
    "-w, w the direction of least hinge loss, have a 0-1 loss > 3/4",
)
CONTRAST = Claim(
    id="T13-trained",
    source="Barak et al. 2022, section 4 (kernel bound) and section 3",
    statement="Nets of the same sizes learn those parities when all of their weights are trained.",
    kind="experiment",
    criterion="width 32, k = 2, 3, 4: at least 4/5 of the runs answer all of 8192 held-out examples within 50,000 "
    "steps",
)


def sweep(scale: str) -> ay.Sweep:
    base = ay.Trial(
        task=ay.Parity(n=N[scale], k=2),
        net=ay.MLP(width=32),
        optimiser=ay.SGD(learning_rate=1.0),
        batch=32,
        budget=50_000,
    )
    sizes = ay.zipped(ay.axis("net.width", *TRAINED), ay.axis("optimiser.learning_rate", 0.3, 1.0))
    return ay.Sweep(base, sizes, ay.axis("task.k", *ORDERS), ay.seeds(RUNS[scale]))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    n, correlations, losses = N[scale], [], []
    for width in WIDTHS:
        features = tangent_features(n, width, np.random.default_rng(width))
        squared = squared_correlations(features)
        total = float(squared.sum())
        for k in range(1, n + 1):
            of_size = coefficients_of_degree(squared, k)
            row = {
                "smallest": float(of_size.min()),
                "median": float(np.median(of_size)),
                "largest": float(of_size.max()),
            }
            correlations.append({"width": width, "k": k, "total": total, "allowed": 1 / math.comb(n, k), **row})
        for k in ORDERS:
            mask, size = hardest_subset(squared, k)
            for radius in RADII:
                found = least_hinge_loss(features, members(mask), radius, steps=200)
                losses.append(
                    {"width": width, "k": k, "radius": radius, "correlation": size, "lower": found.lower}
                    | {"upper": found.upper, "promised": 1 - radius * size, "bound": kernel_bound(n, k, radius)}
                    | {"zero_one": float(sign_errors(features, k, found.direction).max()), "D": features.dimension}
                )
    trained = runs.frame.group_by("net.width", "task.k").agg(
        runs=pl.len(), solved=(pl.col("outcome") == "solved").sum(), steps=pl.col("step").median()
    )
    return frames.parts(
        correlations=pl.DataFrame(correlations),
        losses=pl.DataFrame(losses),
        trained=trained.sort("net.width", "task.k").rename({"net.width": "width", "task.k": "k"}),
    )


def figure(table: pl.DataFrame) -> Display:
    correlations = table.filter((pl.col("part") == "correlations") & (pl.col("k") <= 8))
    counting = correlations.filter(width=WIDTHS[0]).select("k", line=pl.lit("1 / C(n,k)"), value="allowed")
    smallest = correlations.select("k", line=pl.format("width {}", "width"), value="smallest")
    losses = table.filter(part="losses", width=32).drop("part")
    return board(
        Lines(
            pl.concat([counting, smallest]),
            x="k",
            y="value",
            line="line",
            y_scale="log",
            x_label="bits of the parity, k",
            y_label=r"smallest $c_S^2$",
            title="Correlation with the features",
        ),
        Lines(
            losses.select("k", "radius", "upper", promised=pl.when(pl.col("promised") > 0).then("promised")),
            x="radius",
            y="upper",
            curve="promised",
            line="k",
            x_scale="log",
            x_label="norm R of the weights",
            y_label="least hinge loss",
            title="Hardest parity, width 32",
        ),
        columns=2,
        title="The tangent kernel of a small net fits few parities",
        caption="Left: squared correlation of the features with the parity of k bits that they fit worst, for ReLU "
        "nets of three widths, below the bound 1 / C(n,k) by counting. Right: least hinge loss on it within weights of "
        "norm R (points), and 1 - R c_S (lines). All 2^n inputs. Barak et al. 2022, Theorem 5.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    correlations, losses = table.filter(part="correlations"), table.filter(part="losses")
    counted = correlations.filter(pl.col("k").is_in(ORDERS))
    room = max((counted["smallest"] / counted["allowed"]).to_list())
    slack = min((losses["upper"] - losses["promised"]).to_list())
    total = max(correlations["total"])
    wide = losses.filter(pl.col("width") > 2, radius=RADII[0])
    most = max(wide["zero_one"])
    trained = table.filter(part="trained", width=32)
    least = min((trained["solved"] / trained["runs"]).to_list())
    words = ", ".join(
        f"{row['solved']}/{row['runs']} at width {row['width']}, k = {row['k']}"
        for row in table.filter(part="trained").rows(named=True)
    )
    return [
        CORRELATIONS.judged(
            total <= 1 and room <= 1 and slack >= -1e-9,
            slack,
            note=f"value: least hinge loss less 1 - R c_S, smallest; sum of c_S^2 at most {total:.3f}; smallest c_S^2 "
            f"at most {room:.3f} / C(n,k)",
        ),
        ZERO_ONE.judged(
            most > 0.75,
            most,
            note="value: largest over S of the smaller 0-1 loss of w and -w, which no length of w changes",
        ),
        CONTRAST.judged(least >= 0.8, least, note=f"value: smallest solved fraction at width 32; {words}"),
    ]


experiment = Experiment(
    name="kernel",
    title="The tangent kernel of a small net",
    source="Theorem 5",
    claims=(CORRELATIONS, ZERO_ONE, CONTRAST),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
