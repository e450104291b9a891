"""One layer given: which of the two does the other wait for?

Claim   with the first layer of the induction head given, the second is learnt in a fraction of the time; the second
        layer helps the first only once that has the values which it reads.
Source  Section 8.3.1 of Edelman 2024 (dissertation; Edelman et al. 2024), where the second layer "not being aligned"
        slows down the first, asked as an intervention: parts of the construction of proposition 8.2 are given and
        frozen, the others are trained as printed. Embedding and output are given in all runs, and the width is that of
        the construction. In the minimal model, of which the paper says so, the values of the first layer are given.
Output  table `freeze`, in parts: `curves` (test loss by what is given) and `times` (quantiles of the step at which it
        falls below half-way between the losses of unigrams and bigrams).
"""

from __future__ import annotations

import polars as pl

import assay as ay
from assay.analysis import bands, stages, survival
from assay.figures import Display, TrainingCurves
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import LOSSES, TWO, claim, joined, labels, transformer

GIVEN: dict[str, tuple[str, ...]] = {
    "neither layer": (),
    "first layer": ("layer_0",),
    "second layer": ("layer_1",),
    "second layer, values of the first": ("layer_1", "layer_0_value"),
}
SHOWN = {"smoke": 2, "desk": 4, "paper": 4}
BUDGET = {"smoke": 300, "desk": 2000, "paper": 4000}
SEEDS = {"smoke": 2, "desk": 8, "paper": 100}

SOONER = claim(
    "B3",
    "section 8.3.1 (beyond the paper)",
    "With the first layer of the induction head given, the second is learnt in at most half of the time that both "
    "take.",
    {
        "smoke": "two states, rate 3e-3: with the first layer given all runs fall within 300 steps, with neither none",
        "desk": "two states, rate 3e-3: with the first layer given all runs fall, and their median step is at most "
        "half of that with neither",
        "paper": "two states, rate 3e-3: with the first layer given all runs fall, and their median step is at most "
        "half of that with neither",
    },
)
VALUES = claim(
    "B4",
    "section 8.3.1 (beyond the paper)",
    "The second layer alone does not speed up the first; it does where the first has the values that it reads.",
    {
        "smoke": "needs 4 nets, 2 are run: undecided",
        "desk": "two states, rate 3e-3: median step with the second layer given >= that with neither, and with the "
        "values of the first layer as well < that with the second layer alone",
        "paper": "two states, rate 3e-3: median step with the second layer given >= that with neither, and with the "
        "values of the first layer as well < that with the second layer alone",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    """By what is given."""
    found = {}
    for name, given in list(GIVEN.items())[: SHOWN[scale]]:
        net = ay.HalfHead(d=3 * TWO.states, given=given)
        trial = transformer(3e-3, TWO, net, budget=BUDGET[scale], every=10, measures=LOSSES, sample=500)
        still = tuple(ay.Rate(layer=layer, learning_rate=0.0, weight_decay=0.0) for layer in net.by_hand)
        kept = tuple(rate for rate in trial.optimiser.rates if rate.layer not in net.by_hand)
        optimiser = trial.optimiser.replace(rates=(*still, *kept))
        found[name] = ay.Sweep(trial.replace(optimiser=optimiser), ay.seeds(SEEDS[scale]))
    return found


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    middle = (pl.col("markov/unigram_line") + pl.col("markov/bigram_line")) / 2
    rows = runs.curves.join(labels(sweeps(scale), "given"), on="trial", maintain_order="left").with_columns(half=middle)
    fall = stages.falls(rows, "markov/truth", "half")
    ends = rows.group_by("trial", "given", maintain_order=True).agg(pl.col("step").max().alias("last"))
    events = ends.join(fall, on="trial").with_columns(
        outcome=pl.when(pl.col("step").is_null()).then(pl.lit("censored")).otherwise(pl.lit("solved")),
        step=pl.col("step").fill_null(pl.col("last")),
    )
    lines = {"markov/truth": "net", "markov/unigram_line": "unigram", "markov/bigram_line": "bigram"}
    drawn = bands.examples_and_band(rows.rename(lines), list(lines.values()), by=["given"], examples=3)
    order = {name: i for i, name in enumerate(GIVEN)}
    drawn = drawn.sort(pl.col("given").replace_strict(order), maintain_order=True)
    parts = {"curves": drawn, "times": survival.summary(events, ["given"])}
    return pl.concat([t.with_columns(part=pl.lit(name)) for name, t in parts.items()], how="diagonal_relaxed")


def figure(table: pl.DataFrame) -> Display:
    return TrainingCurves(
        table.filter(part="curves"),
        panel="given",
        columns=2,
        y_label="test loss",
        labels={name: f"given: {name}" for name in GIVEN},
        title="Given the first layer, the second comes soon",
        caption="KL(truth || net) at the last position of nets whose embedding and output, and besides what each panel "
        "says, are those of the induction head by hand; what is given is frozen. Single runs, median and 10-90 % band "
        "over seeds; the losses of counting symbols and pairs. Two states, rate 3e-3.",
    )


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    times = {row["given"]: row for row in table.filter(part="times").rows(named=True)}
    middle = {name: row["q50"] if row["q50"] is not None else float("inf") for name, row in times.items()}
    neither, first, second, values = (middle.get(name) for name in GIVEN)
    sooner = times["first layer"]["solved_fraction"] == 1
    sooner &= times["neither layer"]["solved"] == 0 if scale == "smoke" else first <= neither / 2  # type: ignore[operator]
    words = ", ".join(f"{name}: {middle[name]:.0f} ({row['solved']} of {row['n']} fall)" for name, row in times.items())
    waits = None if scale == "smoke" else second >= neither and values < second  # type: ignore[operator]
    return [
        SOONER.judged(sooner, first, None, f"value: median step with the first layer given. Medians, {words}"),
        VALUES.judged(waits, second, None, f"value: median step with the second layer given. Medians, {words}"),
    ]


experiment = Experiment(
    name="freeze",
    title="One layer given",
    source="section 8.3.1 (beyond the paper)",
    claims=(SOONER, VALUES),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
