"""Positional encodings on the way: odd lags rise before the loss falls.

Claim   just before the second drop the positional encoding of the first layer prefers odd lags.
Source  Edelman et al. 2024, figures 8.3 (middle) and E.7 of the dissertation. The effective encoding is the softmax
        over lags of (e_x W_Q) v_lag^T / sqrt(d), mean over the symbols x: the text has W_K for W_Q. Beside it, free
        of the model: the mean weight of the first layer at each lag.
Output  table `encodings`, in parts: `bars` (weight by lag at three moments of one run of each kind) and `trials`
        (weights of lags 0 to 5 where lag 1 first exceeds 0.05, for every run).
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.figures import Bars, Display
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import WORDS, by_lag, claim, curves, drops, joined, transformers

RISES = 0.05
"""Weight of lag 1 at which the pattern is looked at."""

ODD = claim(
    "A16",
    "figures 8.3 and E.7",
    "Just before the loss falls the first layer prefers odd lags: previous symbol first, then three back.",
    {
        "smoke": "small: where lag 1 first exceeds 0.05, weight of lag 3 > those of lags 2 and 4, and of lag 1 > of "
        "lag 0, "
        "in every run",
        "desk": "small: where lag 1 first exceeds 0.05, weight of lag 3 > those of lags 2 and 4, and of lag 1 > of "
        "lag 0, in "
        "at least 4/5 of the runs, by weights and by the effective encoding",
        "paper": "small: where lag 1 first exceeds 0.05, weight of lag 3 > those of lags 2 and 4, and of lag 1 > of "
        "lag 0, "
        "in at least 4/5 of the runs, by weights and by the effective encoding",
    },
)


def sweep(scale: str) -> ay.Sweep:
    return joined(transformers(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    sweeps = transformers(scale)
    fall = drops(curves(runs, sweeps))
    weights = {name: by_lag(runs, sweeps, f"attention/{name}") for name in ("lags", "encoding")}
    trials = pl.concat([_rising(rows).with_columns(of=pl.lit(name)) for name, rows in weights.items()])
    bars = _bars(weights["lags"].filter(seed=0).join(fall, on="trial", how="left"))
    return pl.concat(
        [bars.with_columns(part=pl.lit("bars")), trials.with_columns(part=pl.lit("trials"))], how="diagonal_relaxed"
    )


def _rising(rows: pl.DataFrame) -> pl.DataFrame:
    """The weights of lags 0 to 5 at the first record at which lag 1 exceeds the bound."""
    first = rows.filter((pl.col("lag") == 1) & (pl.col("value") > RISES)).group_by("trial").agg(pl.col("step").min())
    at = rows.join(first, on=["trial", "step"]).filter(pl.col("lag") <= 5)
    wide = at.pivot("lag", index=["trial", "runs", "seed", "step"], values="value")
    return wide.rename({str(i): f"lag_{i}" for i in range(6)}).sort("runs", "seed")


def _bars(rows: pl.DataFrame) -> pl.DataFrame:
    """The first lags early, where lag 1 rises, and at the end."""
    parts = []
    for (name,), part in rows.group_by("runs", maintain_order=True):
        steps = part["step"].unique().sort()
        rising = part.filter((pl.col("lag") == 1) & (pl.col("value") > RISES))["step"].min()
        moments = {"early": steps[1], "lag 1 rises": rising, "end": steps[-1]}
        for words, step in moments.items():
            shown = part.filter((pl.col("step") == step) & (pl.col("lag") < 20)).select("lag", "value", "step")
            title = pl.format("{}, step {}", pl.lit(words), "step")
            parts.append(shown.with_columns(panel=title, runs=pl.lit(name), odd=pl.col("lag") % 2 == 1))
    found = pl.concat(parts)
    chosen = "three" if "three" in found["runs"] else "small"
    return found.filter(runs=chosen)


def figure(table: pl.DataFrame) -> Display:
    bars = table.filter(part="bars")
    return Bars(
        bars,
        x="lag",
        y="value",
        panel="panel",
        flag="odd",
        labels={"odd:True": "odd lags", "odd:False": "even lags"},
        x_label="lag",
        y_label="mean weight of the first layer",
        columns=3,
        title=f"Odd lags rise first: {WORDS[bars['runs'][0]]}",
        caption="Mean weight of the first layer at lags 0 to 19, over queries from position 20 on, early in "
        "training, when "
        "lag 1 first exceeds 0.05, and at the end. Edelman et al. 2024, figures 8.3 and E.7.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    rows = table.filter(part="trials", runs="small")
    pattern = (pl.col("lag_3") > pl.max_horizontal("lag_2", "lag_4")) & (pl.col("lag_1") > pl.col("lag_0"))
    seeds = sweep(scale).trials()
    count = sum(trial.net == ay.SequenceTransformer() for trial in seeds)
    shares = {name: rows.filter(of=name).filter(pattern).height / count for name in ("lags", "encoding")}
    wanted = 1.0 if scale == "smoke" else 0.8
    holds = shares["lags"] >= wanted and (scale == "smoke" or shares["encoding"] >= wanted)
    words = f"value: fraction of {count} runs, by weights; by the effective encoding {shares['encoding']:.2f}"
    return [ODD.judged(holds, shares["lags"], None, words)]


experiment = Experiment(
    name="encodings",
    title="Odd lags rise first",
    source="figures 8.3 and E.7",
    claims=(ODD,),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
    runs="transformers",
)
