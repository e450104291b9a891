"""Without a use for counting symbols, pairs are found sooner: training on chains with a uniform stationary law.

Claim   examples on which counting symbols helps delay the induction head; without them there is no unigram phase.
Source  Edelman et al. 2024, figure 8.4a of the dissertation: k = 4, trained on doubly stochastic chains or on a mixture
        of them with independent symbols, tested on all chains, against the number of doubly stochastic examples. The
        share of the mixture is not printed: 1/2, and others at the larger scales. k = 4 and the architecture of the
        code are needed for the effect: with the printed architecture and k = 3 there is none per doubly stochastic
        example.
Output  table `shift`, in parts: `curves` (loss on all chains against doubly stochastic examples, by share), `trials`
        (when the loss falls, and the stages, both on all chains) and `minimal` (v of minimal models by prior, k = 2,
        step 240).
"""

from __future__ import annotations

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import stages
from assay.figures import Display, Lines
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import (
    BATCH,
    MINGPT,
    claim,
    joined,
    labels,
    minimal,
    minimals,
    transformer,
    weights,
)

LIMIT = 45_000
"""Doubly stochastic examples within which the loss falls if there are no others."""
BUDGET = {"smoke": 704, "desk": 1408, "paper": 4000}
"""Steps on doubly stochastic examples; a mixture has as many of these."""
SHARES = {"smoke": (1.0, 0.5), "desk": (1.0, 0.75, 0.5), "paper": (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)}
SEEDS = {"smoke": 1, "desk": 4, "paper": 10}
FULL = ("markov/truth_full", "markov/uniform_full", "markov/unigram_full", "markov/bigram_full")
"""Loss and distances on all chains, whatever the net is trained on."""
PRIORS = {"balanced": ay.Mixture(share=1.0), "independent": ay.Mixture(share=0.0)}

_SOONER = "k = 4: without independent symbols the loss on all chains falls below 0.14 for good within 45,000 doubly "
_SOONER += "stochastic examples, in every run; at share 1/2 in no run within "
_SEPARATE = "k = 4, 10 seeds: 95 % intervals of the mean number of doubly stochastic examples at which the loss on all "
_SEPARATE += "chains falls below 0.14 are apart for shares 1 and 1/2, and the mean of share 1 is smaller"
SOONER = claim(
    "A20",
    "figure 8.4a",
    "Trained on doubly stochastic chains alone the net learns to count pairs much sooner than if half of the examples "
    "are independent symbols, at equally many doubly stochastic examples.",
    {"smoke": _SOONER + "as many", "desk": _SOONER + "twice as many", "paper": _SEPARATE},
)
SKIPPED = claim(
    "A21",
    "figure 8.4a",
    "Without a use for counting symbols there is no unigram phase.",
    "k = 4, doubly stochastic chains alone: stages uniform, bigram in every run",
)
NO_LAG_0 = claim(
    "A22",
    "section 8.3.3",
    "On doubly stochastic chains the minimal model prefers lag 1 to lag 0 sooner than on all chains.",
    "k = 2, step 240, mean over runs: v of lag 1 at least 1.5 times as large as on all chains; v of lag 0 smaller",
)


def shares(scale: str) -> dict[str, ay.Sweep]:
    """Transformers by share of doubly stochastic chains."""
    found = {}
    for share in SHARES[scale]:
        budget = round(BUDGET[scale] / share)
        task = ay.MarkovChains(states=4, prior=ay.Mixture(share=share))
        trial = transformer(1e-3, task, MINGPT, budget=budget, every=32, measures=FULL, sample=500)
        found[f"{share:g}"] = ay.Sweep(trial, ay.seeds(SEEDS[scale]))
    return found


def models(scale: str) -> dict[str, ay.Sweep]:
    """Minimal models on each prior."""
    return {
        name: ay.Sweep(minimal(ay.MarkovChains(states=2, prior=prior), budget=240, every=40), ay.seeds(4))
        for name, prior in PRIORS.items()
    } | {"all": ay.Sweep(minimals(scale)["two"].trials()[0].replace(budget=240), ay.seeds(4))}


def sweep(scale: str) -> ay.Sweep:
    return joined(shares(scale) | models(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    sweeps = shares(scale)
    rows = runs.curves.join(labels(sweeps, "share"), on="trial", maintain_order="left").drop_nulls("share")
    rows = stages.labelled(rows, FULL[1:])
    rows = rows.with_columns(pl.col("stage").str.strip_suffix("_full"))
    rows = rows.with_columns(
        bound=pl.lit(0.14), examples=pl.col("step") * BATCH * pl.col("share").cast(pl.Float64)
    )  # fmt: skip
    fall = stages.falls(rows, "markov/truth_full", "bound").rename({"step": "drop"})
    trials = rows.group_by("trial", "share", "seed", maintain_order=True).agg(
        last_step=pl.col("step").max(), final_loss=pl.col("markov/truth_full").last()
    )
    trials = trials.join(fall, on="trial").join(stages.order(rows), on="trial")
    trials = trials.with_columns(drop_examples=pl.col("drop") * BATCH * pl.col("share").cast(pl.Float64))
    mean = rows.group_by("share", "step", maintain_order=True).agg(
        pl.col("examples").first(), value=pl.col("markov/truth_full").mean(), n=pl.len(),
        deviation=pl.col("markov/truth_full").std().fill_null(0.0),
    )  # fmt: skip
    half = 1.96 * pl.col("deviation") / pl.col("n").sqrt()
    mean = mean.with_columns(low=pl.col("value") - half, high=pl.col("value") + half)
    seen = weights(runs, models(scale)).filter(step=240)
    v = seen.group_by("runs", maintain_order=True).agg(pl.col(f"v{i}").mean() for i in range(6))
    parts = {"curves": mean, "trials": trials, "minimal": v}
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    curves = table.filter(part="curves").sort("share", "examples", descending=[True, False], maintain_order=True)
    some = pl.int_range(pl.len()).over("share") % 5 == 0  # intervals at every record would cover the lines
    ends = (pl.when(some).then(pl.col(end)).alias(end) for end in ("low", "high"))
    return Lines(
        curves.with_columns(*ends, line=pl.format("share {}", "share")),
        x="examples",
        y="value",
        line="line",
        bars=("low", "high"),
        markers=False,
        x_label="doubly stochastic training sequences",
        y_label="test loss on all chains",
        title="Symbols that are worth counting delay the induction head",
        caption="KL(truth || net) on all chains against the doubly stochastic examples seen, by their share among all "
        "examples; the others are independent symbols. Mean over seeds with 95 % intervals; four states. Edelman et "
        "al. "
        "2024, figure 8.4a.",
        size=(5.0, 3.2),
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    trials = table.filter(part="trials")
    alone, mixed = (trials.filter(share=share) for share in ("1", "0.5"))
    fall = {share: part["drop_examples"] for share, part in (("1", alone), ("0.5", mixed))}
    if scale == "paper":
        # a mixture that never falls counts as falling at its end: its mean is a lower bound
        longest = {"1": float("inf"), "0.5": float(BUDGET[scale] * BATCH)}
        ends = [_interval(fall[share].fill_null(longest[share]).to_numpy()) for share in longest]
        sooner = ends[0][1] < ends[1][0]
    else:
        limit = LIMIT * (1 if scale == "smoke" else 2)
        sooner = bool((fall["1"].fill_null(float("inf")) <= LIMIT).all())
        sooner &= bool((fall["0.5"].fill_null(float("inf")) > limit).all())
    words = "; ".join(
        f"share {share}: {part['drop'].is_not_null().sum()} of {part.height} fall"
        + f", median at {part['drop_examples'].fill_null(float('inf')).median():,.0f} examples"
        for (share,), part in trials.group_by("share", maintain_order=True)
    )
    orders = alone["stages"].to_list()
    v = {row["runs"]: row for row in table.filter(part="minimal").rows(named=True)}
    gain = v["balanced"]["v1"] / v["all"]["v1"]
    middle = alone["drop_examples"].fill_null(float("inf")).median()
    return [
        SOONER.judged(sooner, middle, None, f"value: median without independent symbols. {words}"),  # type: ignore[arg-type]
        SKIPPED.judged(
            all(order == "uniform bigram" for order in orders), orders.count("uniform bigram") / len(orders), None,
            "value: fraction of runs. Orders: " + "; ".join(sorted(set(orders))),
        ),
        NO_LAG_0.judged(
            gain >= 1.5 and v["balanced"]["v0"] < v["all"]["v0"], gain, None,
            "value: ratio at lag 1. v of lags 0, 1: "
            + "; ".join(f"{name} {row['v0']:.3f}, {row['v1']:.3f}" for name, row in v.items()),
        ),
    ]  # fmt: skip


def _interval(numbers: np.ndarray) -> tuple[float, float]:
    """95 % interval of a mean."""
    half = 1.96 * numbers.std(ddof=1) / len(numbers) ** 0.5
    return float(numbers.mean() - half), float(numbers.mean() + half)


experiment = Experiment(
    name="shift",
    title="Without a use for counting symbols",
    source="figure 8.4a, section 8.3.3",
    claims=(SOONER, SKIPPED, NO_LAG_0),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
