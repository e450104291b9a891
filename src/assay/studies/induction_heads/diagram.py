"""Phase diagrams: how long the plateau is, by learning rate and by width, number of states and prior.

Claim   the plateau is shorter in proportion to the rate, longer with more states, shorter in wider nets.
Source  Beyond the paper, whose figures have one rate, one width and at most ten seeds each (figures 8.1, 8.3, E.3, E.4
        and 8.4a of Edelman 2024, dissertation; Edelman et al. 2024). Nets as printed. The plateau begins at the first
        record at which the loss is at most 1.1 times that of unigrams, and ends when the loss on doubly stochastic
        chains falls to half of guessing; a run that does not fall within its budget is a plateau without an end.
Output  table `diagram`: for each axis, its value and each rate, quantiles of the length over seeds and the fraction of
        runs that fall.
"""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl

import assay as ay
from assay.analysis import survival
from assay.figures import Display, HeatTable, board
from assay.studies import Experiment, Judgement
from assay.studies.induction_heads.settings import claim, joined, transformer
from assay.studies.induction_heads.waits import events

RATES = {"smoke": (3e-3, 6e-3), "desk": (1e-3, 3e-3, 6e-3), "paper": (1e-3, 2e-3, 3e-3, 6e-3, 1e-2)}
AXES = {
    "smoke": {"width": (16,), "states": (), "share": ()},
    "desk": {"width": (8, 16, 32), "states": (3, 4), "share": (1.0, 0.5, 0.25)},
    "paper": {"width": (8, 16, 32, 64), "states": (3, 4), "share": (1.0, 0.75, 0.5, 0.25, 0.1)},
}
"""Width of the net at two states; number of states at width 16 (two are among the widths); share of doubly stochastic
chains, the others being independent symbols, at two states and width 16."""
SEEDS = {"smoke": 2, "desk": 4, "paper": 100}
TIME = {"smoke": 0.9, "desk": 2.0, "paper": 4.0}
"""Budget of a run times its rate."""
MIDDLE = 3e-3
MEASURES = ("markov/truth", "markov/unigram_line", "markov/truth_balanced")
TITLES = {"width": "width of the net", "states": "number of states", "share": "share of doubly stochastic"}

INVERSE = claim(
    "B6",
    "figures 8.1 and 8.3 (beyond the paper)",
    "The length of the plateau is inversely proportional to the learning rate.",
    {
        "smoke": "2 rates with 2 seeds each are not judged: undecided",
        "desk": "width 16, two states: slope of log median length against log rate within -1 +- 0.3",
        "paper": "width 16, two states: slope of log median length against log rate within -1 +- 0.3",
    },
)
STATES = claim(
    "B7",
    "figure E.4 (beyond the paper)",
    "With more states the plateau is longer.",
    {
        "smoke": "needs 3 numbers of states, 1 is run: undecided",
        "desk": "rate 3e-3, width 16: medians rise over two, three and four states",
        "paper": "rate 3e-3, width 16: medians rise over two, three and four states",
    },
)
WIDTHS = claim(
    "B8",
    "appendix E.2 (beyond the paper)",
    "In wider nets the plateau is shorter.",
    {
        "smoke": "needs 3 widths, 1 is run: undecided",
        "desk": "rate 3e-3, two states: medians fall over widths 8, 16 and 32",
        "paper": "rate 3e-3, two states: medians fall over widths 8, 16 and 32",
    },
)


def sweeps(scale: str) -> dict[str, ay.Sweep]:
    """By axis, value and rate, as `axis value rate`."""
    found = {}
    for axis, values in AXES[scale].items():
        for value, rate in itertools.product(values, RATES[scale]):
            width = int(value) if axis == "width" else 16
            task = ay.MarkovChains(states=int(value) if axis == "states" else 2)
            if axis == "share":
                task = task.replace(prior=ay.Mixture(share=value))
            trial = transformer(
                rate, task, ay.SequenceTransformer(d=width), budget=round(TIME[scale] / rate), every=20,
                measures=MEASURES, sample=250,
            )  # fmt: skip
            found[f"{axis} {value:g} {rate:g}"] = ay.Sweep(trial, ay.seeds(SEEDS[scale]))
    return found


def sweep(scale: str) -> ay.Sweep:
    return joined(sweeps(scale))


def table(runs: ay.Runs, scale: str) -> pl.DataFrame:
    near = pl.col("markov/truth") <= 1.1 * pl.col("markov/unigram_line")
    begins = runs.curves.filter(near).group_by("trial").agg(pl.col("step").min().alias("begins"))
    place = pl.col("name").str.split(" ").list
    rows = events(runs, sweeps(scale)).join(begins, on="trial", how="left")
    rows = rows.with_columns(
        pl.max_horizontal(pl.col("step") - pl.col("begins").fill_null(0), 0).alias("step"),
        axis=place.get(0), value=place.get(1).cast(pl.Float64), rate=place.get(2).cast(pl.Float64),
    )  # fmt: skip
    middle = rows.filter(axis="width", value=16.0).with_columns(axis=pl.lit("states"), value=pl.lit(2.0))
    order = {axis: i for i, axis in enumerate(TITLES)}
    found = survival.summary(pl.concat([rows, middle]), ["axis", "value", "rate"])
    return found.sort(pl.col("axis").replace_strict(order), "value", "rate")


def figure(table: pl.DataFrame) -> Display:
    longest = table["q50"].drop_nulls()
    ends = (max(1.0, float(longest.min() or 1)), max(2.0, float(longest.max() or 2)))  # type: ignore[arg-type]
    parts = []
    for axis, words in TITLES.items():
        rows = table.filter(axis=axis)
        if not rows.height:
            continue
        median = pl.col("q50").round().cast(pl.Int64, strict=False)
        some = pl.when(pl.col("solved_fraction") < 1).then(pl.format("{}\n{} %", median, _percent())).otherwise(median)
        none = pl.format("none\n{} %", _percent())
        cells = rows.select(
            pl.col("value").map_elements(lambda x: f"{x:g}", pl.String), pl.col("rate"), length="q50",
            text=pl.when(pl.col("q50").is_null()).then(none).otherwise(some),
        )  # fmt: skip
        parts.append(
            HeatTable(
                cells,
                row="value",
                column="rate",
                value="length",
                centre=None,
                ends=ends,
                title=words,
                labels={"value": words, "rate": "learning rate"},
            )
        )
    return board(
        *parts,
        columns=len(parts),
        title="How long the plateau is",
        caption="Median number of steps from the first loss near that of unigrams to the fall of the loss on doubly "
        "stochastic chains, over seeds; where not all runs fall within their budget, the percentage that does. a: by "
        "rate and width, two states; b: by rate and number of states, width 16; c: by rate and share of doubly "
        "stochastic chains among the examples, the others being independent symbols. Nets as printed.",
    )


def _percent() -> pl.Expr:
    return (100 * pl.col("solved_fraction")).round().cast(pl.Int64)


def judge(table: pl.DataFrame, scale: str) -> list[Judgement]:
    if scale == "smoke":
        return [each.judged(None, None, None, "not judged at this scale") for each in (INVERSE, STATES, WIDTHS)]
    lengths = table.with_columns(length=pl.col("q50").fill_null(float("inf")))
    base = lengths.filter(axis="width", value=16.0).sort("rate")
    slope = float("nan")
    if np.isfinite(base["length"].to_numpy()).all():
        slope = float(np.polyfit(np.log(base["rate"].to_numpy()), np.log(base["length"].to_numpy()), 1)[0])
    by = {
        axis: lengths.filter(pl.col("axis") == axis, pl.col("rate") == MIDDLE, pl.col("value").is_in(values)).sort(
            "value"
        )
        for axis, values in (("states", (2.0, 3.0, 4.0)), ("width", (8.0, 16.0, 32.0)))
    }
    found = {axis: rows["length"].to_list() for axis, rows in by.items()}
    words = {axis: "Medians: " + ", ".join(f"{x:.0f}" for x in values) for axis, values in found.items()}
    base_words = ", ".join(f"{row['rate']:g}: {row['length']:.0f}" for row in base.rows(named=True))
    rises = all(a < b for a, b in itertools.pairwise(found["states"]))
    shrinks = all(a > b for a, b in itertools.pairwise(found["width"]))
    return [
        INVERSE.judged(abs(slope + 1) <= 0.3, slope, None, f"value: slope. Medians by rate: {base_words}"),
        STATES.judged(rises, found["states"][-1], None, f"value: median at four states. {words['states']}"),
        WIDTHS.judged(shrinks, found["width"][-1], None, f"value: median at width 32. {words['width']}"),
    ]


experiment = Experiment(
    name="diagram",
    title="Phase diagrams of the plateau",
    source="beyond the paper: figures 8.1, 8.3, E.4 and 8.4a over rates, widths, states and priors",
    claims=(INVERSE, STATES, WIDTHS),
    sweep=sweep,
    table=table,
    figure=figure,
    judge=judge,
)
