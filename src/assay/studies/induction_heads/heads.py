"""The mechanism: the first layer looks one symbol back, the second at what followed earlier copies of the current one.

Claim   at the end of training the net is an induction head.
Source  Edelman et al. 2024, figures 8.2 and E.5 of the dissertation: attention on the first 24 symbols of a held-out
        sequence, at the start, before the fall and at the end; each query's largest weight drawn in full. Weights are
        those after the softmax. Scores before it are in the arrays of the runs (`attention/maps.layers.0.scores`).
Output  table `heads`, in parts: `maps` (weights of both layers of one run, with the symbols) and `trials` (weight of
        the first layer by lag, and of the last query on followers, at the end of every run).
"""

from __future__ import annotations

from typing import Any

import polars as pl

import assay as ay
from assay.figures import AttentionLinks, AttentionMaps, Display, board
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import WORDS, by_lag, claim, joined, labels, transformers

SHOWN = {"smoke": "small", "desk": "three", "paper": "three"}
MOMENTS = {"small": (20, 200, 400), "three": (60, 1100, 2000)}
"""Steps at which maps are drawn: uniform, while the loss falls, the end."""

_SMALL = "small: weight of the first layer on lag 1 >= 0.7, of the last query on followers >= 0.88, median over runs"
MECHANISM = claim(
    "A15",
    "figures 8.2 and E.5",
    "At the end the first layer attends to the previous symbol, and the second to what followed earlier copies of the "
    "current one.",
    {
        "smoke": _SMALL,
        "desk": f"{_SMALL}; three: lag 1 has >= 10 times the weight of any other lag in the median run, and the "
        f"last query "
        ">= 0.85 on followers",
        "paper": f"{_SMALL}; three: lag 1 has >= 10 times the weight of any other lag in the median run, and the last "
        "query >= 0.85 on followers",
    },
)


def sweep(scale: str) -> ay.Sweep:
    return joined(transformers(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    sweeps = transformers(scale)
    lags = by_lag(runs, sweeps, "attention/lags")
    final = lags.filter(pl.col("step") == pl.col("step").max().over("trial"))
    others = pl.col("value").filter(pl.col("lag") != 1)
    trials = final.group_by("trial", "runs", "seed", maintain_order=True).agg(
        lag_1=pl.col("value").filter(pl.col("lag") == 1).first(), second=others.max()
    )
    ends = runs.curves.sort("step").group_by("trial").agg(pl.col("attention/followers").last().alias("followers"))
    trials = trials.join(ends, on="trial").sort("runs", "seed")
    maps = pl.DataFrame(_maps(runs, sweeps, SHOWN[scale]))
    return pl.concat(
        [maps.with_columns(part=pl.lit("maps")), trials.with_columns(part=pl.lit("trials"))], how="diagonal_relaxed"
    )


def _maps(runs: ay.Runs, sweeps: dict[str, ay.Sweep], name: str) -> list[dict[str, Any]]:
    """Weights of the run with seed 0 at the moments."""
    trial = labels(sweeps).filter(runs=name, seed=0)["trial"].item()
    steps = runs.curves.filter(trial=trial)["step"].to_list()
    symbols = runs.arrays("attention/maps.symbols")[trial]
    rows = []
    for moment in MOMENTS[name]:
        at = steps.index(moment)
        for layer in (0, 1):
            weights = runs.arrays(f"attention/maps.layers.{layer}.attention")[trial][at, 0]
            for query in range(len(weights)):
                rows += [
                    {"step": moment, "layer": layer, "query": query, "key": key, "weight": float(weights[query, key])}
                    | {"symbol": int(symbols[at, key]), "runs": name}
                    for key in range(query + 1)
                ]
    return rows


def figure(table: pl.DataFrame) -> Display:
    maps = table.filter(part="maps").drop("part")
    last = pl.col("query") == pl.col("query").max()
    links = maps.filter((pl.col("layer") == 0) | last).select("step", "layer", "query", "key", "weight", "symbol")
    squares = maps.select(
        "query", "key", value="weight", place=pl.format("layer {}, step {}", pl.col("layer") + 1, "step"),
        layer="layer", step="step",
    ).sort("layer", "step", maintain_order=True)  # fmt: skip
    words = {str(step): f"step {step:,}" for step in links["step"].unique()}
    return board(
        AttentionLinks(links, panel="step", labels=words, title="from each symbol to where it looks"),
        AttentionMaps(squares, panel="place", columns=3, title="weights of each query (row) on each key (column)"),
        columns=1,
        heights=(1.0, 1.15),
        size=(6.8, 9.2),
        title=f"An induction head forms: {WORDS[maps['runs'][0]]}",
        caption="a: attention on 24 symbols at three moments; lines below, first layer, all queries; lines above, "
        "second "
        "layer, last query; as strong as the weight over the largest of the query. b: the same weights as maps, "
        "each on "
        "its own scale. Edelman et al. 2024, figures 8.2 and E.5.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    trials = table.filter(part="trials")
    small = trials.filter(runs="small")
    lag_1, followers = float(small["lag_1"].median()), float(small["followers"].median())  # type: ignore[arg-type]
    holds = lag_1 >= 0.7 and followers >= 0.88
    words = f"value: weight on lag 1, small; on followers {followers:.3f}"
    if scale != "smoke":
        three = trials.filter(runs="three")
        lead, mass = float((three["lag_1"] / three["second"]).median()), float(three["followers"].median())  # type: ignore[arg-type]
        holds &= lead >= 10 and mass >= 0.85
        words += f"; three: {three['lag_1'].median():.2f} on lag 1, {lead:.0f} times any other, {mass:.3f} on followers"
    interval = (float(small["lag_1"].min()), float(small["lag_1"].max()))  # type: ignore[arg-type]
    return [MECHANISM.judged(holds, lag_1, interval, words + "; interval: all runs of small")]


experiment = Experiment(
    name="heads",
    title="The mechanism",
    source="figures 8.2 and E.5",
    claims=(MECHANISM,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="transformers",
)
