"""Lottery tickets: a wide net learns through a few neurons that could have learnt alone, had one known which.

Claim   the five heaviest neurons of a trained net, rewound to their initial weights, learn from other examples as well;
        five random neurons mostly do not.
Source  Edelman et al. 2023, figure 5: online, (50,5), width 100, sparse(2), batch 32, rate 0.1. Weight decay, loss and
        steps are not stated; without decay, as here, learning is fast. Weight norm is read as that of the incoming row.
        Random neurons are those of a fresh net of width 100, at the same scale.
Output  table `lottery`, in three parts: `neurons` (those kept of each net, the share of their norm on the subset),
        `trials` (last held-out error and solve time of each whole net, ticket and random subnetwork) and `survival`
        (the fraction not yet below 10 % error against steps).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from scipy import stats

import assay as ay
from assay.analysis import survival
from assay.figures import Display, SurvivalCurves
from assay.studies import Claim, Experiment, Judgement
from assay.studies.pareto_frontiers.settings import together

N, K, WIDTH, KEPT = 50, 5, 100, 5
SCALES: Mapping[str, tuple[int, int, int, int, int]] = {
    # whole nets, SGD seeds a ticket, random subnetworks, budget of the whole net, of the others
    "smoke": (2, 6, 12, 60_000, 60_000),
    "desk": (4, 6, 24, 60_000, 300_000),
    "paper": (10, 20, 200, 60_000, 1_000_000),
}
FIRST_SEED = 1000
"""Of runs of tickets and random subnetworks: other examples than the whole nets saw."""
NAMES = {"whole": "whole net", "ticket": "ticket", "random": "random subnetwork"}

WHOLE = Claim(
    id="C10-whole",
    source="Edelman et al. 2023, figure 5 (left)",
    statement="A net of width 100 learns the (50,5)-parity, and its heaviest neurons end on the hidden subset.",
    kind="experiment",
    criterion="without weight decay the median whole net is at <= 1 % error within 60,000 steps; in every net that is, "
    "the five heaviest neurons have >= 95 % of their norm on the subset (mean of each net)",
)
TICKET = Claim(
    id="C10",
    source="Edelman et al. 2023, figure 5",
    statement="Winning tickets, rewound and trained on other examples, beat random subnetworks of the same size.",
    kind="experiment",
    criterion={
        scale: f"{nets} nets, {seeds} runs a ticket, {randoms} random subnetworks of 5 neurons, {budget:,} steps: the "
        "median last error of tickets is below that of random subnetworks; one-sided rank-sum test p < 0.05"
        for scale, (nets, seeds, randoms, _, budget) in SCALES.items()
    },
)


def _trial(net: ay.Net, init: ay.Sparse, budget: int, measures: tuple[str, ...], every: int) -> ay.Trial:
    return ay.Trial(
        task=ay.Parity(n=N, k=K),
        net=net,
        init=init,
        optimiser=ay.SGD(learning_rate=0.1),
        batch=32,
        budget=budget,
        solve=ay.Solve(accuracy=0.99, sample=10_000, every=200),
        record=ay.Record(measures=measures, every=every),
    )


def sweep(scale: str) -> ay.Sweep:
    nets, _, randoms, whole, budget = SCALES[scale]
    parent = _trial(
        ay.MLP(width=WIDTH), ay.Sparse(nonzeros=2), whole, ("eval/error", "weights/first_layer"), max(whole // 20, 1)
    )
    other = _trial(ay.Ticket(width=WIDTH, kept=tuple(range(KEPT))), ay.Sparse(nonzeros=2), budget, ("eval/error",), 500)
    return ay.Sweep(parent, ay.seeds(nets)) + ay.Sweep(other, ay.seeds(randoms, first=2 * FIRST_SEED))


def then(runs: ay.Runs, scale: str) -> ay.Sweep | None:
    """The tickets of the whole nets that learnt, each with several seeds of examples."""
    if runs.frame["init.seed"].is_not_null().any():
        return None
    _, seeds, _, _, budget = SCALES[scale]
    parts = []
    for row, kept in _heaviest(runs):
        if row["outcome"] != "solved":
            continue
        net = ay.Ticket(width=WIDTH, kept=tuple(kept))
        init = ay.Sparse(nonzeros=2, seed=row["seed"])
        ticket = _trial(net, init, budget, ("eval/error",), 500)
        parts.append(ay.Sweep(ticket, ay.seeds(seeds, first=FIRST_SEED)))
    return together(parts) if parts else None


def _heaviest(runs: ay.Runs) -> list[tuple[dict[str, Any], list[int]]]:
    """The rows of the whole nets, and the neurons of each whose incoming weights are the longest at its end."""
    whole = runs.frame.filter(pl.col("net.kind") == "mlp")
    layers = runs.arrays("weights/first_layer")
    return [
        (row, np.argsort(-np.linalg.norm(layers[row["trial"]][-1], axis=1), kind="stable")[:KEPT].tolist())
        for row in whole.iter_rows(named=True)
    ]


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    layers = runs.arrays("weights/first_layer")
    neurons = []
    for row, kept in _heaviest(runs):
        final, start = layers[row["trial"]][-1][kept], layers[row["trial"]][0][kept]
        share = np.linalg.norm(final[:, :K], axis=1) / np.linalg.norm(final, axis=1)
        starts = start[:, :K].sum(axis=1).astype(int)
        neurons += [
            {"seed": row["seed"], "neuron": j, "share": float(s), "ones_in_subset": int(o), "outcome": row["outcome"]}
            for j, s, o in zip(kept, share, starts, strict=True)
        ]
    random = (pl.col("net.kind") == "ticket") & pl.col("init.seed").is_null()
    kind = pl.when(pl.col("net.kind") == "mlp").then(pl.lit("whole")).when(random).then(pl.lit("random"))
    last = runs.curves.sort("step").group_by("trial").agg(error=pl.last("eval/error"))
    trials = runs.frame.select(
        "trial", "seed", "outcome", "step", "budget", kind=kind.otherwise(pl.lit("ticket")), cut_from="init.seed"
    ).join(last, on="trial", maintain_order="left")
    reached = runs.curves.filter(pl.col("eval/error") <= 0.1).group_by("trial").agg(low=pl.min("step"))
    learnt = trials.join(reached, on="trial", how="left").with_columns(
        outcome=pl.when(pl.col("low").is_null()).then(pl.lit("censored")).otherwise(pl.lit("solved")),
        step=pl.coalesce("low", "budget"),
    )
    return pl.concat(
        [
            pl.DataFrame(neurons).with_columns(part=pl.lit("neurons")),
            trials.with_columns(part=pl.lit("trials")),
            survival.curve(learnt, by=["kind"]).with_columns(part=pl.lit("survival")),
        ],
        how="diagonal_relaxed",
    )


def figure(table: pl.DataFrame) -> Display:
    order = pl.Enum(list(NAMES))
    return SurvivalCurves(
        table.filter(part="survival").sort(pl.col("kind").cast(order), "step"),
        line="kind",
        labels=NAMES,
        y_label="not yet at 10 % error",
        title="Lottery tickets of the (50,5)-parity",
        caption="Fraction of runs whose held-out error has not yet been 10 % (Kaplan-Meier, 95 % bands): whole nets of "
        "width 100 from sparse weights, their five heaviest neurons rewound and trained on other examples, and five "
        "neurons of fresh nets. Edelman et al. 2023, figure 5.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    trials = table.filter(part="trials")
    whole = trials.filter(kind="whole").with_columns(survival.solve_time())
    middle = float(np.median(whole["solve_time"].to_numpy()))
    solved = table.filter(part="neurons", outcome="solved")
    shares = solved.group_by("seed").agg(pl.mean("share"))["share"]
    least = float(min(shares)) if len(shares) else 0.0
    ticket, random = (trials.filter(kind=kind)["error"].to_numpy() for kind in ("ticket", "random"))
    lucky = solved.filter(pl.col("ones_in_subset") > 0).height
    note = (
        f"value: median steps; smallest mean share on the subset {least:.3f}; of {solved.height} kept neurons {lucky} "
    )
    note += "started with a one in it"
    judged = [WHOLE.judged(middle <= 60_000 and least >= 0.95, middle, note=note)]
    if not len(ticket):
        return [*judged, TICKET.judged(None, note="no whole net learnt: there is no ticket")]
    test = stats.mannwhitneyu(ticket, random, alternative="less")
    medians = float(np.median(ticket)), float(np.median(random))
    words = f"value: median last error of {len(ticket)} runs of tickets; of {len(random)} random subnetworks "
    words += f"{medians[1]:.3f}; rank-sum p = {test.pvalue:.2g}"
    return [*judged, TICKET.judged(medians[0] < medians[1] and test.pvalue < 0.05, medians[0], note=words)]


experiment = Experiment(
    name="lottery",
    title="Lottery tickets",
    source="figure 5",
    claims=(WHOLE, TICKET),
    sweep=sweep,
    then=then,
    table=table,
    figure=figure,
    judge=judge,
)
