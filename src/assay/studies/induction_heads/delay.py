"""How far simplicity delays the induction head: survival of the plateau, beyond the paper.

Claim   the more examples can be predicted by counting symbols, the later pairs are counted; larger rates and wider nets
        shorten the plateau.
Source  The question of section 8.3.3 of Edelman 2024 (dissertation; Edelman et al. 2024, figure 8.4a), asked of many
        seeds: the time until the loss on balanced chains falls, as a survival time. Nets as printed, two states,
        several rates, widths and shares of independent symbols; censored runs count.
Output  table `delay`, in parts: `survival` (Kaplan-Meier curves by rate), `times` (quantiles of the time by rate and
        width) and `shares` (the same by share of independent symbols).
"""

from __future__ import annotations

import itertools

import polars as pl

import assay as ay
from assay.analysis import survival
from assay.figures import Display, SolveTimes, SurvivalCurves, board
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import TWO, claim, joined, transformer
from assay.studies.induction_heads.waits import events

RATES = {"smoke": (3e-3, 6e-3), "desk": (1e-3, 2e-3, 3e-3, 6e-3), "paper": (3e-4, 1e-3, 2e-3, 3e-3, 6e-3, 1e-2)}
WIDTHS = {"smoke": (16,), "desk": (8, 16, 32), "paper": (4, 8, 16, 32, 64)}
SHARES = {"smoke": (), "desk": (0.0, 0.25, 0.5, 0.75), "paper": (0.0, 0.1, 0.25, 0.5, 0.75, 0.9)}
"""Of independent symbols, in steps of the same number of examples."""
SEEDS = {"smoke": 3, "desk": 8, "paper": 100}
BUDGET = {"smoke": 400, "desk": 1500, "paper": 6000}
FASTER = claim(
    "B1",
    "figure 8.3 (beyond the paper)",
    "The plateau is shorter at larger rates.",
    {
        "smoke": "width 16: median time at rate 6e-3 below that at 3e-3",
        "desk": "width 16: medians fall with the rate over 1e-3, 2e-3, 3e-3; log-rank p <= 0.01 between 1e-3 and 3e-3",
        "paper": "width 16: medians fall with the rate over 1e-3, 2e-3, 3e-3; log-rank p <= 0.01 between 1e-3 and 3e-3",
    },
)
DELAYED = claim(
    "B2",
    "figure 8.4a (beyond the paper)",
    "The more of the examples are independent symbols, the later pairs are counted.",
    {
        "smoke": "not run: needs shares 0 and 0.5; undecided",
        "desk": "two states, rate 3e-3: log-rank p <= 0.01 between shares 0 and 0.5, median later at 0.5",
        "paper": "two states, rate 3e-3: log-rank p <= 0.01 between shares 0 and 0.5, median later at 0.5",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    """By rate and width, on all chains."""
    seeds = ay.seeds(SEEDS[scale])
    return {
        f"{rate:g} {width}": ay.Sweep(_trial(rate, width, TWO, scale), seeds)
        for width in WIDTHS[scale]
        for rate in RATES[scale]
        if width == 16 or rate == 3e-3
    }


def mixtures(scale: str) -> dict[str, ay.Sweep]:
    """By share of independent symbols."""
    seeds = ay.seeds(SEEDS[scale])
    return {
        f"{share:g}": ay.Sweep(
            _trial(3e-3, 16, ay.MarkovChains(states=2, prior=ay.Mixture(share=1 - share)), scale), seeds
        )
        for share in SHARES[scale]
    }


def _trial(rate: float, width: int, task: ay.MarkovChains, scale: str) -> ay.Trial:
    measures = ("markov/truth_balanced",)
    net = ay.SequenceTransformer(d=width)
    return transformer(rate, task, net, budget=BUDGET[scale], every=20, measures=measures, sample=500)


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale) | mixtures(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    by_rate = events(runs, sweeps(scale)).with_columns(
        rate=pl.col("name").str.split(" ").list.first().cast(pl.Float64),
        width=pl.col("name").str.split(" ").list.last().cast(pl.Int64),
    )
    base = by_rate.filter(width=16)
    parts = {"survival": survival.curve(base, ["rate"]), "times": survival.summary(by_rate, ["rate", "width"])}
    first, second = (6e-3, 3e-3) if scale == "smoke" else (1e-3, 3e-3)
    parts["rates"] = survival.compare(base.filter(pl.col("rate").is_in([first, second])), of="rate")
    if mixtures(scale):
        shares = events(runs, mixtures(scale)).with_columns(share=pl.col("name").cast(pl.Float64))
        parts["shares"] = survival.summary(shares, ["share"])
        parts["mixtures"] = survival.compare(shares.filter(pl.col("share").is_in([0.0, 0.5])), of="share")
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    curves = table.filter(part="survival").select(
        "rate", "step", "survival", "survival_low", "survival_high", "censored"
    )
    times = table.filter(part="times")
    return board(
        SurvivalCurves(curves, line="rate", title="the plateau by rate, width 16", y_label="still on the plateau"),
        SolveTimes(
            times.drop("part"), x="rate", line="width", title="its length", y_label="steps until the loss falls",
            labels={"rate": "learning rate"},
        ),
        columns=2,
        title="How long the plateau lasts",
        caption="a: fraction of runs whose loss on doubly stochastic chains has not fallen, with 95 % bands. b: median "
        "time with 95 % intervals, by learning rate and width. Two states, nets as printed.",
    )  # fmt: skip


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    times = table.filter(pl.col("part") == "times", pl.col("width") == 16).sort("rate")
    rates = (3e-3, 6e-3) if scale == "smoke" else (1e-3, 2e-3, 3e-3)
    medians = [times.filter(rate=rate)["q50"].item() for rate in rates]
    far = [float("inf") if middle is None else middle for middle in medians]
    p = table.filter(part="rates")["logrank_p"].item()
    faster = all(a > b for a, b in itertools.pairwise(far)) and (scale == "smoke" or p <= 0.01)
    words = "value: shortest median. " + ", ".join(f"rate {rate:g}: {far[i]:.0f}" for i, rate in enumerate(rates))
    delayed, note, value = None, "not run at this scale", None
    shares = table.filter(part="shares")
    if shares.height:
        by = {share: shares.filter(share=share)["q50"].item() for share in shares["share"]}
        late = {share: float("inf") if middle is None else middle for share, middle in by.items()}
        chance = table.filter(part="mixtures")["logrank_p"].item()
        delayed, value = chance <= 0.01 and late[0.5] > late[0.0], chance
        note = "value: p of the log-rank test. Medians: " + ", ".join(f"{s:g}: {m:.0f}" for s, m in late.items())
    return [
        FASTER.judged(faster, far[-1], None, f"{words}; p = {p:.2g}"),
        DELAYED.judged(delayed, value, None, note),
    ]


experiment = Experiment(
    name="delay",
    title="How long the plateau lasts",
    source="beyond the paper: section 8.3.3 with many seeds",
    claims=(FASTER, DELAYED),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
